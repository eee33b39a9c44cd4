package main

import (
	"net/http"
	"strings"
	"testing"
)

// wantCode fails unless there is one error with that code, and gives it.
func wantCode(t *testing.T, a answer, code string) object {
	t.Helper()
	if len(a.Errors) == 0 || a.Errors[0].Extensions["code"] != code {
		t.Fatalf("%+v, want %s", a, code)
	}
	return a.Errors[0].Extensions
}

// wantBadInput fails unless the argument is named, in the message too.
func wantBadInput(t *testing.T, a answer, argument string) {
	t.Helper()
	extensions := wantCode(t, a, "BAD_USER_INPUT")
	if extensions["argument"] != argument || !strings.HasPrefix(a.Errors[0].Message, argument+" ") {
		t.Errorf("%+v, want the argument %s", a.Errors, argument)
	}
}

// wantNothingChanged fails if an item, other than the sweeper's lock, was ever changed.
func wantNothingChanged(t *testing.T, s *server) {
	t.Helper()
	var rows int
	err := s.pool().QueryRow(t.Context(), `SELECT count(*) FROM ct_occupy_item_history WHERE item_type <> 'SLOT'`).Scan(&rows)
	if err != nil || rows != 0 {
		t.Errorf("%d history rows, want none; %v", rows, err)
	}
}

func long(n int) string { return strings.Repeat("가", n) }

func TestBadInputOfCommands(t *testing.T) {
	s := newServer(t)
	for _, c := range []struct {
		command  string
		input    object
		argument string
	}{
		{"occupy", object{"itemType": " ", "itemName": "x"}, "input.itemType"},
		{"occupy", object{"itemType": long(41), "itemName": "x"}, "input.itemType"},
		{"occupy", object{"itemType": "LOT"}, "input.itemName"},
		{"occupy", object{"itemType": "LOT", "itemName": nil}, "input.itemName"},
		{"occupy", lot(" \t"), "input.itemName"},
		{"occupy", lot(long(201)), "input.itemName"},
		{"occupy", lot("a\x00b"), "input.itemName"},
		{"occupy", lot("a\u0007b"), "input.itemName"},
		{"occupy", lot("a\u200bb"), "input.itemName"},
		{"occupy", lot("a\u2028b"), "input.itemName"},
		{"occupy", lot("a\ue000b"), "input.itemName"},
		{"occupy", object{"itemType": "LOT", "itemName": 5}, "input.itemName"},
		{"occupy", lot("x", "ttlSeconds", 0), "input.ttlSeconds"},
		{"occupy", lot("x", "ttlSeconds", -1), "input.ttlSeconds"},
		{"occupy", lot("x", "ttlSeconds", 2147483647), "input.ttlSeconds"},
		{"occupy", lot("x", "ttlSeconds", 28801), "input.ttlSeconds"},
		{"occupy", lot("x", "ttlSeconds", 1.5), "input.ttlSeconds"},
		{"occupy", lot("x", "ttlSeconds", 1e12), "input.ttlSeconds"},
		{"occupy", lot("x", "ttlSeconds", 1e30), "input.ttlSeconds"},
		{"occupy", lot("x", "ttlSeconds", "5"), "input.ttlSeconds"},
		{"occupy", lot("x", "ttlSeconds", true), "input.ttlSeconds"},
		{"occupy", lot("x", "uiName", "a\x00"), "input.uiName"},
		{"occupy", lot("x", "uiName", long(41)), "input.uiName"},
		{"occupy", lot("x", "menuName", "a\u200d"), "input.menuName"},
		{"occupy", lot("x", "menuName", long(81)), "input.menuName"},
		{"occupy", lot("x", "session", "a\nb"), "input.session"},
		{"occupy", lot("x", "session", long(101)), "input.session"},
		{"occupy", lot("x", "takeOver", "yes"), "input.takeOver"},
		{"occupy", lot("x", "userId", "lee"), "input.userId"},
		{"occupyAll", object{"items": []object{}}, "input.items"},
		{"occupyAll", object{"items": make([]object, 1001)}, "input.items"},
		{"occupyAll", object{"items": []object{lot("x"), lot("")}}, "input.items.1.itemName"},
		{"occupyAll", object{"items": []object{lot("x"), {"itemType": "LOT"}}}, "input.items.1.itemName"},
		{"renew", lot("x", "ttlSeconds", 0), "input.ttlSeconds"},
		{"renew", lot("x", "fencingToken", "1.5"), "input.fencingToken"},
		{"renew", lot("x", "fencingToken", 1.5), "input.fencingToken"},
		{"free", lot("x", "fencingToken", "99999999999999999999"), "input.fencingToken"},
		{"free", lot("x", "how", "BORED"), "input.how"},
		{"free", lot("x", "how", "ok"), "input.how"},
		{"freeAll", object{"itemTypes": []string{"LOT", ""}}, "input.itemTypes.1"},
		{"forceFree", lot("x", "reason", " ", "fencingToken", 1), "input.reason"},
		{"forceFree", lot("x", "reason", "a\u202eb", "fencingToken", 1), "input.reason"},
		{"forceFree", lot("x", "reason", long(401), "fencingToken", 1), "input.reason"},
		{"transfer", lot("x", "toUserId", ""), "input.toUserId"},
		{"transfer", lot("x", "toUserId", "lee", "toSession", "\u0000"), "input.toSession"},
	} {
		if c.argument == "input.items" && len(c.input["items"].([]object)) > 0 {
			for i := range c.input["items"].([]object) {
				c.input["items"].([]object)[i] = lot("x")
			}
		}
		t.Run(c.command+" "+c.argument, func(t *testing.T) {
			wantBadInput(t, s.as("kim").ask(mutation(c.command), object{"input": c.input}), c.argument)
		})
	}
	wantNothingChanged(t, s)
}

