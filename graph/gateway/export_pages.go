package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
)

// pages are a list's, asked for one after the other.
type pages struct {
	exporter *exporter
	query    string
	where    json.RawMessage
	present  listPage
}

// listPage is one page of a list.
type listPage struct {
	Nodes    []json.RawMessage
	PageInfo struct {
		HasNextPage bool
		EndCursor   *string
	}
}

// ask asks for the first page.
// Returns the error that GraphQL answers with, or a domain.InputError if where is no
// JSON object.
func (e *exporter) ask(ctx context.Context, what exported, where string) (*pages, error) {
	p := &pages{exporter: e, where: json.RawMessage("null")}
	if where != "" {
		p.where = json.RawMessage(where)
	}
	var object map[string]any
	if json.Unmarshal(p.where, &object) != nil {
		return nil, &domain.InputError{Argument: "where", Problem: "must be a JSON object, such as {\"userId\":{\"eq\":\"kim\"}}"}
	}
	p.query = fmt.Sprintf(`query Export($where: %s, $after: String) {
		page: %s(where: $where, orderBy: {direction: ASC}, first: %d, after: $after) {
			nodes { %s } pageInfo { hasNextPage endCursor } } }`, what.where, what.list, exportPage, strings.Join(what.columns, " "))
	return p, p.fetch(ctx, nil)
}

// next goes on to the next page. Returns false after the last one.
func (p *pages) next(ctx context.Context) (bool, error) {
	if !p.present.PageInfo.HasNextPage {
		return false, nil
	}
	return true, p.fetch(ctx, p.present.PageInfo.EndCursor)
}

// fetch asks as any caller would, without a network in between.
func (p *pages) fetch(ctx context.Context, after *string) error {
	body, err := json.Marshal(map[string]any{"query": p.query, "variables": map[string]any{"where": p.where, "after": after}})
	if err != nil {
		return err
	}
	ctx, done := context.WithCancel(ctx) // every operation's context ends
	defer done()
	request, err := http.NewRequestWithContext(ownDocument(ctx), http.MethodPost, "/graphql", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	answer := &pageAnswer{header: http.Header{}}
	p.exporter.graphql.ServeHTTP(answer, request)
	var response struct {
		Data   struct{ Page *listPage }
		Errors gqlerror.List
	}
	if err := json.Unmarshal(answer.body.Bytes(), &response); err != nil {
		return fmt.Errorf("read a page: %w", err)
	}
	if len(response.Errors) > 0 {
		return response.Errors[0]
	}
	if response.Data.Page == nil {
		return errors.New("read a page: there is none")
	}
	p.present = *response.Data.Page
	return nil
}

// pageAnswer keeps an answer.
type pageAnswer struct {
	header http.Header
	body   bytes.Buffer
}

func (k *pageAnswer) Header() http.Header         { return k.header }
func (k *pageAnswer) WriteHeader(int)             {}
func (k *pageAnswer) Write(b []byte) (int, error) { return k.body.Write(b) }
