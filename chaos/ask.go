package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// answerWithin is how long a caller waits for an answer.
const answerWithin = 2 * time.Second

// caller asks as one user, over connections of its own.
type caller struct {
	user   string
	client *http.Client
}

func newCaller(user string) *caller {
	return &caller{user, &http.Client{Transport: &http.Transport{}, Timeout: answerWithin}}
}

// reply is what came back.
type reply struct {
	Data   map[string]json.RawMessage
	Errors []struct {
		Message    string
		Extensions struct{ Code string }
	}
}

// ask asks a gateway, and decodes the one field of an answer. Strange is what nobody should be answered.
func (c *caller) ask(ctx context.Context, address, query string, variables, into any) (out outcome, strange string) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return undone, err.Error()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return undone, err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-User-Id", c.user)
	response, err := c.client.Do(request)
	var network *net.OpError
	switch {
	case errors.As(err, &network) && network.Op == "dial":
		return undone, ""
	case err != nil:
		return unknown, ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return unknown, "" // cut in the middle
	}
	return judge(text, into)
}

// judge reads an answer.
func judge(text []byte, into any) (outcome, string) {
	var r reply
	if err := json.Unmarshal(text, &r); err != nil {
		return unknown, fmt.Sprintf("an answer that is no JSON: %s", text)
	}
	if len(r.Errors) > 0 {
		switch r.Errors[0].Extensions.Code {
		case "UNAVAILABLE":
			return undone, ""
		case "OUTCOME_UNKNOWN":
			return unknown, ""
		}
		return unknown, "an error that no fault explains: " + string(text)
	}
	for _, field := range r.Data {
		if err := json.Unmarshal(field, into); err != nil {
			return unknown, fmt.Sprintf("an answer of another form: %v: %s", err, text)
		}
	}
	return ok, ""
}

const fields = ` { itemType itemName state userId session fencingToken version renewals startTime expireTime updatedAt }`

// mutation is the text of a command whose only argument is an input.
func mutation(name, input, fields string) string {
	return "mutation($input: " + input + "!) { " + name + "(input: $input) { ok code " + fields + " } }"
}

// documents are what is asked for an op, by verb and whether it is about a slot.
var documents = map[verb][2]string{
	occupy: {mutation("occupy", "OccupyInput", "occupancy"+fields), mutation("tryLock", "SlotInput", "occupancy"+fields)},
	renew:  {mutation("renew", "RenewInput", "occupancy"+fields), mutation("renewLock", "SlotInput", "occupancy"+fields)},
	free:   {mutation("free", "FreeInput", "occupancy"+fields), mutation("releaseLock", "ReleaseLockInput", "occupancy"+fields)},
	look: {"query($itemType: String!, $itemName: String!) { occupancy(itemType: $itemType, itemName: $itemName)" + fields + " }",
		"query($slotKey: String!) { slotLock(slotKey: $slotKey)" + fields + " }"},
}

var occupyAllDocument = mutation("occupyAll", "OccupyAllInput", "occupancies"+fields+" blockers"+fields)

// perform asks what the op says, and completes it.
func (c *caller) perform(ctx context.Context, address string, o *op) (strange string) {
	var got struct {
		OK                    bool
		Code                  string
		Occupancy             occupancy
		Occupancies, Blockers []occupancy
	}
	var into any = &got
	document, variables := o.request()
	if o.verb == look {
		into = &got.Occupancy
	}
	o.call = time.Now()
	o.outcome, strange = c.ask(ctx, address, document, variables, into)
	o.back = time.Now()
	switch {
	case o.outcome != ok:
		return strange
	case o.verb != look && !got.OK:
		o.outcome = refused
	}
	o.code = got.Code
	o.seen = append(got.Occupancies, got.Blockers...)
	if len(o.items) == 1 && got.Occupancy.ItemName != "" {
		o.seen = []occupancy{got.Occupancy}
	}
	return strange
}

// request is what to send for the op.
func (o *op) request() (document string, variables map[string]any) {
	input := map[string]any{"session": o.session}
	if o.ttl > 0 {
		input["ttlSeconds"] = int(o.ttl / time.Second)
	}
	first := o.items[0]
	slot := 0
	switch {
	case first.Type == "SLOT":
		slot = 1
		input["slotKey"] = first.Name
	case len(o.items) == 1:
		input["itemType"], input["itemName"] = first.Type, first.Name
	}
	if o.token > 0 {
		input["fencingToken"] = fmt.Sprint(o.token)
	}
	if o.verb == occupy && slot == 0 {
		input["uiName"], input["takeOver"] = o.screen(), o.takeOver
	}
	if len(o.items) > 1 {
		var all []map[string]string
		for _, i := range o.items {
			all = append(all, map[string]string{"itemType": i.Type, "itemName": i.Name})
		}
		input["items"] = all
		return occupyAllDocument, map[string]any{"input": input}
	}
	if o.verb == look {
		delete(input, "session")
		return documents[look][slot], input
	}
	return documents[o.verb][slot], map[string]any{"input": input}
}

// screenPrefix marks what this program writes.
const screenPrefix = "chaos-"

func screenOf(id int64) string { return fmt.Sprint(screenPrefix, id) }

// callOf is the call that a screen's name tells of; 0 if it tells of none.
func callOf(screen string) (id int64) {
	if digits, is := strings.CutPrefix(screen, screenPrefix); is {
		_, _ = fmt.Sscan(digits, &id)
	}
	return id
}
