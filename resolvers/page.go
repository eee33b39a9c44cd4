package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"occupy/domain"
	"occupy/graph"
)

// pageArgs are a list's arguments. The count of all that matches costs a read of
// all of it, so it is taken only if the request asks for it.
func pageArgs(ctx context.Context, first *int, after *string, last *int, before *string) domain.PageArgs {
	return domain.PageArgs{
		First: first, After: after, Last: last, Before: before,
		Total: graphql.FieldRequested(ctx, "totalCount"),
	}
}

func occupancies(p domain.Page[domain.Occupancy], err error) (*graph.OccupancyConnection, error) {
	if err != nil {
		return nil, err
	}
	nodes, edges, info := lay(p, func(n *domain.Occupancy, cursor string) *graph.OccupancyEdge {
		return &graph.OccupancyEdge{Node: n, Cursor: cursor}
	})
	return &graph.OccupancyConnection{Edges: edges, Nodes: nodes, PageInfo: info, TotalCount: p.Total}, nil
}

func history(p domain.Page[domain.HistoryEntry], err error) (*graph.HistoryConnection, error) {
	if err != nil {
		return nil, err
	}
	nodes, edges, info := lay(p, func(n *domain.HistoryEntry, cursor string) *graph.HistoryEdge {
		return &graph.HistoryEdge{Node: n, Cursor: cursor}
	})
	return &graph.HistoryConnection{Edges: edges, Nodes: nodes, PageInfo: info, TotalCount: p.Total}, nil
}

func holds(p domain.Page[domain.HoldEntry], err error) (*graph.HoldConnection, error) {
	if err != nil {
		return nil, err
	}
	nodes, edges, info := lay(p, func(n *domain.HoldEntry, cursor string) *graph.HoldEdge {
		return &graph.HoldEdge{Node: n, Cursor: cursor}
	})
	return &graph.HoldConnection{Edges: edges, Nodes: nodes, PageInfo: info, TotalCount: p.Total}, nil
}

func sequences(p domain.Page[domain.Sequence], err error) (*graph.SequenceConnection, error) {
	if err != nil {
		return nil, err
	}
	nodes, edges, info := lay(p, func(n *domain.Sequence, cursor string) *graph.SequenceEdge {
		return &graph.SequenceEdge{Node: n, Cursor: cursor}
	})
	return &graph.SequenceConnection{Edges: edges, Nodes: nodes, PageInfo: info, TotalCount: p.Total}, nil
}

func sequenceGaps(p domain.Page[domain.SequenceGap], err error) (*graph.SequenceGapConnection, error) {
	if err != nil {
		return nil, err
	}
	nodes, edges, info := lay(p, func(n *domain.SequenceGap, cursor string) *graph.SequenceGapEdge {
		return &graph.SequenceGapEdge{Node: n, Cursor: cursor}
	})
	return &graph.SequenceGapConnection{Edges: edges, Nodes: nodes, PageInfo: info, TotalCount: p.Total}, nil
}

func lotIDs(p domain.Page[domain.LotEntry], err error) (*graph.LotIDConnection, error) {
	if err != nil {
		return nil, err
	}
	nodes, edges, info := lay(p, func(n *domain.LotEntry, cursor string) *graph.LotIDEdge {
		return &graph.LotIDEdge{Node: n, Cursor: cursor}
	})
	return &graph.LotIDConnection{Edges: edges, Nodes: nodes, PageInfo: info, TotalCount: p.Total}, nil
}

func denials(p domain.Page[domain.Denial], err error) (*graph.DenialConnection, error) {
	if err != nil {
		return nil, err
	}
	nodes, edges, info := lay(p, func(n *domain.Denial, cursor string) *graph.DenialEdge {
		return &graph.DenialEdge{Node: n, Cursor: cursor}
	})
	return &graph.DenialConnection{Edges: edges, Nodes: nodes, PageInfo: info, TotalCount: p.Total}, nil
}

// lay gives the parts of a connection.
func lay[N, E any](p domain.Page[N], edge func(*N, string) *E) ([]*N, []*E, *graph.PageInfo) {
	nodes, edges := make([]*N, len(p.Nodes)), make([]*E, len(p.Nodes))
	info := &graph.PageInfo{HasNextPage: p.HasNext(), HasPreviousPage: p.HasPrevious()}
	for i := range p.Nodes {
		cursor := p.Cursors[i].String()
		nodes[i], edges[i] = &p.Nodes[i], edge(&p.Nodes[i], cursor)
		if i == 0 {
			info.StartCursor = &cursor
		}
		info.EndCursor = &cursor
	}
	return nodes, edges, info
}
