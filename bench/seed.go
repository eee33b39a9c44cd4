package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// The types of the items: those that are taken at random have all been held
// before; CST has none yet, so that its first ones are made.
const (
	takenType   = "LOT"
	heldType    = "MASK"
	overdueType = "CARRIER"
)

const (
	makeHeld = `
		INSERT INTO ct_occupy_item (item_type, item_name, state, user_id, start_time, expire_time,
			fencing_token, version, reg_usr_id, reg_dt, updt_usr_id, updt_dt)
		SELECT $1::text, $1 || '-' || n, 'OCCUPIED', 'user' || n, clock_timestamp(), clock_timestamp() + interval '1 h',
			1, 1, 'user' || n, clock_timestamp(), 'user' || n, clock_timestamp()
		FROM generate_series(0, $2::int - 1) n`
	makeFree = `
		UPDATE ct_occupy_item
		SET state = 'FREE', version = version + 1, updt_dt = clock_timestamp()
		WHERE item_type = $1 AND $2 > 0`
	makeOverdue = `
		UPDATE ct_occupy_item
		SET state = 'OCCUPIED', start_time = clock_timestamp(), expire_time = clock_timestamp(),
			fencing_token = fencing_token + 1, version = version + 1, updt_usr_id = user_id, updt_dt = clock_timestamp()
		WHERE item_type = $1 AND $2 > 0`
)

// change is a statement that writes the history of what another one changes.
func change(statement, event string) string {
	return fmt.Sprintf(`WITH changed AS (%s RETURNING *)
		INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, user_id, session_id, start_time, expire_time,
			ui_name, menu_name, fencing_token, version, renewals, event, reg_usr_id, reg_dt)
		SELECT to_char(updt_dt AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(nextval('ct_occupy_time_key')::text, 12, '0'),
			item_type, item_name, state, user_id, session_id, start_time, expire_time,
			ui_name, menu_name, fencing_token, version, renewals, '%s', updt_usr_id, updt_dt
		FROM changed`, statement, event)
}

// seed fills a database, as if people had worked on it.
func seed(ctx context.Context, url string, p plant) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, step := range []struct{ statement, itemType string }{
		{change(makeHeld, "OCCUPIED"), takenType},
		{change(makeHeld, "OCCUPIED"), heldType},
		{change(makeHeld, "OCCUPIED"), overdueType},
		{change(makeFree, "FREED"), takenType},
		{change(makeFree, "FREED"), overdueType},
	} {
		if _, err := conn.Exec(ctx, step.statement, step.itemType, int(p)); err != nil {
			return fmt.Errorf("%s: %w", step.itemType, err)
		}
	}
	_, err = conn.Exec(ctx, `INSERT INTO ct_sequence (seq_name) VALUES ('BENCH')`)
	if err == nil {
		_, err = conn.Exec(ctx, `VACUUM ANALYZE`)
	}
	return err
}
