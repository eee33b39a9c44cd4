package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// arrows says which of our packages each may import. The root may import all.
var arrows = map[string][]string{
	"domain":                {},
	"migrations":            {},
	"graph":                 {"domain"},
	"graph/documents":       {"domain", "graph"},
	"resolvers":             {"domain", "graph"},
	"graph/gateway":         {"domain", "graph", "graph/documents", "identity", "resolvers", "web/console"},
	"identity":              {},
	"identity/identitytest": {},
	"persistence/postgres":  {"domain", "migrations"},
	"persistence/redis":     {"domain"},
	"persistence/devstack":  {},
	"persistence/story":     {"domain"},
	"web/console":           {},
	"bench":                 {"persistence/devstack"},
	"bench/feed":            {"persistence/devstack"},
	"bench/history":         {"persistence/devstack", "persistence/postgres", "persistence/story", "migrations"},
	"chaos":                 {"persistence/devstack"},
}

// forTests are what any package's tests may use.
var forTests = []string{"persistence/devstack", "persistence/story", "identity/identitytest", "migrations"}

// domainOutside is all that the domain may use beside packages of Go's own that do
// no I/O.
var domainOutside = []string{"golang.org/x/text"}

var noDomain = []string{"net/http", "net", "database/sql", "os", "io/fs"}

func TestImportsFollowTheArrows(t *testing.T) {
	for _, violation := range violations(t, os.DirFS(".")) {
		t.Error(violation)
	}
}

func TestEveryPackageHasADocFile(t *testing.T) {
	for dir := range packages(t, os.DirFS(".")) {
		if _, err := os.Stat(path.Join(dir, "doc.go")); err != nil {
			t.Error(err)
		}
	}
}

func TestArrowsFindAPlantedImport(t *testing.T) {
	for _, planted := range []struct{ file, imports, want string }{
		{"domain/x.go", "occupy/graph", "domain/x.go imports occupy/graph"},
		{"domain/x.go", "github.com/jackc/pgx/v5", "domain/x.go imports github.com/jackc/pgx/v5"},
		{"domain/x.go", "net/http", "domain/x.go imports net/http"},
		{"graph/x.go", "occupy/resolvers", "graph/x.go imports occupy/resolvers"},
		{"graph/gateway/x.go", "occupy/persistence/postgres", "graph/gateway/x.go imports occupy/persistence/postgres"},
		{"resolvers/x.go", "occupy", "resolvers/x.go imports occupy"},
		{"persistence/redis/x.go", "occupy/persistence/devstack", "persistence/redis/x.go imports occupy/persistence/devstack"},
		{"elsewhere/x.go", "fmt", "elsewhere is a package that arrows does not name"},
		{"persistence/redis/x_test.go", "occupy/persistence/devstack", ""},
		{"persistence/postgres/x.go", "occupy/migrations", ""},
		{"domain/x.go", "golang.org/x/text/language", ""},
		{"x.go", "occupy/persistence/postgres", ""},
	} {
		source := fmt.Sprintf("package x\n\nimport _ %q\n", planted.imports)
		got := violations(t, fstest.MapFS{planted.file: {Data: []byte(source)}})
		if strings.Join(got, "; ") != planted.want {
			t.Errorf("%s with %s: %q, want %q", planted.file, planted.imports, got, planted.want)
		}
	}
}

// violations lists the imports that arrows does not allow.
func violations(t *testing.T, tree fs.FS) (found []string) {
	t.Helper()
	for dir, files := range packages(t, tree) {
		allowed, known := arrows[dir]
		if !known && dir != "." {
			found = append(found, dir+" is a package that arrows does not name")
			continue
		}
		for _, file := range files {
			for _, imported := range importsOf(t, tree, file) {
				if dir != "." && !mayImport(dir, file, imported, allowed) {
					found = append(found, file+" imports "+imported)
				}
			}
		}
	}
	return found
}

func mayImport(dir, file, imported string, allowed []string) bool {
	ours, isOurs := strings.CutPrefix(imported+"/", "occupy/")
	ours = strings.TrimSuffix(ours, "/")
	isTest := strings.HasSuffix(file, "_test.go")
	switch {
	case isOurs:
		return slices.Contains(allowed, ours) || isTest && (ours == dir || slices.Contains(forTests, ours))
	case dir != "domain" || isTest:
		return true
	case strings.Contains(imported, "."):
		return slices.ContainsFunc(domainOutside, func(p string) bool { return strings.HasPrefix(imported, p+"/") })
	}
	return !slices.Contains(noDomain, imported)
}

// packages lists the Go files of each folder.
func packages(t *testing.T, tree fs.FS) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
		if entry.IsDir() && (hidden || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if path.Ext(name) == ".go" {
			all[path.Dir(name)] = append(all[path.Dir(name)], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func importsOf(t *testing.T, tree fs.FS, file string) (imports []string) {
	t.Helper()
	source, err := fs.ReadFile(tree, file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		imports = append(imports, name)
	}
	return imports
}
