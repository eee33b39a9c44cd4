package postgres

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"occupy/domain"
)

// marked is an occupy whose commit a link knows.
func marked(user string) domain.Occupy {
	c := by(user)
	c.MenuName = commitMark
	return c
}

// cutOnce cuts at the first commit only.
func cutOnce(pass bool) func() (bool, bool) {
	var cut atomic.Bool
	return func() (bool, bool) {
		if cut.CompareAndSwap(false, true) {
			return pass, true
		}
		return true, false
	}
}

func TestLinkCutAtTheCommit(t *testing.T) {
	for name, reached := range map[string]bool{
		"after it reached the server":  true,
		"before it reached the server": false,
	} {
		t.Run(name, func(t *testing.T) {
			wire, url := newLink(t, newURL(t))
			s := open(t, Config{URL: url})
			wire.WhenMarked(cutOnce(reached))
			code, o, err := occupy(s, key("LOT1"), marked("kim"))
			if err != nil || code != domain.CodeGranted || o.Version != 1 {
				t.Errorf("%s version %d: %v", code, o.Version, err)
			}
			wantEvents(t, s, key("LOT1"), "1 OCCUPIED kim")
		})
	}
}

// With nobody to ask the answer must be neither yes nor no.
func TestLinkCutAtTheCommitAndNobodyToAsk(t *testing.T) {
	direct := newURL(t)
	wire, url := newLink(t, direct)
	s := open(t, Config{URL: url})
	s.patience = time.Second
	wire.WhenMarked(func() (bool, bool) { go wire.SetDown(true); return true, true })
	_, _, err := occupy(s, key("LOT1"), marked("kim"))
	if !errors.Is(err, domain.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
	wire.WhenMarked(nil)
	_, _, err = occupy(s, key("LOT2"), by("kim"))
	if !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("while the database is away: %v", err)
	}
	wire.SetDown(false)
	waitUntil(t, "it works again", func() bool {
		code, _, err := occupy(s, key("LOT2"), by("kim"))
		return err == nil && code.OK()
	})
}

// A server that crashed may give the id of a lost transaction to another one:
// the id alone would say "committed" of what never was.
func TestOutcomeAfterARestartIsReadFromTheHistory(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	o := mustOccupy(t, s, key("LOT1"), by("kim"))
	var id string
	if err := s.floor.QueryRow(t.Context(), `SELECT tx_id::text FROM ct_occupy_item_history`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	lost := o
	lost.UpdatedAt = o.UpdatedAt.Add(time.Microsecond)
	next := lost
	next.Renewals++
	earlier := time.Now().Add(-time.Hour)
	for name, c := range map[string]struct {
		left imprint
		want string
	}{
		"written":                           {imprint{o, true}, "committed"},
		"lost":                              {imprint{lost, true}, "aborted"},
		"renewed":                           {imprint{o, false}, "committed"},
		"a lost renewal":                    {imprint{next, false}, "aborted"},
		"a renewal before the item changed": {imprint{lost, false}, "unknown"},
		"no item":                           {imprint{}, "aborted"},
	} {
		got, err := s.ask(t.Context(), session{id: id, started: earlier}, c.left)
		if err != nil || got != c.want {
			t.Errorf("%s: %s %v, want %s", name, got, err, c.want)
		}
	}
}

func TestOutcomeWaitsForATransactionInProgress(t *testing.T) {
	s := open(t, Config{URL: newURL(t)})
	tx, err := s.floor.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var tr session
	if err := tx.QueryRow(t.Context(), `SELECT pg_current_xact_id()::text, `+serverStarted).Scan(&tr.id, &tr.started); err != nil {
		t.Fatal(err)
	}
	if got, err := s.ask(t.Context(), tr, imprint{}); err != nil || got != "in progress" {
		t.Fatalf("%s %v", got, err)
	}
	answer := make(chan error)
	go func() { answer <- s.outcome(t.Context(), tr, imprint{}) }()
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Error(err)
	}
}
