package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"occupy/domain"
)

// Sequences implements domain.SequenceStore.
func (s *Store) Sequences(ctx context.Context, q domain.SequenceQuery) (domain.Page[domain.Sequence], error) {
	page, err := answer(ctx, s.adhoc, question[domain.Sequence]{
		list: `-- name: ListSequences
		SELECT s.seq_name, s.curr_value, s.epoch, s.cache_size, s.updt_usr_id, s.updt_dt, COALESCE((
			SELECT sum(g.last_value - g.first_value + 1) FROM ct_sequence_gap g WHERE g.seq_name = s.seq_name), 0)::bigint
		FROM ct_sequence s`,
		count: `-- name: CountSequences
		SELECT count(*) FROM ct_sequence s`,
		where:  &conditions{},
		order:  keyset{columns: []string{"s.seq_name"}},
		cut:    q.Cut,
		scan:   scanSequence,
		cursor: func(d *domain.Sequence) domain.Cursor { return domain.Cursor{"NAME", d.Name} },
	})
	if err != nil {
		return page, err
	}
	return page, translate(s.addBlocks(ctx, page.Nodes))
}

func scanSequence(rows pgx.Rows) (domain.Sequence, error) {
	d := domain.Sequence{Blocks: []*domain.SequenceBlock{}}
	err := rows.Scan(&d.Name, &d.Value, &d.Epoch, &d.CacheSize, &d.UpdatedBy, instant{&d.UpdatedAt}, &d.Lost)
	return d, err
}

// addBlocks adds to sequences what gateways have of them.
func (s *Store) addBlocks(ctx context.Context, sequences []domain.Sequence) error {
	type block struct {
		name string
		domain.SequenceBlock
	}
	blocks, err := askList(ctx, s.adhoc, func(row pgx.CollectableRow) (b block, err error) {
		return b, row.Scan(&b.name, &b.Epoch, &b.First, &b.Last, &b.UsedTo, &b.Gateway, instant{&b.LeaseUntil})
	}, `-- name: ListBlocks
		SELECT seq_name, epoch, first_value, last_value, used_to, gateway, lease_until
		FROM ct_sequence_block WHERE seq_name = ANY ($1::text[]) AND lease_until IS NOT NULL
		ORDER BY seq_name, epoch, first_value`, column(sequences, func(d *domain.Sequence) string { return d.Name }))
	byName := map[string]*domain.Sequence{}
	for i := range sequences {
		byName[sequences[i].Name] = &sequences[i]
	}
	for i := range blocks {
		of := byName[blocks[i].name]
		of.Blocks = append(of.Blocks, &blocks[i].SequenceBlock)
	}
	return err
}

// SequenceGaps implements domain.SequenceStore.
func (s *Store) SequenceGaps(ctx context.Context, q domain.SequenceGapQuery) (domain.Page[domain.SequenceGap], error) {
	where := &conditions{}
	where.add("g.seq_name = " + where.value(q.Name))
	return answer(ctx, s.adhoc, question[domain.SequenceGap]{
		list: `-- name: ListGaps
		SELECT g.epoch, g.first_value, g.last_value, g.reason, g.gateway, g.reg_dt FROM ct_sequence_gap g`,
		count: `-- name: CountGaps
		SELECT count(*) FROM ct_sequence_gap g`,
		where: where,
		order: keyset{columns: []string{"g.epoch", "g.first_value"}},
		cut:   q.Cut,
		scan: func(rows pgx.Rows) (g domain.SequenceGap, err error) {
			return g, rows.Scan(&g.Epoch, &g.First, &g.Last, &g.Reason, &g.Gateway, instant{&g.At})
		},
		cursor: func(g *domain.SequenceGap) domain.Cursor {
			return domain.Cursor{"VALUE", strconv.FormatInt(g.Epoch, 10), strconv.FormatInt(g.First, 10)}
		},
	})
}
