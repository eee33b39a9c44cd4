package gateway

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"occupy/domain"
	"occupy/resolvers"
)

// feeds are the executions that equal subscriptions share.
type feeds struct {
	gateway *Gateway
	mu      sync.Mutex
	open    map[feedKey]*feed
}

// feed is one execution. Each of its results is made once and told to all members.
type feed struct {
	key    feedKey
	cancel context.CancelFunc
	fanOut *fanOut
	// listeners counts those of the gateway.
	listeners *atomic.Int64

	mu      sync.Mutex // after that of feeds
	members members
	live    bool          // what is committed from now on will be told
	ready   chan struct{} // closed when it is live
}

type admittedKey struct{}

// admitted marks what is carried out for operations that were let in one by one.
func admitted(ctx context.Context) context.Context {
	return context.WithValue(ctx, admittedKey{}, true)
}

func isAdmitted(ctx context.Context) bool { return ctx.Value(admittedKey{}) != nil }

// join adds an operation to the feed of its kind, which begins with the first.
func (a *feeds) join(k *sharing, o *operation, exec graphql.GraphExecutor) *feed {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.open[k.key]
	if f == nil {
		caller, _ := domain.CallerFrom(o.ctx)
		ctx, cancel := context.WithCancel(resolvers.Traced(admitted(domain.WithCaller(context.Background(), caller))))
		f = &feed{key: k.key, cancel: cancel, listeners: &a.gateway.listeners, members: newMembers(), ready: make(chan struct{})}
		f.fanOut = newFanOut(f.tell)
		a.open[k.key] = f
		go a.run(ctx, f, exec, k.request)
	}
	f.add(o)
	context.AfterFunc(o.ctx, func() { a.leave(f, o) })
	return f
}

func (f *feed) add(o *operation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members.add(o)
	if o.beginning == nil {
		f.listens(o)
	}
}

// listens counts a member, once it has been told its beginning and the feed is live.
func (f *feed) listens(o *operation) {
	if f.live && !o.counted {
		o.counted = true
		f.listeners.Add(1)
	}
}

// begun notes that a member has been told its beginning.
func (f *feed) begun(o *operation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.members.has(o) {
		f.listens(o)
	}
}

// leave takes an operation out. The last one ends the execution.
func (a *feeds) leave(f *feed, o *operation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members.remove(o)
	if o.counted {
		f.listeners.Add(-1)
	}
	if f.members.count == 0 {
		a.close(f)
	}
}

// close lets nobody join any more.
func (a *feeds) close(f *feed) {
	if a.open[f.key] == f {
		delete(a.open, f.key)
	}
	f.cancel()
}

// run is the execution. It never waits for a member.
func (a *feeds) run(ctx context.Context, f *feed, exec graphql.GraphExecutor, request *graphql.OperationContext) {
	last := (*operation).complete
	fail := func(errors gqlerror.List) { last = func(o *operation) { o.fail(errors) } }
	defer func() {
		f.fanOut.drain()
		a.end(f, last)
	}()
	defer a.gateway.recover(ctx, fail)
	responses, ctx := exec.DispatchOperation(ctx, request)
	f.begin()
	for response := responses(ctx); response != nil; response = responses(ctx) {
		if errors := fatal(request, response); errors != nil {
			fail(errors)
			return
		}
		f.fanOut.add(result{encode(response), resolvers.TraceOf(ctx)})
	}
}

// tell is called by one goroutine at a time. Who joins meanwhile came after what is
// being told.
func (f *feed) tell(results []result) {
	now := f.now()
	now.tell(results)
}

func (f *feed) now() members {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.members.copied()
}

func (f *feed) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live = true
	close(f.ready)
	f.members.each(func(o *operation) {
		if o.beginning == nil {
			f.listens(o)
		}
	})
}

// end ends all members.
func (a *feeds) end(f *feed, with func(*operation)) {
	a.mu.Lock()
	a.close(f)
	a.mu.Unlock()
	now := f.now()
	now.each(with)
}
