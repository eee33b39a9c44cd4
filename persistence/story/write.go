package story

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// Made is what was made up.
type Made struct {
	Rows, Items, Denials int
}

// Write writes a story into a migrated database that has partitions for its months
// and no items, in one transaction.
// Returns an error if there are items, or a partition is missing; nothing is
// written then.
func Write(ctx context.Context, conn *pgx.Conn, p Plant) (made Made, err error) {
	s, err := newPlay(p)
	if err != nil {
		return made, err
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if made.Rows, err = copyTo(ctx, tx, "ct_occupy_item_history", historyColumns, s.historyRow()); err != nil {
			return fmt.Errorf("write the history: %w", err)
		}
		if made.Items, err = copyTo(ctx, tx, "ct_occupy_item", itemColumns, s.itemRow()); err != nil {
			return fmt.Errorf("write the items: %w", err)
		}
		if made.Denials, err = copyTo(ctx, tx, "ct_occupy_denial", denialColumns, s.denialRow()); err != nil {
			return fmt.Errorf("write the denials: %w", err)
		}
		_, err := tx.Exec(ctx, `ANALYZE ct_occupy_item, ct_occupy_item_history, ct_occupy_denial`)
		return err
	})
	return made, err
}

func copyTo(ctx context.Context, tx pgx.Tx, table string, columns []string, row func() ([]any, error)) (int, error) {
	n, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(row))
	return int(n), err
}

var historyColumns = []string{"time_key", "item_type", "item_name", "user_id", "session_id", "state",
	"start_time", "expire_time", "ui_name", "menu_name", "fencing_token", "version", "renewals",
	"event", "comment", "reg_usr_id", "reg_dt"}

// historyRow gives the rows one by one, as the story comes to them.
func (s *play) historyRow() func() ([]any, error) {
	number := 0
	return func() ([]any, error) {
		t, more := s.next()
		if !more {
			return nil, nil
		}
		number++
		key := fmt.Sprintf("%s%012d", domain.TimeKeyPrefix(t.UpdatedAt), number)
		return []any{key, t.ItemType, t.ItemName, t.UserID, t.Session, string(t.State),
			t.StartTime, t.ExpireTime, t.UIName, t.MenuName, t.FencingToken, t.Version, t.Renewals,
			string(t.Event), t.Comment, t.UpdatedBy, t.UpdatedAt}, nil
	}
}

var itemColumns = []string{"item_type", "item_name", "user_id", "session_id", "state", "start_time", "expire_time",
	"ui_name", "menu_name", "fencing_token", "version", "renewals",
	"reg_usr_id", "reg_dt", "updt_usr_id", "updt_dt"}

// itemRow gives the items as they are at the end.
func (s *play) itemRow() func() ([]any, error) {
	return each(s.order, func(o *domain.Occupancy) []any {
		return []any{o.ItemType, o.ItemName, o.UserID, o.Session, string(o.State), o.StartTime, o.ExpireTime,
			o.UIName, o.MenuName, o.FencingToken, o.Version, o.Renewals,
			o.RegisteredBy, o.RegisteredAt, o.UpdatedBy, o.UpdatedAt}
	})
}

var denialColumns = []string{"item_type", "item_name", "fencing_token", "user_id", "session_id", "ui_name", "menu_name",
	"blocker_user_id", "blocker_session_id", "blocker_ui_name", "blocker_menu_name", "blocker_start_time",
	"attempts", "first_dt", "last_dt"}

func (s *play) denialRow() func() ([]any, error) {
	return each(s.refused, func(d *domain.Denial) []any {
		return []any{d.ItemType, d.ItemName, d.FencingToken, d.UserID, d.Session, d.UIName, d.MenuName,
			d.BlockerUserID, d.BlockerSession, d.BlockerUIName, d.BlockerMenuName, d.BlockerSince,
			d.Attempts, d.FirstAt, d.LastAt}
	})
}

// each gives a row for each of a list, one by one, and then none.
func each[T any](list []*T, row func(*T) []any) func() ([]any, error) {
	return func() ([]any, error) {
		if len(list) == 0 {
			return nil, nil
		}
		next := list[0]
		list = list[1:]
		return row(next), nil
	}
}
