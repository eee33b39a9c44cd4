package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/klauspost/compress/gzip"

	"occupy/graph"
)

// bodyTime is how long a client may take to send a request.
const bodyTime = 30 * time.Second

// readRequest reads a request from the body of a POST or the address of a GET. If it
// can not, it answers why, and returns nil.
func (g *Gateway) readRequest(w http.ResponseWriter, r *http.Request) *graphql.RawParams {
	var params *graphql.RawParams
	var err error
	if r.Method == http.MethodPost {
		params, err = g.readBody(w, r)
	} else {
		params, err = queryParams(r.URL)
	}
	var large *http.MaxBytesError
	var partial *partialError
	switch {
	case err == nil:
		params.Headers = r.Header
		return params
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, graph.ErrorCodeLimitExceeded, fmt.Sprintf("the request is larger than %d bytes", large.Limit))
	case errors.Is(err, errCoding):
		w.Header().Set("Accept-Encoding", "gzip")
		refuse(w, http.StatusUnsupportedMediaType, parseFailed, err.Error())
	case errors.As(err, &partial):
		refuse(w, http.StatusBadRequest, parseFailed, "the request was not sent to its end")
	case errors.Is(err, errNoQuery):
		refuse(w, http.StatusBadRequest, parseFailed, "there is no query in the request")
	default:
		refuse(w, http.StatusBadRequest, parseFailed, "the request is not the JSON object of a GraphQL request")
	}
	return nil
}

var (
	errCoding  = errors.New("a request may be sent as it is or in gzip")
	errNoQuery = errors.New("no query")
)

// partialError is what comes of a body that does not come to its end, or is no gzip.
type partialError struct{ error }

// readBody bounds the size, packed and unpacked. It bounds the time for the body only:
// a stream has none, and the server's ReadTimeout would count it.
func (g *Gateway) readBody(w http.ResponseWriter, r *http.Request) (*graphql.RawParams, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	most := int64(g.limits.Body)
	from, err := unpacked(r.Header.Get("Content-Encoding"), http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		return nil, err
	}
	body := bytes.NewBuffer(make([]byte, 0, bytes.MinRead+min(max(r.ContentLength, 0), most)))
	if _, err := body.ReadFrom(io.LimitReader(from, most+1)); err != nil {
		return nil, &partialError{err}
	}
	if int64(body.Len()) > most {
		return nil, &http.MaxBytesError{Limit: most}
	}
	return readParams(body.Bytes())
}

func unpacked(coding string, body io.Reader) (io.Reader, error) {
	switch coding {
	case "", "identity":
		return body, nil
	case "gzip":
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, &partialError{err}
		}
		return unpacked, nil
	}
	return nil, errCoding
}

// Unwrap lets errors.As find out that it was too large.
func (e *partialError) Unwrap() error { return e.error }

// readParams reads a request. Numbers stay as they were written.
func readParams(payload []byte) (*graphql.RawParams, error) {
	var sent struct {
		graphql.RawParams
		DocumentID any `json:"documentId"`
	}
	params := &sent.RawParams
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber()
	if err := decoder.Decode(&sent); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the request")
	}
	if sent.DocumentID != nil {
		if params.Extensions == nil {
			params.Extensions = map[string]any{}
		}
		params.Extensions[documentIDField] = sent.DocumentID
	}
	if params.Query == "" && !namesDocument(params) {
		return nil, errNoQuery
	}
	return params, nil
}

func queryParams(address *url.URL) (*graphql.RawParams, error) {
	q, err := url.ParseQuery(address.RawQuery)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{"query": q.Get("query"), "operationName": q.Get("operationName")}
	if id := q.Get(documentIDField); id != "" {
		fields[documentIDField] = id
	}
	for _, name := range []string{"variables", "extensions"} {
		if text := q.Get(name); text != "" {
			fields[name] = json.RawMessage(text)
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return readParams(text)
}
