package gateway

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"golang.org/x/time/rate"

	"occupy/domain"
	"occupy/graph"
	"occupy/graph/documents"
)

// Rates bound how often something may be done, by one user and from one address.
// What is zero is not bounded.
type Rates struct{ Mutations, Connections, Subscriptions Rate }

// Rate is how often a second. Ten times that may come at once, if there was nothing for
// ten seconds: people and restarts come in bursts.
type Rate struct{ PerUser, PerAddress int }

const (
	rateBurst = 10 // seconds
	// maxBuckets bounds what is kept of users, and of addresses. Who was not heard of for
	// the longest is forgotten, and has a full bucket when they come again: a flood of
	// addresses takes no memory, and keeps nobody else out.
	maxBuckets = 20_000
)

// budget is what users and addresses have of one thing.
type budget struct {
	what      string
	users     *buckets[payer]
	addresses *buckets[netip.Addr]
}

// payer is whose budget a caller uses. A service that acts for a user has one for each
// of them: it holds up neither them nor its other users. All that it does is bounded by
// its address.
type payer struct{ user, service string }

func newBudget(what string, r Rate) *budget {
	return &budget{what, newBuckets[payer](r.PerUser), newBuckets[netip.Addr](r.PerAddress)}
}

// spend takes n from the budgets of who asks. Returns an error if one has not as much.
func (b *budget) spend(ctx context.Context, n int) error {
	if err := b.spendUsers(ctx, n); err != nil {
		return err // before it costs those of the same address anything
	}
	return b.spendAddresses(ctx, n)
}

// spendUsers knows nobody who did not say who they are; their address is bounded.
func (b *budget) spendUsers(ctx context.Context, n int) error {
	caller, err := domain.CallerFrom(ctx)
	if err != nil {
		return nil
	}
	return b.refusal("user", b.users.take(payer{caller.UserID, caller.Service}, n))
}

func (b *budget) spendAddresses(ctx context.Context, n int) error {
	return b.refusal("address", b.addresses.take(network(addressOf(ctx)), n))
}

func (b *budget) refusal(by string, wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	return &rateError{what: b.what, by: by, seconds: int(math.Ceil(wait.Seconds()))}
}

// rateError says of what there was too much, and when to come back.
type rateError struct {
	what, by string
	seconds  int
}

// Error is what the caller is told.
func (e *rateError) Error() string {
	return fmt.Sprintf("too many %s by one %s: nothing was done, try again in %d s", e.what, e.by, e.seconds)
}

// buckets are those of all users, or of all addresses.
type buckets[K comparable] struct {
	limit rate.Limit
	burst int

	mu   sync.Mutex
	kept *simplelru.LRU[K, *rate.Limiter]
}

// newBuckets returns nil, which bounds nothing, if a second has none.
func newBuckets[K comparable](perSecond int) *buckets[K] {
	if perSecond == 0 {
		return nil
	}
	kept, _ := simplelru.NewLRU[K, *rate.Limiter](maxBuckets, nil) // the error is about the size
	return &buckets[K]{limit: rate.Limit(perSecond), burst: perSecond * rateBurst, kept: kept}
}

// take takes n, or all that a bucket can ever have, if there is as much. Returns how
// long to wait until there will be, 0 if it was taken.
func (b *buckets[K]) take(key K, n int) time.Duration {
	if b == nil {
		return 0
	}
	n = min(n, b.burst)
	bucket, now := b.of(key), time.Now()
	if bucket.AllowN(now, n) {
		return 0
	}
	missing := float64(n) - bucket.TokensAt(now)
	return max(time.Duration(missing/float64(b.limit)*float64(time.Second)), time.Nanosecond)
}

func (b *buckets[K]) of(key K) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	bucket, known := b.kept.Get(key)
	if !known {
		bucket = rate.NewLimiter(b.limit, b.burst)
		b.kept.Add(key, bucket)
	}
	return bucket
}

// budgets are those of a gateway.
type budgets struct{ mutations, connections, subscriptions *budget }

func newBudgets(r Rates) budgets {
	return budgets{newBudget("mutations", r.Mutations), newBudget("connections", r.Connections), newBudget("subscriptions", r.Subscriptions)}
}

// spend takes what an operation uses of the budgets: a mutation as often as it has root
// fields. Returns nil or a rateError; queries are bounded by their own connections to
// the database.
func (b budgets) spend(ctx context.Context, o *ast.OperationDefinition) error {
	switch o.Operation {
	case ast.Mutation:
		return b.mutations.spend(ctx, documents.CountRoots(o))
	case ast.Subscription:
		return b.subscriptions.spend(ctx, 1)
	}
	return nil
}

// presentRate counts a refusal, and says it.
func (g *Gateway) presentRate(err error) *gqlerror.Error {
	var limited *rateError
	if !errors.As(err, &limited) {
		return nil
	}
	g.metrics.limited.WithLabelValues(limited.what, limited.by).Inc()
	return &gqlerror.Error{Message: limited.Error(), Extensions: map[string]any{
		"code": graph.ErrorCodeRateLimited, retryExtension: limited.seconds,
	}}
}
