package identity

import (
	"slices"
	"strings"
)

// find is a claim, by its name or by a path with dots. Names may have dots, too, such as
// https://example.com/roles. Returns nil if there is none.
func find(claims map[string]any, path string) any {
	if v, has := claims[path]; has {
		return v
	}
	for i := range path {
		if path[i] != '.' {
			continue
		}
		if inner, is := claims[path[:i]].(map[string]any); is {
			if v := find(inner, path[i+1:]); v != nil {
				return v
			}
		}
	}
	return nil
}

// names are those of a list, or of a text with spaces or commas between them.
func names(claim any) (all []string) {
	switch c := claim.(type) {
	case string:
		return strings.FieldsFunc(c, func(r rune) bool { return r == ' ' || r == ',' })
	case []any:
		for _, v := range c {
			if name, is := v.(string); is {
				all = append(all, name)
			}
		}
	}
	return all
}

// mapped are those of the names that a map knows, in any case, as it calls them.
func mapped(foreign []string, known map[string]string) (ours []string) {
	for theirs, name := range known {
		if slices.ContainsFunc(foreign, func(f string) bool { return strings.EqualFold(f, theirs) }) {
			ours = append(ours, name)
		}
	}
	slices.Sort(ours)
	return slices.Compact(ours)
}
