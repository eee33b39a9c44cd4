package graph

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// The schema is the manual: whatever a caller can name there says what it is.
func TestEverythingInTheSchemaIsDescribed(t *testing.T) {
	files, err := filepath.Glob("schema/*.graphqls")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d schema files, %v", len(files), err)
	}
	var sources []*ast.Source
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, &ast.Source{Name: file, Input: string(text)})
	}
	for _, bare := range undescribed(gqlparser.MustLoadSchema(sources...)) {
		t.Error(bare + " has no description")
	}
}

func TestWhatIsNotDescribedIsFound(t *testing.T) {
	got := undescribed(gqlparser.MustLoadSchema(&ast.Source{Input: `
		directive @d("said" x: Int, y: Int) on FIELD_DEFINITION
		type Query { "said" a(b: In, "said" c: Int): E }
		input In { c: Int, "said" d: Int }
		scalar S
		"said" enum E { "said" F G }`}))
	slices.Sort(got)
	if want := []string{"@d", "@d(y)", "E.G", "In", "In.c", "Query", "Query.a(b)", "S"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// undescribed names what a schema says nothing of, beside what GraphQL itself has.
func undescribed(schema *ast.Schema) (bare []string) {
	note := func(name, description string) {
		if strings.TrimSpace(description) == "" {
			bare = append(bare, name)
		}
	}
	arguments := func(of string, all ast.ArgumentDefinitionList) {
		for _, a := range all {
			note(of+"("+a.Name+")", a.Description)
		}
	}
	for name, d := range schema.Directives {
		if !d.Position.Src.BuiltIn {
			note("@"+name, d.Description)
			arguments("@"+name, d.Arguments)
		}
	}
	for name, d := range schema.Types {
		if d.BuiltIn {
			continue
		}
		note(name, d.Description)
		for _, f := range d.Fields {
			if !strings.HasPrefix(f.Name, "__") {
				note(name+"."+f.Name, f.Description)
				arguments(name+"."+f.Name, f.Arguments)
			}
		}
		for _, v := range d.EnumValues {
			note(name+"."+v.Name, v.Description)
		}
	}
	return bare
}
