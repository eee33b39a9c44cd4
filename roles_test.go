package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"occupy/graph"
)

// Who may ask for what: each field of Query, Mutation and Subscription, a request for it,
// and who may. The schema says the same by @needs; here it stands a second time, so that
// nobody loosens it unawares.
var mayAsk = map[string]struct{ roles, request string }{
	"me":           {everybody, `{ me { userId } }`},
	"node":         {everybody, `{ node(id: "T2NjdXBhbmN5CkxPVApMT1Qx") { id } }`},
	"occupancy":    {everybody, `{ occupancy(itemType: "LOT", itemName: "LOT1") { state } }`},
	"holder":       {everybody, `{ holder(itemType: "LOT", itemName: "LOT1") { userId } }`},
	"occupancies":  {everybody, `{ occupancies { nodes { id } } }`},
	"verifyHolder": {everybody, `{ verifyHolder(itemType: "LOT", itemName: "LOT1", userId: "kim") { code } }`},
	"history":      {everybody, `{ history { nodes { id } } }`},
	"holderAt":     {everybody, `{ holderAt(itemType: "LOT", itemName: "LOT1", at: "2026-01-01T00:00:00Z") { userId } }`},
	"holds":        {everybody, `{ holds { nodes { userId } } }`},
	"historyStats": {"SUPERVISOR ANALYST", `{ historyStats(where: {open: true}) { rowCount } }`},
	"heldAt":       {everybody, `{ heldAt(at: "2026-01-01T00:00:00Z") { nodes { userId } } }`},
	"slotLock":     {everybody, `{ slotLock(slotKey: "x") { state } }`},
	"slotLocks":    {everybody, `{ slotLocks { slotKey } }`},
	"currVal":      {everybody, `{ currVal(name: "S") }`},
	"sequences":    {everybody, `{ sequences { edges { cursor } } }`},
	"sequenceGaps": {everybody, `{ sequenceGaps(name: "S") { edges { cursor } } }`},
	"lotIds":       {everybody, `{ lotIds { nodes { lotId } } }`},
	"lotRules":     {everybody, `{ lotRules { name } }`},
	"verify":       {"SUPERVISOR", `{ verify { done } }`},
	"denials":      {"SUPERVISOR ANALYST", `{ denials { nodes { userId } } }`},
	"topBlockers":  {"SUPERVISOR ANALYST", `{ topBlockers(where: {at: {gte: "2026-01-01T00:00:00Z", lt: "2026-01-02T00:00:00Z"}}) { userId } }`},
	"crossedPairs": {"SUPERVISOR ANALYST", `{ crossedPairs(where: {at: {gte: "2026-01-01T00:00:00Z", lt: "2026-01-02T00:00:00Z"}}) { since } }`},
	"lotDays":      {everybody, `{ lotDays(from: "2026-01-01", to: "2026-01-02") { last } }`},

	"occupy":           {workers, `mutation { occupy(input: {itemType: "LOT", itemName: "X"}) { code } }`},
	"occupyAll":        {workers, `mutation { occupyAll(input: {items: [{itemType: "LOT", itemName: "X"}]}) { code } }`},
	"renew":            {workers, `mutation { renew(input: {itemType: "LOT", itemName: "X"}) { code } }`},
	"free":             {workers, `mutation { free(input: {itemType: "LOT", itemName: "Y"}) { code } }`},
	"freeAll":          {workers, `mutation { freeAll(input: {session: "none"}) { code } }`},
	"transfer":         {workers, `mutation { transfer(input: {itemType: "LOT", itemName: "Y", toUserId: "lee"}) { code } }`},
	"forceFree":        {"SUPERVISOR", `mutation { forceFree(input: {itemType: "LOT", itemName: "Y", reason: "r", fencingToken: 1}) { code } }`},
	"tryLock":          {workers, `mutation { tryLock(input: {slotKey: "x"}) { code } }`},
	"renewLock":        {workers, `mutation { renewLock(input: {slotKey: "x"}) { code } }`},
	"releaseLock":      {workers, `mutation { releaseLock(input: {slotKey: "y"}) { code } }`},
	"nextVal":          {workers, `mutation { nextVal(name: "S") { first } }`},
	"resetSequence":    {"SUPERVISOR SERVICE", `mutation { resetSequence(name: "S") { epoch } }`},
	"setSequenceCache": {"SUPERVISOR SERVICE", `mutation { setSequenceCache(name: "S", size: 0) { cacheSize } }`},
	"nextLotIds":       {workers, `mutation { nextLotIds(input: {}) { ids } }`},
	"voidLotId":        {"SUPERVISOR SERVICE", `mutation { voidLotId(lotId: "LOT-20260101-0001", reason: "r") { code } }`},
	"setLotRule":       {"SUPERVISOR", `mutation { setLotRule(input: {name: "R", format: "R-{date:yyyyMMdd}-{seq:4}", timeZone: "Asia/Seoul"}) { code } }`},

	"occupancyChanged": {everybody, `subscription { occupancyChanged(snapshot: true) { kind } }`},
	"holdItem":         {workers, `subscription { holdItem(input: {itemType: "LOT", itemName: "H"}, graceSeconds: 0) { kind } }`},
}

