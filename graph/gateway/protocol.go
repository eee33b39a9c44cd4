package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/graph"
)

// said is a client's message of graphql-transport-ws.
type said struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// hear acts on a message. Returns a close code if the client broke the protocol.
func (s *socket) hear(kind websocket.MessageType, data []byte) (code websocket.StatusCode, reason string) {
	var m said
	if err := json.Unmarshal(data, &m); err != nil || kind != websocket.MessageText {
		return badRequest, "that is no message of graphql-transport-ws"
	}
	switch m.Type {
	case "connection_init":
		return s.init(m.Payload)
	case "ping":
		return s.ping(m.Payload)
	case "pong":
	case "subscribe":
		return s.subscribe(m)
	case "complete":
		return s.complete(m.ID)
	default:
		return badRequest, "there is no such type of message"
	}
	return 0, ""
}

func pong(payload json.RawMessage) message {
	if payload == nil {
		return text(`{"type":"pong"}`)
	}
	return text(`{"type":"pong","payload":` + string(payload) + `}`)
}

// ping answers, unless the payload is a fresh token, which is not for repeating.
func (s *socket) ping(payload json.RawMessage) (code websocket.StatusCode, reason string) {
	var fields map[string]any
	_ = json.Unmarshal(payload, &fields)
	if _, sent := ofFields(fields, nothing)(tokenHeader); !sent || s.gateway.tokens == nil {
		s.out.put(pong(payload))
		return 0, ""
	}
	if code, reason = s.refresh(fields); code == 0 {
		s.out.put(pong(nil))
	}
	return code, reason
}

func nothing(string) (string, bool) { return "", false }

// refresh takes a fresh token, which goes on where the first one ends. It has to be of the
// same caller, with no role less: what was begun was allowed to them.
func (s *socket) refresh(fields map[string]any) (code websocket.StatusCode, reason string) {
	s.mu.Lock()
	ready, now := s.ready, s.ctx
	s.mu.Unlock()
	if !ready {
		return unauthorized, "there was no connection_init"
	}
	caller, _ := domain.CallerFrom(now)
	ctx := s.gateway.withCaller(context.WithoutCancel(now), ofFields(fields, func(name string) (string, bool) {
		return caller.UserID, name == behalfHeader && caller.Service != ""
	}))
	fresh, _ := domain.CallerFrom(ctx)
	switch refused := refusal(ctx); {
	case refused != nil:
		s.gateway.metrics.refuse("credentials")
		return forbidden, refused.Message
	case fresh.UserID != caller.UserID || fresh.Service != caller.Service || !hasAll(fresh, caller.Roles):
		s.gateway.metrics.refuse("credentials")
		s.gateway.metrics.access.deny(now, graph.ErrorCodeUnauthenticated, atCredentials, "a fresh token of "+fresh.Actor(), "from", addressOf(now))
		return forbidden, "a fresh token has to be of the same user, with no role less"
	}
	s.lastsUntil(untilOf(ctx))
	return 0, ""
}

func hasAll(c domain.Caller, roles []domain.Role) bool {
	return !slices.ContainsFunc(roles, func(r domain.Role) bool { return !c.Has(r) })
}

// init finds out who asks, from the payload or else the headers of the upgrade.
func (s *socket) init(payload json.RawMessage) (code websocket.StatusCode, reason string) {
	var fields map[string]any
	if payload != nil && json.Unmarshal(payload, &fields) != nil {
		return badRequest, "the payload of connection_init is no object"
	}
	s.mu.Lock()
	twice, header := s.ready, s.header
	s.mu.Unlock()
	if twice {
		return initTwice, "there was a connection_init before"
	}
	ctx := s.gateway.withCaller(s.ctx, ofFields(fields, ofHeader(header)))
	if refused := refusal(ctx); refused != nil {
		s.gateway.metrics.refuse("credentials")
		return forbidden, refused.Message
	}
	s.lastsUntil(untilOf(ctx))
	caller, _ := domain.CallerFrom(ctx)
	if limited := s.gateway.presentRate(s.gateway.budgets.connections.spendUsers(ctx, 1)); limited != nil {
		return websocket.StatusTryAgainLater, limited.Message
	}
	if err := s.gateway.connections.claim(caller.UserID); err != nil {
		s.gateway.metrics.refuse("user")
		return websocket.StatusTryAgainLater, err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx, s.user, s.ready, s.header = ctx, caller.UserID, true, nil
	s.out.put(text(`{"type":"connection_ack"}`))
	return 0, ""
}

// subscribe begins an operation, on a goroutine that ends as soon as it can.
func (s *socket) subscribe(m said) (code websocket.StatusCode, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	params, err := readParams(m.Payload)
	id, _ := json.Marshal(m.ID)
	_, live := s.operations[string(id)]
	switch {
	case s.closing:
		return 0, ""
	case !s.ready:
		return unauthorized, "there was no connection_init"
	case err != nil || m.ID == "":
		return badRequest, "that is no subscribe with an id and a query"
	case live:
		return idInUse, "there is a subscriber " + m.ID
	case s.isOver(time.Now()):
		s.gateway.metrics.access.deny(s.ctx, graph.ErrorCodeUnauthenticated, atCredentials, tokenExpired)
		s.out.put(refused(id, graph.ErrorCodeUnauthenticated, tokenExpired))
		return 0, ""
	case len(s.operations) >= s.gateway.limits.Operations:
		s.gateway.metrics.refuse("operations")
		s.out.put(refused(id, graph.ErrorCodeUnavailable, "this connection carries as many operations as it may"))
		return 0, ""
	}
	if s.operations == nil {
		s.operations = make(map[string]*operation, 1)
	}
	o := begin(s.ctx, id, &s.out, s)
	s.operations[string(id)] = o
	go s.gateway.perform(s.exec, o, params)
	return 0, ""
}

func refused(id []byte, code graph.ErrorCode, why string) message {
	errors, _ := json.Marshal(gqlerror.List{{Message: why, Extensions: map[string]any{"code": code}}})
	return message{&operation{id: id}, failed, errors}
}

// complete ends an operation whose client has done with it. One that has ended by
// itself meanwhile is no fault.
func (s *socket) complete(id string) (code websocket.StatusCode, reason string) {
	if id == "" {
		return badRequest, "that is no complete with an id"
	}
	key, _ := json.Marshal(id)
	s.mu.Lock()
	o := s.operations[string(key)]
	s.mu.Unlock()
	if o != nil && s.forget(o) {
		o.abandon(domain.ErrCompleted)
	}
	return 0, ""
}

func (s *socket) forget(o *operation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	live := s.operations[string(o.id)] == o
	if live {
		delete(s.operations, string(o.id))
	}
	return live
}
