package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// clockless are the folders in which nobody asks this machine for the time:
// whoever holds an item is judged by the database's clock alone, so that a
// gateway whose own clock is wrong judges as every other does (case L1).
var clockless = []string{"domain", "persistence/postgres", "resolvers", "migrations"}

// stopwatches may ask, for they only measure how long something took here.
var stopwatches = []string{
	"domain/job.go",                          // how long a lock is surely held, counted from before the question
	"persistence/postgres/group.go",          // how long since something was logged
	"persistence/postgres/replica.go",        // how long ago the primary was where the replica is
	"persistence/postgres/sequence.go",       // how long a lease surely lasts
	"persistence/postgres/sequence_draw.go",  // the same
	"persistence/postgres/sequence_keep.go",  // the same
	"persistence/postgres/sequence_reset.go", // how long a reset waited
}

func TestNobodyAsksThisMachineForTheTime(t *testing.T) {
	for _, found := range clockReaders(t, os.DirFS(".")) {
		t.Error(found + " asks this machine for the time; the database's clock is the only one that counts")
	}
}

func TestAClockReaderIsFound(t *testing.T) {
	source := "package x\n\nimport \"time\"\n\nvar started = time.Now()\n"
	got := clockReaders(t, fstest.MapFS{
		"domain/rules.go": {Data: []byte(source)}, "domain/job.go": {Data: []byte(source)},
		"domain/rules_test.go": {Data: []byte(source)}, "server.go": {Data: []byte(source)},
	})
	if !slices.Equal(got, []string{"domain/rules.go"}) {
		t.Errorf("found %q", got)
	}
}

// clockReaders lists the files that ask for the time and may not.
func clockReaders(t *testing.T, tree fs.FS) (found []string) {
	t.Helper()
	for dir, files := range packages(t, tree) {
		if !slices.Contains(clockless, dir) {
			continue
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") && !slices.Contains(stopwatches, path.Clean(file)) && readsClock(t, tree, file) {
				found = append(found, file)
			}
		}
	}
	return found
}

func readsClock(t *testing.T, tree fs.FS, file string) (reads bool) {
	t.Helper()
	source, err := fs.ReadFile(tree, file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			of, isName := s.X.(*ast.Ident)
			reads = reads || isName && of.Name == "time" && slices.Contains([]string{"Now", "Since", "Until"}, s.Sel.Name)
		}
		return true
	})
	return reads
}
