package main

import (
	"os"
	"strings"
	"testing"
)

func TestTheSettingsPageIsFresh(t *testing.T) {
	var fresh strings.Builder
	writeSettingsPage(&fresh)
	if page, err := os.ReadFile("docs/settings.md"); err != nil || string(page) != fresh.String() {
		t.Errorf("docs/settings.md is not what config.go says: run make generate (%v)", err)
	}
}

// The README has the few settings that everybody meets, and has them right.
func TestSettingsInTheReadmeExist(t *testing.T) {
	known := map[string]setting{}
	for _, s := range settings() {
		known[s.name] = s
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		defaults := strings.Split(cells[2], ",")
		for i, name := range strings.Split(cells[1], ",") {
			rows++
			s, exists := known[strings.Trim(name, " `")]
			if !exists {
				t.Errorf("there is no setting %s", name)
			} else if d := defaults[min(i, len(defaults)-1)]; strings.Contains(d, "`") && strings.Trim(d, " `") != s.fallback {
				t.Errorf("the default of %s is %s, not %s", name, s.fallback, d)
			}
		}
	}
	if rows < 5 {
		t.Errorf("%d settings found", rows)
	}
}

func TestEverySettingIsExplained(t *testing.T) {
	for _, s := range settings() {
		if s.help == "" {
			t.Errorf("%s has no help", s.name)
		}
	}
}