func TestBadInputInTheQueryItself(t *testing.T) {
	s := newServer(t)
	for query, argument := range map[string]string{
		`mutation { occupy(input: {itemType: "LOT", itemName: "x", ttlSeconds: 1.5}) { ok } }`:                    "input.ttlSeconds",
		`mutation { occupy(input: {itemType: "LOT", itemName: "x", ttlSeconds: 3000000000}) { ok } }`:             "input.ttlSeconds",
		`mutation { occupy(input: {itemType: "LOT", itemName: "x", ttlSeconds: "5"}) { ok } }`:                    "input.ttlSeconds",
		`mutation { occupy(input: {itemType: "LOT", itemName: 5}) { ok } }`:                                       "input.itemName",
		`mutation { occupy(input: {itemType: "LOT", itemName: null}) { ok } }`:                                    "input.itemName",
		`mutation { occupy(input: {itemType: "LOT"}) { ok } }`:                                                    "input.itemName",
		`mutation { occupy(input: {itemType: "LOT", itemName: "x", user: "lee"}) { ok } }`:                        "input.user",
		`mutation { occupyAll(input: {items: [{itemType: "LOT", itemName: "x"}, {itemType: "LOT"}]}) { ok } }`:    "input.items.1.itemName",
		`mutation { free(input: {itemType: "LOT", itemName: "x", how: BORED}) { ok } }`:                           "input.how",
		`mutation { free(input: {itemType: "LOT", itemName: "x", fencingToken: "?"}) { ok } }`:                    "input.fencingToken",
		`{ ...f } fragment f on Query { ... { a: history(where: {event: {in: [FREED, NOPE]}}) { totalCount } } }`: "where.event.in.1",
		`{ history(where: {at: {gte: "yesterday"}}) { totalCount } }`:                                             "where.at.gte",
		`{ history(where: {at: {gte: "2026-12-01T00:00:00Z", lt: "2026-11-01T00:00:00Z"}}) { totalCount } }`:      "where.at",
		`{ history(orderBy: {direction: UP}) { totalCount } }`:                                                    "orderBy.direction",
		`{ history(orderBy: [{field: USER}, {field: USER}]) { totalCount } }`:                                     "orderBy.1.field",
		`{ history(where: {itemType: {eq: "LOT"}}) { nodes { id } } }`:                                            "where",
		`{ history { totalCount } }`: "where",
		`{ history(where: {at: {gte: "2020-01-01T00:00:00Z"}}) { totalCount } }`:                                    "where.at",
		`{ history(where: {or: [{userId: {eq: "kim"}}, {not: {userId: {contains: "\u0000"}}}]}) { nodes { id } } }`: "where.or.1.not.userId.contains",
		`{ history(first: 1, last: 1) { totalCount } }`:                                                             "last",
		`{ history(first: -1) { totalCount } }`:                                                                     "first",
		`{ occupancies(last: 1001) { totalCount } }`:                                                                "last",
		`{ occupancies(after: "broken") { totalCount } }`:                                                           "after",
		`{ occupancies(before: "WyJUSU1FIl0") { totalCount } }`:                                                     "before",
		`{ occupancies(where: {userId: {eq: "\u0000"}}) { totalCount } }`:                                           "where.userId.eq",
		`{ occupancy(itemType: "LOT", itemName: "") { id } }`:                                                       "itemName",
		`{ holderAt(itemType: "LOT", itemName: "x", at: "9999-99-99T00:00:00Z") { userId } }`:                       "at",
		`{ verifyHolder(itemType: "LOT", itemName: "x", userId: " ") { ok } }`:                                      "userId",
		`{ node(id: "x") { id } }`:                                                                                  "id",
	} {
		t.Run(argument, func(t *testing.T) { wantBadInput(t, s.as("kim").ask(query), argument) })
	}
	wantNothingChanged(t, s)
}

