package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"occupy/persistence/devstack"
)

func runTool(t *testing.T, name string, args ...string) {
	t.Helper()
	var cmd *exec.Cmd
	cmd, err := devstack.Tool(name, args...)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// What docs/operations.md says of a dump: it is restored into another server, by a
// user who is no superuser, and what was answered since never happened.
func TestADumpRestoredElsewhere(t *testing.T) {
	old := newServer(t)
	kim := old.as("kim")
	kim.command("occupy", lot("HELD"))
	kim.command("occupy", lot("FREE"))
	kim.command("free", lot("FREE"))
	kim.next("S", 3)
	lotID := func(s *server) string {
		return fmt.Sprint(s.as("kim").must(`mutation { nextLotIds(input: {count: 1}) { ids } }`).at("nextLotIds.ids"))
	}
	lotID(old)
	cursor := expectTold(t, old.as("watcher").follow(goOn, object{"snapshot": true}), "SNAPSHOT FREE 2.0", "SNAPSHOT HELD 1.0")
	if err := start(t.Context(), []string{"-grant-views", "bi_of_the_old_server"}, map[string]string{"DATABASE_URL": old.url}); err != nil {
		t.Fatal(err)
	}
	dump := filepath.Join(t.TempDir(), "occupy.dump")
	runTool(t, "pg_dump", "-Fc", "-f", dump, old.url)
	since := lotID(old)
	if got, _ := kim.next("S", 1); got[0] != 4 {
		t.Fatalf("%v", got)
	}

	mine := newStack(t, devstack.Options{Postgres: true})
	admin := &server{t: t, url: mine.DatabaseURL("postgres")}
	admin.sql(`CREATE ROLE plain LOGIN PASSWORD 'plain'`)
	admin.sql(`CREATE DATABASE restored OWNER plain`)
	url := regexp.MustCompile(`//[^@]*@`).ReplaceAllString(mine.DatabaseURL("restored"), "//plain:plain@")
	runTool(t, "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "-d", url, dump)

	s := newServerOn(t, url)
	want(t, s.as("lee").command("occupy", lot("HELD")), "code", "HELD", "occupancy.userId", "kim")
	for _, refused := range s.as("watcher").streams(goOn, object{"after": cursor}) {
		want(t, wantRefused(t, refused), "code", "RESYNC")
	}
	watcher := s.as("watcher").follow(goOn, nil)
	s.waitForSubscribers("1")
	if got := lotID(s); got != since {
		t.Errorf("a LOT ID after the restore is %s; the one that was lost was %s", got, since)
	}
	if got, epoch := s.as("kim").next("S", 1); got[0] != 4 || epoch != "1" {
		t.Errorf("a value after the restore is %v of epoch %v", got, epoch)
	}
	s.sql(`UPDATE ct_sequence SET curr_value = curr_value + 1000`)
	s.sql(`UPDATE lot_seq SET current_seq = current_seq + 1000 WHERE target_date >= current_date - 7`)
	if got, _ := s.as("kim").next("S", 1); got[0] != 1005 {
		t.Errorf("a raised sequence gives %v", got)
	}
	if got := lotID(s); !strings.Contains(got, "1003") {
		t.Errorf("a raised day gives %s", got)
	}
	s.as("kim").command("free", lot("HELD"))
	expectTold(t, watcher, "CHANGED HELD 2.0") // and nothing of what was there
	s.wantNoFaults()
}

// The database's user is no superuser: it owns the database, and that is enough.
func TestTheOwnerOfAnEmptyDatabaseIsEnough(t *testing.T) {
	mine := newStack(t, devstack.Options{Postgres: true})
	admin := &server{t: t, url: mine.DatabaseURL("postgres")}
	admin.sql(`CREATE ROLE plain LOGIN PASSWORD 'plain'`)
	admin.sql(`CREATE DATABASE fresh OWNER plain`)
	s := newServerOn(t, regexp.MustCompile(`//[^@]*@`).ReplaceAllString(mine.DatabaseURL("fresh"), "//plain:plain@"))
	want(t, s.as("kim").command("occupy", lot("LOT1")), "code", "GRANTED")
	s.as("kim").next("S", 1)
	expectTold(t, s.as("watcher").follow(goOn, object{"snapshot": true}), "SNAPSHOT LOT1 1.0")
}
