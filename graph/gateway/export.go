package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/graph"
	"occupy/resolvers"
)

// An export is a list of GraphQL, page after page, as a file: the same filters, the
// same answers, the same errors. Between two pages nothing is kept but a cursor: no
// transaction, whose snapshot would keep dead rows of the floor's tables from going,
// no connection, and no more memory for a million rows than for a thousand.

// exported is a list that can be had as a file.
type exported struct {
	list, where string // the field of Query, and its input type
	columns     []string
}

var exports = map[string]exported{
	"history": {"history", "HistoryWhere", []string{"timeKey", "at", "itemType", "itemName", "state", "event", "userId", "session",
		"startTime", "expireTime", "uiName", "menuName", "fencingToken", "version", "renewals", "comment", "actor"}},
	"holds": {"holds", "HoldWhere", []string{"itemType", "itemName", "userId", "session", "from", "to", "seconds", "endReason", "endedBy",
		"comment", "uiName", "menuName", "fencingToken", "renewals"}},
}

// exporters are who may take a whole list away.
var exporters = []domain.Role{domain.RoleAnalyst, domain.RoleSupervisor}

// exportPage is how many rows are in memory at once: more are hardly faster.
const exportPage = 250

// exportWrite is how long a client may take to read a page.
const exportWrite = 30 * time.Second

// exporter serves /export/{file}.
type exporter struct {
	gateway *Gateway
	graphql http.Handler
	places  chan struct{} // for exports at once
}

func (g *Gateway) exporter(graphql http.Handler) *exporter {
	return &exporter{gateway: g, graphql: graphql, places: make(chan struct{}, g.limits.Exports)}
}

func (e *exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		refuse(w, http.StatusMethodNotAllowed, graph.ErrorCodeGraphqlParseFailed, "an export is asked for by GET")
		return
	}
	list, format, _ := strings.Cut(r.PathValue("file"), ".")
	what, known := exports[list]
	write := formats[format]
	if !known || write == nil {
		refuse(w, http.StatusNotFound, graph.ErrorCodeGraphqlParseFailed, "there are /export/history and /export/holds, each .csv and .ndjson")
		return
	}
	if err := e.admit(r.Context(), what); err != nil {
		e.refuse(w, r.Context(), err)
		return
	}
	select {
	case e.places <- struct{}{}:
		defer func() { <-e.places }()
		e.export(w, r, what, format)
	default:
		e.gateway.metrics.refuse("exports")
		w.Header().Set("Retry-After", "10")
		refuse(w, http.StatusServiceUnavailable, graph.ErrorCodeUnavailable, "others are exporting: try again later")
	}
}

// admit tells whether the caller may export.
func (e *exporter) admit(ctx context.Context, what exported) error {
	if refused := refusal(ctx); refused != nil {
		return refused
	}
	caller, err := domain.CallerFrom(ctx)
	if err == nil && !caller.Has(exporters...) {
		err = &domain.ForbiddenError{Needs: exporters}
	}
	if err != nil {
		told := resolvers.PresentPlain(ctx, err)
		e.gateway.metrics.access.deny(ctx, told.Extensions["code"].(graph.ErrorCode), "export "+what.list, told.Message)
		return told
	}
	return nil
}

// export sends the file, or an error if there is one before its first page.
func (e *exporter) export(w http.ResponseWriter, r *http.Request, what exported, format string) {
	ctx := r.Context()
	request, err := readExport(r.URL.Query(), format)
	var pages *pages
	if err == nil {
		pages, err = e.ask(ctx, what, request.where)
	}
	if err != nil {
		e.refuse(w, ctx, err)
		return
	}
	w.Header().Set("Content-Type", formats[format].contentType)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", r.PathValue("file")))
	w.Header().Set("Cache-Control", "no-store")
	out := newExportWriter(w, r, formats[format].writer(what.columns, request.bom))
	rows, err := out.writeAll(ctx, pages)
	caller, _ := domain.CallerFrom(ctx)
	slog.InfoContext(ctx, "exported", "user", caller.UserID, "file", r.PathValue("file"), "where", request.where, "rows", rows, "err", err)
	e.gateway.metrics.exported(r.PathValue("file"), rows, err)
	if err != nil {
		panic(http.ErrAbortHandler) // so that the client sees no end, and knows
	}
}

// exportRequest is what the address says.
type exportRequest struct {
	where string // JSON
	bom   bool
}

// readExport reads the parameters. Returns a domain.InputError that names the one that
// is wrong.
func readExport(q url.Values, format string) (exportRequest, error) {
	for name, values := range q {
		if len(values) > 1 || !slices.Contains([]string{"where", "bom"}, name) {
			return exportRequest{}, &domain.InputError{Argument: name, Problem: "is not a parameter, of which there are where and bom, each once"}
		}
	}
	request := exportRequest{where: q.Get("where")}
	switch bom := q.Get("bom"); {
	case bom == "" || bom == "0":
	case bom == "1" && format == "csv":
		request.bom = true
	default:
		return request, &domain.InputError{Argument: "bom", Problem: "must be 0 or, for CSV, 1"}
	}
	return request, nil
}

// refuse answers with an error as GraphQL would have told it.
func (e *exporter) refuse(w http.ResponseWriter, ctx context.Context, err error) {
	var told *gqlerror.Error
	if !errors.As(err, &told) {
		told = resolvers.PresentPlain(ctx, err)
	}
	status, known := statuses[graph.ErrorCode(fmt.Sprint(told.Extensions["code"]))]
	if !known {
		status = http.StatusBadRequest // it is about the request
	}
	e.gateway.challenge(w.Header(), status)
	respond(w, status, gqlerror.List{told})
}
