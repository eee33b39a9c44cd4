package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// format is how rows are written.
type format struct {
	contentType string
	writer      func(columns []string, bom bool) rowWriter
}

var formats = map[string]*format{
	"csv": {"text/csv; charset=utf-8", func(columns []string, bom bool) rowWriter {
		return &csvRows{columns: columns, bom: bom, cells: make([]string, len(columns))}
	}},
	"ndjson": {"application/x-ndjson", func([]string, bool) rowWriter { return jsonRows{} }},
}

// rowWriter writes a file.
type rowWriter interface {
	// begin writes what comes before the rows.
	begin(w io.Writer) error
	// page writes rows, each a JSON object.
	page(w io.Writer, rows []json.RawMessage) error
	// brokenOff writes that there would be more.
	brokenOff(w io.Writer, rows int) error
}

// csvRows writes CSV as spreadsheets read it.
type csvRows struct {
	columns []string
	bom     bool
	cells   []string
}

func (c *csvRows) begin(w io.Writer) error {
	if c.bom {
		if _, err := io.WriteString(w, "\ufeff"); err != nil {
			return err
		}
	}
	return c.write(w, func(out *csv.Writer) error { return out.Write(c.columns) })
}

func (c *csvRows) page(w io.Writer, rows []json.RawMessage) error {
	return c.write(w, func(out *csv.Writer) error {
		for _, row := range rows {
			var fields map[string]any
			decoder := json.NewDecoder(bytes.NewReader(row))
			decoder.UseNumber()
			if err := decoder.Decode(&fields); err != nil {
				return err
			}
			for i, column := range c.columns {
				c.cells[i] = cell(fields[column])
			}
			if err := out.Write(c.cells); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *csvRows) brokenOff(w io.Writer, rows int) error {
	return c.write(w, func(out *csv.Writer) error { return out.Write([]string{brokenText(rows)}) })
}

func (c *csvRows) write(w io.Writer, rows func(*csv.Writer) error) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := rows(out); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func brokenText(rows int) string {
	return fmt.Sprintf("BROKEN OFF after %d rows: this file is not whole, export it again", rows)
}

// cell is a value as a spreadsheet is to see it. A text that it would take for a
// formula, and carry out, gets an apostrophe in front.
func cell(v any) string {
	text := ""
	if v != nil {
		text = fmt.Sprint(v)
	}
	if _, isText := v.(string); isText && text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(text)[0]) {
		return "'" + text
	}
	return text
}

// jsonRows writes a JSON object a line, as GraphQL answers it.
type jsonRows struct{}

func (jsonRows) begin(io.Writer) error { return nil }

func (jsonRows) page(w io.Writer, rows []json.RawMessage) error {
	for _, row := range rows {
		if _, err := w.Write(append(row, '\n')); err != nil {
			return err
		}
	}
	return nil
}

func (jsonRows) brokenOff(w io.Writer, rows int) error {
	line, _ := json.Marshal(map[string]string{"error": brokenText(rows)})
	_, err := w.Write(append(line, '\n'))
	return err
}

// exportWriter sends a file to a client, zipped if they take that.
type exportWriter struct {
	client *http.ResponseController
	out    io.Writer
	flush  func() error
	end    func() error
	rows   rowWriter
}

func newExportWriter(w http.ResponseWriter, r *http.Request, rows rowWriter) *exportWriter {
	e := &exportWriter{client: http.NewResponseController(w), out: w, rows: rows, end: func() error { return nil }}
	e.flush = e.client.Flush
	w.Header().Add("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		zip, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // a level that there is
		e.out, e.end = zip, zip.Close
		e.flush = func() error {
			if err := zip.Flush(); err != nil {
				return err
			}
			return e.client.Flush()
		}
	}
	return e
}

// writeAll writes page after page. If that fails in the middle, the file says so in
// its last line, as far as it can still be written, and has no end.
func (e *exportWriter) writeAll(ctx context.Context, p *pages) (rows int, err error) {
	if err := e.rows.begin(e.out); err != nil {
		return 0, err
	}
	for more := true; more; {
		// Not every writer knows deadlines; a server's does.
		_ = e.client.SetWriteDeadline(time.Now().Add(exportWrite))
		if err := e.rows.page(e.out, p.present.Nodes); err != nil {
			return rows, err
		}
		rows += len(p.present.Nodes)
		if err := e.flush(); err != nil {
			return rows, err
		}
		if more, err = p.next(ctx); err != nil {
			_ = e.rows.brokenOff(e.out, rows)
			_ = e.flush()
			return rows, err
		}
	}
	return rows, e.end()
}
