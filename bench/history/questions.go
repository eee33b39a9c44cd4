package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
)

// subject is what a question is about: a row of the history, drawn from all.
type subject struct {
	itemType, itemName, userID string
	at                         time.Time
}

// subjects draws many rows, so that what is asked for often was done often.
func (r *rig) subjects(ctx context.Context, ofRows int) ([]subject, error) {
	rows, err := r.db.Query(ctx, `SELECT item_type, item_name, user_id, reg_dt FROM ct_occupy_item_history TABLESAMPLE SYSTEM ($1) ORDER BY random() LIMIT 2000`,
		min(100, 20_000_000/float64(ofRows))) // percent: all of a few, or there may be none
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s subject, err error) {
		return s, row.Scan(&s.itemType, &s.itemName, &s.userID, &s.at)
	})
}

// question is something that analysts ask.
type question struct {
	name    string
	graphql string
	where   func(subject) map[string]any
	byHand  string // the same in SQL; "" = it is not compared
	args    func(subject) []any
	most    time.Duration // that it is to take
}

const (
	entry = `timeKey at itemType itemName state event userId session startTime expireTime uiName menuName fencingToken version renewals comment actor`
	list  = `query($where: HistoryWhere) { history(where: $where) { nodes { ` + entry + ` } pageInfo { hasNextPage endCursor } } }`

	columns = `SELECT time_key, reg_dt, item_type, item_name, state, event, user_id, session_id, start_time, expire_time, ui_name, menu_name,
		fencing_token, version, renewals, comment, reg_usr_id FROM ct_occupy_item_history WHERE `
	newest = ` ORDER BY time_key DESC LIMIT 51`

	figures = `holds totalSeconds avgSeconds p50Seconds p95Seconds maxSeconds expiryRate forcedRate denials minutesLost`
)

func eq(v string) map[string]any { return map[string]any{"eq": v} }

func day(at time.Time) (from, to time.Time) {
	from = at.UTC().Truncate(24 * time.Hour)
	return from, from.AddDate(0, 0, 1)
}

func between(from, to time.Time) map[string]any {
	return map[string]any{"gte": from.Format(time.RFC3339), "lt": to.Format(time.RFC3339)}
}

func month(s subject) map[string]any {
	from := time.Date(s.at.Year(), s.at.Month(), 1, 0, 0, 0, 0, time.UTC)
	return map[string]any{"to": between(from, from.AddDate(0, 1, 0))}
}

const page, statistics = 50 * time.Millisecond, 2 * time.Second

var questions = []question{
	{"one item's first page", list,
		func(s subject) map[string]any {
			return map[string]any{"itemType": eq(s.itemType), "itemName": eq(s.itemName)}
		},
		columns + `item_type = $1 AND item_name = $2` + newest, func(s subject) []any { return []any{s.itemType, s.itemName} }, page},
	{"one user's first page", list,
		func(s subject) map[string]any { return map[string]any{"userId": eq(s.userID)} },
		columns + `user_id = $1` + newest, func(s subject) []any { return []any{s.userID} }, page},
	{"one day's first page", list,
		func(s subject) map[string]any { return map[string]any{"at": between(day(s.at))} },
		columns + `time_key >= $1 AND time_key < $2` + newest, func(s subject) []any {
			from, to := day(s.at)
			return []any{from.Format("20060102"), to.Format("20060102")}
		}, page},
	{"one user's holds of a day", `query($where: HoldWhere) { holds(where: $where) { nodes { itemType itemName from to seconds endReason } } }`,
		func(s subject) map[string]any {
			return map[string]any{"userId": eq(s.userID), "to": between(day(s.at))}
		}, "", nil, page},
	{"a month by user", `query($where: HoldWhere!) { historyStats(where: $where, groupBy: [USER]) { rowCount rows { userId ` + figures + ` } } }`,
		month, "", nil, statistics},
	{"a month by day and shift", `query($where: HoldWhere!) { historyStats(where: $where, groupBy: [DAY, SHIFT], first: 100) { rowCount rows { day shift ` + figures + ` } } }`,
		month, "", nil, statistics},
	{"a month by screen", `query($where: HoldWhere!) { historyStats(where: $where, groupBy: [UI]) { rowCount rows { uiName ` + figures + ` } } }`,
		month, "", nil, statistics},
}

// ask asks a gateway as somebody. Returns the answer.
func (r *rig) ask(user, query string, variables map[string]any) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, "http://"+r.address+"/graphql", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "X-User-Id": {user}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 400, DisableCompression: true}, Timeout: time.Minute}

func (r *rig) answer(q question, s subject) error {
	text, err := r.ask("ana", q.graphql, map[string]any{"where": q.where(s)})
	if err == nil && bytes.Contains(text, []byte(`"errors"`)) {
		err = fmt.Errorf("%s: %.300s", q.name, text)
	}
	return err
}

// byHand asks on a connection of one's own, with the statement prepared and its
// months known when it is planned.
func byHand(ctx context.Context, conn *pgx.Conn, q question, s subject) error {
	rows, err := conn.Query(ctx, q.byHand, q.args(s)...)
	if err != nil {
		return err
	}
	_, err = pgx.CollectRows(rows, pgx.RowToMap)
	return err
}

func any1(all []subject) subject { return all[rand.IntN(len(all))] }
