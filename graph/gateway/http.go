package gateway

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/klauspost/compress/gzhttp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/graph"
)

// The media types of a response. In the older one, what is wrong with the document
// of a request is told with 200.
const (
	mediaJSON    = "application/json"
	mediaGraphQL = "application/graphql-response+json"
)

// overHTTP is the transport of the GraphQL-over-HTTP standard: one request, one response.
type overHTTP struct {
	gateway *Gateway
	pack    func(http.Handler) http.HandlerFunc
}

func newOverHTTP(g *Gateway) overHTTP {
	wrapper, err := gzhttp.NewWrapper(gzhttp.MinSize(minPacked), gzhttp.ContentTypes([]string{mediaJSON, mediaGraphQL}))
	if err != nil {
		panic(err) // it is about the options only
	}
	return overHTTP{g, wrapper}
}

// minPacked is the size from which on it is worth while to compress.
const minPacked = 2048

// Supports tells whether a request is GraphQL. Nothing else is taken: what has another
// type could come from a form of a foreign page.
func (overHTTP) Supports(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodPost && sendsJSON(r)
}

func sendsJSON(r *http.Request) bool {
	sent := r.Header.Get("Content-Type")
	if sent == mediaJSON {
		return true
	}
	media, parameters, err := mime.ParseMediaType(sent)
	charset := parameters["charset"]
	return err == nil && media == mediaJSON && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// Do answers a request.
func (t overHTTP) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	media := negotiate(r.Header.Get("Accept"))
	if media == "" {
		refuse(w, http.StatusNotAcceptable, parseFailed, "a response is "+mediaGraphQL+", "+mediaJSON+" or text/event-stream")
		return
	}
	params := t.gateway.readRequest(w, r)
	if params == nil {
		return
	}
	ctx := r.Context()
	operation, wrong := exec.CreateOperationContext(ctx, params)
	if wrong != nil {
		t.answer(w, r, media, exec.DispatchError(graphql.WithOperationContext(ctx, operation), wrong))
		return
	}
	if r.Method == http.MethodGet && operation.Operation.Operation == ast.Mutation {
		w.Header().Set("Allow", http.MethodPost)
		respond(w, http.StatusMethodNotAllowed, gqlerror.List{t.gateway.metrics.countError(invalid("GET is for what changes nothing"))})
		return
	}
	responses, ctx := exec.DispatchOperation(ctx, operation)
	if response := responses(ctx); response != nil { // nil: the client has left
		t.answer(w, r, media, response)
	}
}

func (t overHTTP) answer(w http.ResponseWriter, r *http.Request, media string, response *graphql.Response) {
	body := encode(response)
	status := statusFor(response, media)
	h := w.Header()
	h.Set("Content-Type", media+"; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	t.gateway.challenge(h, status)
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		h.Set("Retry-After", retryAfter(response.Errors))
	}
	if len(body) < minPacked {
		w.WriteHeader(status)
		_, _ = w.Write(body)
		return
	}
	t.pack(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write(body)
	})).ServeHTTP(w, r)
}

// retryAfter is what an error says, else a moment.
func retryAfter(errors gqlerror.List) string {
	for _, err := range errors {
		if seconds, is := err.Extensions[retryExtension].(int); is {
			return strconv.Itoa(seconds)
		}
	}
	return "1"
}

const retryExtension = "retryAfterSeconds"

// statusFor is 200 if something was carried out, however that ended.
func statusFor(response *graphql.Response, media string) int {
	if response.Data != nil || len(response.Errors) == 0 {
		return http.StatusOK
	}
	status, has := statuses[graph.ErrorCode(fmt.Sprint(response.Errors[0].Extensions["code"]))]
	switch {
	case has:
		return status
	case media == mediaJSON:
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// statuses are those of what is not about the document of a request.
var statuses = map[graph.ErrorCode]int{
	graph.ErrorCodeUnauthenticated: http.StatusUnauthorized,
	graph.ErrorCodeForbidden:       http.StatusForbidden,
	graph.ErrorCodeUnavailable:     http.StatusServiceUnavailable,
	graph.ErrorCodeRateLimited:     http.StatusTooManyRequests,
	graph.ErrorCodeInternal:        http.StatusInternalServerError,
}

// negotiate picks the media type of a response; "" if none is acceptable.
func negotiate(accept string) string {
	switch accept {
	case "", "*/*", mediaJSON:
		return mediaJSON
	case mediaGraphQL:
		return mediaGraphQL
	}
	picked, best := "", 0.0
	for part := range strings.SplitSeq(accept, ",") {
		media, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		quality, err := strconv.ParseFloat(parameters["q"], 64)
		if err != nil {
			quality = 1
		}
		switch media {
		case "*/*", "application/*":
			media = mediaJSON
		case mediaJSON, mediaGraphQL:
		default:
			continue
		}
		if quality > best {
			picked, best = media, quality
		}
	}
	return picked
}

// refuse answers what is no GraphQL request in GraphQL's form.
func refuse(w http.ResponseWriter, status int, code graph.ErrorCode, message string) {
	respond(w, status, gqlerror.List{{Message: message, Extensions: map[string]any{"code": code}}})
}

const parseFailed = graph.ErrorCodeGraphqlParseFailed

// respond answers that nothing was carried out.
func respond(w http.ResponseWriter, status int, errors gqlerror.List) {
	w.Header().Set("Content-Type", mediaJSON+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(encode(&graphql.Response{Errors: errors}))
}
