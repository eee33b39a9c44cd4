package graph

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"occupy/domain"
)

// Each Unmarshal function returns a domain.InputError that has no Argument: only
// who reads the arguments knows the path.

func wrong(wanted string, v any) error {
	return &domain.InputError{Problem: "must be " + wanted + ", not " + shown(v)}
}

// shown is the beginning of a value, as it was sent.
func shown(v any) string {
	const longest = 40
	text, err := json.Marshal(v)
	if err != nil {
		return "that"
	}
	if len(text) > longest {
		return strings.ToValidUTF8(string(text[:longest]), "") + "…"
	}
	return string(text)
}

// MarshalText writes a text. An absent one is null, never empty.
func MarshalText(s string) graphql.Marshaler {
	if s == "" {
		return graphql.Null
	}
	return graphql.MarshalString(s)
}

// UnmarshalText reads a text. A number is none; null is an absent one.
func UnmarshalText(v any) (string, error) {
	s, ok := v.(string)
	if !ok && v != nil {
		return "", wrong("a text", v)
	}
	return s, nil
}

// MarshalID writes an id.
func MarshalID(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalID reads an id, which may have been sent as a whole number.
func UnmarshalID(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	n, err := whole(v)
	if err != nil {
		return "", wrong("an id", v)
	}
	return strconv.FormatInt(n, 10), nil
}

// MarshalBoolean writes true or false.
func MarshalBoolean(b bool) graphql.Marshaler { return graphql.MarshalBoolean(b) }

// UnmarshalBoolean reads true or false. No text or number is either.
func UnmarshalBoolean(v any) (bool, error) {
	b, ok := v.(bool)
	if !ok {
		return false, wrong("true or false", v)
	}
	return b, nil
}

// MarshalInt writes a whole number.
func MarshalInt(n int) graphql.Marshaler { return graphql.MarshalInt(n) }

// UnmarshalInt reads a whole number of 32 bits. A text is none, whatever it says.
func UnmarshalInt(v any) (int, error) {
	n, err := whole(v)
	if err != nil || n < math.MinInt32 || n > math.MaxInt32 {
		return 0, wrong("a whole number of 32 bits", v)
	}
	return int(n), nil
}

// MarshalLong writes a 64-bit number as a string, for JavaScript's have 53 bits.
func MarshalLong(n int64) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		_, _ = io.WriteString(w, `"`+strconv.FormatInt(n, 10)+`"`)
	})
}

// UnmarshalLong reads a whole number of 64 bits from a text or a number.
func UnmarshalLong(v any) (int64, error) {
	number := v
	if s, ok := v.(string); ok {
		number = json.Number(s)
	}
	n, err := whole(number)
	if err != nil {
		return 0, wrong("a whole number of 64 bits", v)
	}
	return n, nil
}

// whole reads a number as gqlgen hands it on: from a literal, or from JSON.
func whole(v any) (int64, error) {
	switch v := v.(type) {
	case int64:
		return v, nil
	case int:
		return int64(v), nil
	case json.Number:
		return strconv.ParseInt(v.String(), 10, 64)
	}
	return 0, strconv.ErrSyntax
}

// MarshalTime writes an instant in UTC. An absent one is null.
func MarshalTime(t time.Time) graphql.Marshaler {
	if t.IsZero() {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) {
		_, _ = io.WriteString(w, t.UTC().Format(`"`+time.RFC3339Nano+`"`))
	})
}

// UnmarshalTime reads an instant.
func UnmarshalTime(v any) (time.Time, error) {
	if s, ok := v.(string); ok {
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, wrong("an RFC 3339 time, such as 2026-11-30T09:00:00Z", v)
}