func TestBadInputInVariablesNamesTheArgument(t *testing.T) {
	s := newServer(t)
	for _, c := range []struct {
		query, argument string
		value           any
	}{
		{`query($v: Int) { occupancies(first: $v) { totalCount } }`, "first", 1.5},
		{`query($v: Int) { occupancies(first: $v) { totalCount } }`, "first", "5"},
		{`query($v: Int) { occupancies(first: $v) { totalCount } }`, "first", 1e12},
		{`query($v: State!) { occupancies(where: {state: {in: [$v]}}) { totalCount } }`, "where.state.in.0", "GONE"},
		{`query($v: OccupancyWhere) { occupancies(where: $v) { totalCount } }`, "where.state.eq", object{"state": object{"eq": "free"}}},
		{`query($v: TimeFilter) { history(where: {at: $v}) { totalCount } }`, "where.at.lt", object{"lt": 5}},
		{`query($v: [HistoryOrder!]) { ...f } fragment f on Query { history(orderBy: $v) { totalCount } }`, "orderBy.0.field", []object{{"field": "SIZE"}}},
		{`query($v: [String!]) { occupancies(where: {itemName: {in: $v}}) { totalCount } }`, "where.itemName.in", make([]string, 1001)},
		{`query($v: String!) { occupancy(itemType: "LOT", itemName: $v) { id } }`, "itemName", nil},
	} {
		t.Run(c.argument, func(t *testing.T) {
			wantBadInput(t, s.as("kim").ask(c.query, object{"v": c.value}), c.argument)
		})
	}
}

func TestUnauthenticated(t *testing.T) {
	s := newServer(t)
	wantCode(t, s.as("").ask(mutation("occupy"), object{"input": lot("x")}), "UNAUTHENTICATED")
	wantCode(t, s.as("").ask(`{ me { userId } }`), "UNAUTHENTICATED")
	for header, values := range map[string][]string{
		"X-User-Id": {"", "   ", "a\u200bb", long(41)},
		"X-Roles":   {"", "BOSS", "OPERATOR,,"},
	} {
		for _, value := range values {
			h := s.as("kim").headers()
			h.Set(header, value)
			_, text := s.send(http.MethodPost, "/graphql", h, `{"query": "{ me { userId } }"}`)
			if !strings.Contains(text, "UNAUTHENTICATED") || !strings.Contains(text, header) {
				t.Errorf("%s %q: %s", header, value, text)
			}
		}
	}
	wantNothingChanged(t, s)
}

func TestForbidden(t *testing.T) {
	s := newServer(t)
	job := object{"itemType": "slot", "itemName": "Job:x"}
	for _, c := range []struct {
		roles, command string
		input          object
	}{
		{"ANALYST", "occupy", lot("x")},
		{"ANALYST", "free", lot("x")},
		{"OPERATOR,SERVICE,ANALYST", "forceFree", lot("x", "reason", "r", "fencingToken", 1)},
		{"OPERATOR,SUPERVISOR", "occupy", job},
		{"OPERATOR,SUPERVISOR", "occupyAll", object{"items": []object{lot("x"), job}}},
	} {
		wantCode(t, s.as("kim").with(c.roles).ask(mutation(c.command), object{"input": c.input}), "FORBIDDEN")
	}
	wantNothingChanged(t, s)
	want(t, s.as("batch").with("SERVICE").command("occupy", job), "code", "GRANTED")
}

func TestUnavailableWhilePostgresIsAwayAndBackByItself(t *testing.T) {
	s := newServer(t)
	stack.Postgres.Stop()
	t.Cleanup(func() { _ = stack.Postgres.Start(t.Context()) })
	wantCode(t, s.as("kim").ask(mutation("occupy"), object{"input": lot("x")}), "UNAVAILABLE")
	if response, _ := s.send(http.MethodGet, "/readyz", nil, ""); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("readyz says %s", response.Status)
	}
	if err := stack.Postgres.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "occupy works again", func() bool {
		return len(s.as("kim").ask(mutation("occupy"), object{"input": lot("x")}).Errors) == 0
	})
}

