package main

import (
	"fmt"
	"math/rand/v2"
)

// plant is how many items there are of each type. Item n belongs to user n:
// whoever asks for it, asks in that name.
type plant int

// defaultPlant is large enough that callers seldom meet.
const defaultPlant plant = 100_000

// script makes the requests of one connection, to be asked one after the other.
type script func(conn int) func() request

// request is what is asked, as whom, and what an answer has to say to count.
type request struct {
	user int
	body []byte
	want string
}

// occupyRandom takes a random item, each time from another screen, so that each
// answer has written a row of history: the first is a grant, the others re-entries.
func (p plant) occupyRandom(int) func() request {
	return func() request {
		n := p.item()
		return request{n, occupyBody("LOT", n, rand.Int()), `"ok":true`}
	}
}

// occupyHeld asks for an item that somebody else holds.
func (p plant) occupyHeld(conn int) func() request {
	return func() request {
		return request{int(p) + conn, occupyBody("MASK", 0, 0), `"code":"HELD"`}
	}
}

// renewRandom extends a hold, and every time really does.
func (p plant) renewRandom(int) func() request {
	return func() request {
		n := p.item()
		return request{n, body(`mutation Renew($input: RenewInput!) { renew(input: $input) { ok code message occupancy { expireTime } } }`,
			fmt.Sprintf(`{"itemType":"MASK","itemName":"MASK-%d","ttlSeconds":28800}`, n)), `"ok":true`}
	}
}

// occupyAndFree takes an item, and in the next request gives it back.
func (p plant) occupyAndFree(int) func() request {
	n, held := 0, false
	return func() request {
		if held = !held; held {
			n = p.item()
			return request{n, occupyBody("CST", n, 0), `"ok":true`}
		}
		return request{n, body(`mutation Free($input: FreeInput!) { free(input: $input) { ok code message } }`,
			fmt.Sprintf(`{"itemType":"CST","itemName":"CST-%d"}`, n)), `"ok":true`}
	}
}

func (p plant) nextVal(int) func() request {
	return p.always(`mutation { nextVal(name: \"BENCH\", count: 1) { first last epoch } }`, `"first":"`)
}

func (p plant) nextLotIDs(int) func() request {
	return p.always(`mutation { nextLotIds(input: {count: 1, rule: \"LOT\"}) { ok ids } }`, `"ok":true`)
}

// historyPage reads the first page of what happened to a random item.
func (p plant) historyPage(int) func() request {
	return func() request {
		n := p.item()
		return request{n, fmt.Appendf(nil, `{"query":"query History($where: HistoryWhere) { history(where: $where, first: 50) `+
			`{ nodes { timeKey event state userId startTime expireTime uiName version at } pageInfo { hasNextPage endCursor } } }",`+
			`"variables":{"where":{"itemType":{"eq":"LOT"},"itemName":{"eq":"LOT-%d"}}}}`, n), `"nodes":[{`}
	}
}

func (p plant) always(query, want string) func() request {
	text := fmt.Appendf(nil, `{"query":"%s"}`, query)
	return func() request { return request{p.item(), text, want} }
}

func (p plant) item() int { return rand.IntN(int(p)) }

func occupyBody(itemType string, n, ui int) []byte {
	return body(`mutation Occupy($input: OccupyInput!) { occupy(input: $input) { ok code message occupancy { fencingToken expireTime } } }`,
		fmt.Sprintf(`{"itemType":"%s","itemName":"%[1]s-%d","ttlSeconds":300,"uiName":"Screen %d"}`, itemType, n, ui%1e9))
}

// body is a request as a screen sends it: the text is always the same, what
// differs are the variables.
func body(query, input string) []byte {
	return fmt.Appendf(nil, `{"query":"%s","variables":{"input":%s}}`, query, input)
}
