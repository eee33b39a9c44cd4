package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"occupy/persistence/postgres"
	"occupy/persistence/story"
)

var rewrite = flag.Bool("rewrite", false, "write the answers into docs/analysts.md")

// plant2025 is the past that docs/analysts.md asks about.
var plant2025 = story.Plant{Seed: 2025, Rows: 30_000,
	From: time.Date(2025, 3, 2, 21, 0, 0, 0, time.UTC), To: time.Date(2025, 5, 31, 21, 0, 0, 0, time.UTC)}

// newPlant is a server with that past.
func newPlant(t *testing.T) *server {
	t.Helper()
	url, err := stack.NewDatabase(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := postgres.EnsurePartitions(t.Context(), pool, plant2025.From, 0); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := story.Write(t.Context(), conn, plant2025); err != nil {
		t.Fatal(err)
	}
	return newServerOn(t, url, "OCCUPY_DENIAL_RETENTION=0")
}

// asked finds the questions of the page: a heading, the query, the answer.
var asked = regexp.MustCompile("(?s)\n## (\\d+)\\. ([^\n]+)\n(?:[^#`]|`[^`])*?\n```graphql\n(.*?)\n```\n\n```json\n(.*?)\n```\n")

// TestTheQuestionsOfAnalysts asks every question of docs/analysts.md, and gets the answer
// that stands there.
func TestTheQuestionsOfAnalysts(t *testing.T) {
	const file = "docs/analysts.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	ann := newPlant(t).as("ann").with("ANALYST")
	questions := asked.FindAllStringSubmatch(page, -1)
	if len(questions) != 20 || strings.Count(page, "```graphql") != 20 {
		t.Fatalf("%d questions are found of %d", len(questions), strings.Count(page, "```graphql"))
	}
	for i, q := range questions {
		if q[1] != fmt.Sprint(i+1) {
			t.Errorf("question %s comes as number %d", q[1], i+1)
		}
		got := laid(rounded(map[string]any(ann.must(q[3]))), "")
		switch {
		case strings.Contains(got, "[]") || got == `{"holderAt":null}`:
			t.Errorf("%s. %s: nothing is found: %s", q[1], q[2], got)
		case *rewrite:
			page = strings.Replace(page, q[0], strings.Replace(q[0], "```json\n"+q[4]+"\n```", "```json\n"+got+"\n```", 1), 1)
		case got != q[4]:
			t.Errorf("%s. %s\n got %s\nwant %s", q[1], q[2], got, q[4])
		}
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// rounded has three places after the point: sums of many differ in the last ones by the
// order in which they are added.
func rounded(v any) any {
	switch v := v.(type) {
	case float64:
		return math.Round(v*1000) / 1000
	case map[string]any:
		for key := range v {
			v[key] = rounded(v[key])
		}
	case []any:
		for i := range v {
			v[i] = rounded(v[i])
		}
	}
	return v
}

// laid is JSON in lines that can be read: what fits in one is in one, and each row.
func laid(v any, indent string) string {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	text := strings.TrimSpace(line.String())
	if len(indent)+len(text) <= 120 || strings.Count(text, "{") == 1 && !strings.Contains(text, "[") {
		return text
	}
	var parts []string
	brackets := "[]"
	switch v := v.(type) {
	case map[string]any:
		brackets = "{}"
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, fmt.Sprintf("%s  %q: %s", indent, key, laid(v[key], indent+"  ")))
		}
	case []any:
		for _, inner := range v {
			parts = append(parts, indent+"  "+laid(inner, indent+"  "))
		}
	default:
		return text
	}
	return brackets[:1] + "\n" + strings.Join(parts, ",\n") + "\n" + indent + brackets[1:]
}
