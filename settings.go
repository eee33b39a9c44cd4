package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// setting is one environment variable.
type setting struct {
	name, fallback, help string
	hasFallback          bool
}

// settings are all of them, in the order of Config.
func settings() (all []setting) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if name := field.Tag.Get("env"); name != "" {
			fallback, has := field.Tag.Lookup("envDefault")
			all = append(all, setting{name, fallback, field.Tag.Get("help"), has})
		}
	}
	return all
}

// printSettings lists them for a reader of -h.
func printSettings(w io.Writer) {
	for _, s := range settings() {
		name := s.name
		if s.hasFallback {
			name += "=" + s.fallback
		}
		fmt.Fprintf(w, "  %s\n        %s\n", name, s.help)
	}
}

const settingsPage = `# Settings

Environment variables, all of them. A wrong one stops the start with its name. This page is written by
` + "`make generate`" + ` from config.go.

| variable | default | meaning |
|---|---|---|
`

// writeSettingsPage writes docs/settings.md.
func writeSettingsPage(w io.Writer) {
	fmt.Fprint(w, settingsPage)
	for _, s := range settings() {
		fallback := "–"
		if s.fallback != "" {
			fallback = "`" + s.fallback + "`"
		}
		fmt.Fprintf(w, "| `%s` | %s | %s |\n", s.name, fallback, strings.ReplaceAll(s.help, "|", `\|`))
	}
}
