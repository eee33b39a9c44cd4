package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// checkSchema holds the schema of a folder against the linter, the snapshot and the
// code generator of web/schema, and gives what they say.
func checkSchema(t *testing.T, folder string) string {
	t.Helper()
	if _, err := os.Stat("web/schema/node_modules/eslint"); err != nil {
		t.Fatalf("the npm tools are not there; make test fetches them: %v", err)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", "web/schema/schema.mjs", "check", folder).CombinedOutput()
	if said := string(out); (err == nil) != (said == "ok\n") {
		t.Fatalf("%v\n%s", err, said)
	}
	return string(out)
}

// A breaking change fails here until `make snapshot` says that it is meant.
func TestSchemaIsSoundAndKeepsItsPromises(t *testing.T) {
	t.Parallel()
	if said := checkSchema(t, "graph/schema"); said != "ok\n" {
		t.Error(said)
	}
}

// What is added is no fault; what is taken away, or is not as Relay wants it, is.
func TestAnUnsoundSchemaIsFound(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("graph/schema")); err != nil {
		t.Fatal(err)
	}
	edit := func(file, old, with string) {
		t.Helper()
		path := filepath.Join(folder, file)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%s has no %q, %v", file, old, err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, with, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit("occupy.graphqls", "  retryAfterSeconds: Int\n", "  addedSeconds: Int\n")
	edit("slot.graphqls", "input SlotInput {\n", "input SlotInput {\n  \"More.\"\n  another: Int!\n")
	edit("history.graphqls", "  pageInfo: PageInfo!\n", "  page: PageInfo!\n")
	said := checkSchema(t, folder)
	for _, fault := range []string{
		"Field 'retryAfterSeconds' was removed from object type 'OccupyPayload'",
		"Input field 'another' of type 'Int!' was added to input object type 'SlotInput'",
		"@graphql-eslint/relay-connection-types",
	} {
		if !strings.Contains(said, fault) {
			t.Errorf("nothing of %q in\n%s", fault, said)
		}
	}
	if strings.Contains(said, "addedSeconds") {
		t.Errorf("an addition is a fault:\n%s", said)
	}
}
