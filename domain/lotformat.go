package domain

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// LotFormat is the form of a rule's LOT IDs: plain text and parts in braces,
// such as LOT-{date:yyyyMMdd}-{seq:4}. Make one with ParseLotFormat.
//
//	{date:…}   of yyyy, yy, MM, dd and DDD (day of the year), with any text between
//	{seq:n}    the number, at least n digits wide; wider when it needs to be
//	{line}     asked for with each request
//	{product}  asked for with each request
type LotFormat struct {
	parts []lotPart
	width int
}

type lotPart struct {
	kind string // "text", "date", "seq", "line", "product"
	text string // of text; the layout of date
}

// MaxLotFormat and MaxLotPart are the longest format, and line or product.
const (
	MaxLotFormat = 100
	MaxLotPart   = 40
)

// ParseLotFormat reads a format. Returns an error that says what is wrong:
// besides the form, a format whose IDs could be the same on two days, or for
// two numbers, is refused.
func ParseLotFormat(s string) (LotFormat, error) {
	if problem := nameProblem(s, MaxLotFormat); problem != "" {
		return LotFormat{}, errors.New(problem)
	}
	var f LotFormat
	for rest := s; rest != ""; {
		text, after, found := strings.Cut(rest, "{")
		if strings.Contains(text, "}") {
			return f, errors.New("has a } without a {")
		}
		if text != "" {
			f.parts = append(f.parts, lotPart{"text", text})
		}
		if !found {
			break
		}
		part, after, found := strings.Cut(after, "}")
		if !found {
			return f, errors.New("has a { without a }")
		}
		if err := f.add(part); err != nil {
			return f, err
		}
		rest = after
	}
	return f, f.check()
}

func (f *LotFormat) add(part string) error {
	kind, detail, _ := strings.Cut(part, ":")
	switch kind {
	case "date":
		f.parts = append(f.parts, lotPart{kind, detail})
	case "seq":
		width, err := strconv.Atoi(detail)
		if err != nil || width < 1 || width > 18 {
			return errors.New("has a seq whose width is not between 1 and 18")
		}
		if f.width != 0 {
			return errors.New("has more than one seq")
		}
		f.parts, f.width = append(f.parts, lotPart{kind: kind}), width
	case "line", "product":
		f.parts = append(f.parts, lotPart{kind: kind})
	default:
		return fmt.Errorf("has an unknown part {%s}", part)
	}
	return nil
}

func (f *LotFormat) check() error {
	if f.width == 0 {
		return errors.New("has no seq")
	}
	layout := ""
	for i, part := range f.parts {
		if part.kind == "date" {
			layout += part.text
		}
		if part.kind == "seq" && (f.blurs(i-1) || f.blurs(i+1)) {
			return errors.New("has a seq beside a digit, a line or a product: two numbers could read the same")
		}
	}
	_, day := renderDate(layout, time.Time{})
	if !day {
		return errors.New("has no date with year, month and day: two days could have the same IDs")
	}
	return nil
}

// blurs tells whether a part beside the number could be read as digits of it.
// Dates can not: they always have the same width.
func (f *LotFormat) blurs(i int) bool {
	if i < 0 || i >= len(f.parts) {
		return false
	}
	part := f.parts[i]
	return part.kind == "line" || part.kind == "product" ||
		part.kind == "text" && strings.Trim(part.text, "0123456789") != part.text
}

// Needs tells whether the format has a part, "line" or "product".
func (f LotFormat) Needs(kind string) bool {
	for _, part := range f.parts {
		if part.kind == kind {
			return true
		}
	}
	return false
}

// Largest is the largest number that fits the width.
func (f LotFormat) Largest() int64 {
	largest := int64(1)
	for range f.width {
		largest *= 10
	}
	return largest - 1
}

// Render makes the ID of a number of a day.
func (f LotFormat) Render(day time.Time, seq int64, line, product string) string {
	var b strings.Builder
	for _, part := range f.parts {
		switch part.kind {
		case "text":
			b.WriteString(part.text)
		case "date":
			text, _ := renderDate(part.text, day)
			b.WriteString(text)
		case "seq":
			fmt.Fprintf(&b, "%0*d", f.width, seq)
		case "line":
			b.WriteString(line)
		case "product":
			b.WriteString(product)
		}
	}
	return b.String()
}

// renderDate writes a day by a layout, and tells whether the layout has all
// that names a day.
func renderDate(layout string, day time.Time) (text string, complete bool) {
	var b strings.Builder
	has := map[string]bool{}
	for rest := layout; rest != ""; {
		token, value := dateToken(rest, day)
		has[token] = true
		b.WriteString(value)
		rest = rest[len(token):]
	}
	return b.String(), (has["yyyy"] || has["yy"]) && (has["DDD"] || has["MM"] && has["dd"])
}

// dateToken is the first token of a layout, and its value; what is none is a
// byte of text.
func dateToken(layout string, day time.Time) (token, value string) {
	for _, t := range []struct{ token, layout string }{
		{"yyyy", "2006"}, {"yy", "06"}, {"MM", "01"}, {"dd", "02"}, {"DDD", "002"},
	} {
		if strings.HasPrefix(layout, t.token) {
			return t.token, day.Format(t.layout)
		}
	}
	return layout[:1], layout[:1]
}