const (
	everybody = "OPERATOR SUPERVISOR ANALYST SERVICE"
	workers   = "OPERATOR SUPERVISOR SERVICE"
)

// rootFields are those of the schema, but for introspection's.
func rootFields() map[string]*ast.FieldDefinition {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	all := map[string]*ast.FieldDefinition{}
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Subscription} {
		for _, f := range root.Fields {
			if !strings.HasPrefix(f.Name, "__") {
				all[f.Name] = f
			}
		}
	}
	return all
}

func TestEveryRootFieldSaysWhoMayAsk(t *testing.T) {
	fields := rootFields()
	for name, field := range fields {
		if field.Directives.ForName("needs") == nil {
			t.Errorf("%s has no @needs in the schema", name)
		}
		if _, listed := mayAsk[name]; !listed {
			t.Errorf("%s is not in mayAsk, so that nobody tries each role on it", name)
		}
	}
	for name := range mayAsk {
		if fields[name] == nil {
			t.Errorf("%s is no field of the schema", name)
		}
	}
}

// The page that people read says the same.
func TestTheTableOfRolesIsTrue(t *testing.T) {
	page, err := os.ReadFile("docs/identity.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| ((?:`\\w+`(?:, )?)+) \\| ([A-Z, ]+) \\|$").FindAllStringSubmatch(string(page), -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			listed[strings.Trim(name, "`")] = row[2]
		}
	}
	for name, field := range rootFields() {
		var roles []string
		if anyOf := field.Directives.ForName("needs").Arguments.ForName("anyOf"); anyOf != nil {
			for _, role := range anyOf.Value.Children {
				roles = append(roles, role.Value.Raw)
			}
		}
		in := strings.FieldsFunc(listed[name], func(r rune) bool { return r == ',' || r == ' ' })
		slices.Sort(in)
		slices.Sort(roles)
		if !slices.Equal(in, roles) {
			t.Errorf("%s is listed for %q, and asks for %q", name, in, roles)
		}
	}
	if len(listed) < 15 {
		t.Errorf("only %d fields were found in the table", len(listed))
	}
}

func TestEachRoleOnEachField(t *testing.T) {
	s := newServer(t)
	s.as("kim").command("occupy", lot("LOT1"))
	s.as("kim").must(mayAsk["nextVal"].request)
	for _, name := range slices.Sorted(maps.Keys(mayAsk)) {
		c := mayAsk[name]
		if code := s.as("").with("OPERATOR").codeOf(c.request); code != "UNAUTHENTICATED" {
			t.Errorf("%s by nobody: %q", name, code)
		}
		for role := range strings.FieldsSeq(everybody) {
			wanted := "FORBIDDEN"
			if strings.Contains(c.roles, role) {
				wanted = ""
			}
			// An ID that nobody drew is a fault of the argument, found once the role was let in.
			if code := s.as("kim").with(role).codeOf(c.request); code != wanted && !(wanted == "" && name == "voidLotId" && code == "BAD_USER_INPUT") {
				t.Errorf("%s by %s: %q, want %q", name, role, code, wanted)
			}
		}
	}
}

// codeOf is the code of the error that a request is answered with, "" if it is none.
func (c caller) codeOf(request string) string {
	c.server.t.Helper()
	if strings.HasPrefix(request, "subscription") {
		stream := c.follow(request, nil)
		defer stream.close()
		errors, _ := stream.expect("next")["errors"].([]any)
		if len(errors) == 0 {
			return ""
		}
		code, _ := object(errors[0].(map[string]any)).at("extensions.code").(string)
		return code
	}
	a := c.ask(request)
	if len(a.Errors) == 0 {
		return ""
	}
	code, _ := a.Errors[0].Extensions["code"].(string)
	return code
}

func TestDenialsAreCounted(t *testing.T) {
	s := newServer(t)
	s.as("").ask(`{ mine: me { userId } }`)
	s.as("kim").with("ANALYST").ask(mayAsk["occupy"].request)
	s.as("kim").with("OPERATOR").ask(`mutation { a: tryLock(input: {slotKey: "job:x"}) { code } }`)
	s.as("kim").with("BOSS").ask(`{ me { userId } }`)
	s.as("kim").with("OPERATOR").ask(`{ occupancy(itemType: "", itemName: "") { state } }`) // no denial
	s.wantMetrics(
		`occupy_access_denied_total{at="me",code="UNAUTHENTICATED"} 1`,
		`occupy_access_denied_total{at="occupy",code="FORBIDDEN"} 1`,
		`occupy_access_denied_total{at="tryLock",code="FORBIDDEN"} 1`,
		`occupy_access_denied_total{at="credentials",code="UNAUTHENTICATED"} 1`,
	)
}
