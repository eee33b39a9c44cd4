package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// past is a row of the history.
type past struct {
	Type, Name, State, Event, User, Session, Screen, Actor string
	Start, Expire, At                                      time.Time
	Token, Version, Renewals                               int64
	Tx                                                     int64
}

func (p past) item() item { return item{p.Type, p.Name} }

// present is a row of the items.
type present struct {
	Type, Name, State, User, Session string
	Expire                           time.Time
	Token, Version, Renewals         int64
}

func (p present) item() item { return item{p.Type, p.Name} }

// span is values of a sequence that nobody will get, or that a gateway has ahead of need.
type span struct {
	Name               string
	Epoch, First, Last int64
	Reason             string
}

// counter is a sequence at the end.
type counter struct {
	Name         string
	Epoch, Value int64
}

// ledgered is a LOT ID in the ledger.
type ledgered struct {
	ID, User, Request string
	Date              time.Time
	Seq               int64
}

// tables are what the database has at the end. The history is by item and version.
type tables struct {
	history  []past
	items    []present
	counters []counter
	gaps     []span
	ledger   []ledgered
	faults   string // what -verify said, "" if it found nothing
}

func readTables(ctx context.Context, url string) (t tables, err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return t, err
	}
	defer conn.Close(ctx)
	// The service's own jobs hold slots, too: nobody here asked for those.
	const ours = ` WHERE (item_type <> 'SLOT' OR item_name NOT LIKE 'job:%') `
	t.history, err = list[past](ctx, conn, err, `SELECT item_type, item_name, state, event, user_id, session_id, ui_name, reg_usr_id,
		start_time, expire_time, reg_dt, fencing_token, version, renewals, tx_id::text::bigint
		FROM ct_occupy_item_history`+ours+`ORDER BY item_type, item_name, version`)
	t.items, err = list[present](ctx, conn, err, `SELECT item_type, item_name, state, user_id, session_id,
		expire_time, fencing_token, version, renewals FROM ct_occupy_item`+ours+`AND version > 0 ORDER BY item_type, item_name`)
	t.counters, err = list[counter](ctx, conn, err, `SELECT seq_name, epoch, curr_value FROM ct_sequence ORDER BY seq_name`)
	t.gaps, err = list[span](ctx, conn, err, `SELECT seq_name, epoch, first_value, last_value, reason FROM ct_sequence_gap
		UNION ALL SELECT seq_name, epoch, used_to + 1, last_value, 'OUT' FROM ct_sequence_block WHERE used_to < last_value ORDER BY 1, 2, 3`)
	t.ledger, err = list[ledgered](ctx, conn, err, `SELECT lot_id, user_id, request_id, target_date, seq FROM ct_lot_id ORDER BY target_date, seq`)
	return t, err
}

// list reads rows into a struct's fields by their place, unless something went wrong before.
func list[T any](ctx context.Context, conn *pgx.Conn, before error, query string) ([]T, error) {
	if before != nil {
		return nil, before
	}
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[T])
}

// histories are the rows by item.
func (t *tables) histories() map[item][]past {
	all := map[item][]past{}
	for _, p := range t.history {
		all[p.item()] = append(all[p.item()], p)
	}
	return all
}