func TestInternalTellsARequestIdAndNoInnerText(t *testing.T) {
	s := newServer(t)
	s.sql(`ALTER TABLE ct_occupy_item RENAME TO gone`)
	t.Cleanup(func() { s.sql(`ALTER TABLE gone RENAME TO ct_occupy_item`) })
	a := s.as("kim").ask(mutation("occupy"), object{"input": lot("x")})
	extensions := wantCode(t, a, "INTERNAL")
	if id, _ := extensions["requestId"].(string); len(id) < 20 || strings.Contains(a.Errors[0].Message, "ct_occupy") {
		t.Errorf("%+v", a.Errors)
	}
}

func TestRequestsThatAreNotGraphQL(t *testing.T) {
	s := newServer(t)
	wantCode(t, s.as("kim").ask(`{ me { userId } `), "GRAPHQL_PARSE_FAILED")
	wantCode(t, s.as("kim").ask(`{ nobody }`), "GRAPHQL_VALIDATION_FAILED")
	wantCode(t, s.as("kim").ask(`mutation { occupy { ok } }`), "GRAPHQL_VALIDATION_FAILED")
	wantCode(t, s.as("kim").ask("{ "+strings.Repeat("me ", 20000)+"}"), "LIMIT_EXCEEDED")
	for _, accept := range []string{"application/json", "text/event-stream"} {
		h := s.as("kim").headers()
		h.Set("Accept", accept)
		for _, body := range []string{`secret`, `[{"query": "secret"}]`, `{"query": 5, "x": "secret"}`, ``} {
			response, text := s.send(http.MethodPost, "/graphql", h, body)
			if response.StatusCode != http.StatusBadRequest || strings.Contains(text, "secret") || !strings.Contains(text, "GRAPHQL_PARSE_FAILED") {
				t.Errorf("%s %s: %s %s", accept, body, response.Status, text)
			}
		}
	}
}

func TestLargeBodyIsRefusedAndNotRepeated(t *testing.T) {
	s := newServer(t)
	response, text := s.send(http.MethodPost, "/graphql", s.as("kim").headers(), `{"query": "{ me { userId } }", "x": "`+strings.Repeat("secret", 1<<18)+`"}`)
	if response.StatusCode != http.StatusRequestEntityTooLarge || strings.Contains(text, "secret") {
		t.Errorf("%s %.200s", response.Status, text)
	}
}

// U9: nothing is freed by a link, a form, or a page of another origin.
func TestNothingChangesByLinkOrForm(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1"))
	free := `mutation { free(input: {itemType: \"LOT\", itemName: \"LOT1\"}) { ok } }`
	get := "/graphql?query=" + strings.NewReplacer(" ", "%20", `\"`, "%22", "{", "%7B", "}", "%7D").Replace(free)
	for _, c := range []struct{ method, path, contentType, body string }{
		{http.MethodGet, get, "", ""},
		{http.MethodPost, "/graphql", "text/plain", `{"query": "` + free + `"}`},
		{http.MethodPost, "/graphql", "", `{"query": "` + free + `"}`},
		{http.MethodPost, get, "application/x-www-form-urlencoded", `query=` + free},
		{http.MethodPost, "/graphql", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"operations\"\r\n\r\n{\"query\": \"" + free + "\"}\r\n--x--\r\n"},
		{http.MethodPost, "/graphql", "application/graphql", strings.ReplaceAll(free, `\`, "")},
		{http.MethodOptions, "/graphql", "", ""},
	} {
		h := http.Header{"X-User-Id": {"kim"}, "Origin": {"http://evil.example"}, "Content-Type": {c.contentType}}
		response, text := s.send(c.method, c.path, h, c.body)
		if strings.Contains(text, `"ok"`) || response.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s %s: %s %s", c.method, c.path, c.contentType, response.Status, text)
		}
	}
	want(t, s.as("lee").must(`{ holder(itemType: "LOT", itemName: "LOT1") { userId } }`), "holder.userId", "kim")
}

func TestGetAnswersQueries(t *testing.T) {
	s := newServer(t)
	_, text := s.send(http.MethodGet, "/graphql?query=%7Bme%7BuserId%7D%7D", http.Header{"X-User-Id": {"kim"}}, "")
	if text != `{"data":{"me":{"userId":"kim"}}}` {
		t.Error(text)
	}
}
