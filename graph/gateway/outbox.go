package gateway

import (
	"bytes"
	"context"
	"sync"
)

// kind says what a message is.
type kind uint8

const (
	raw      kind = iota // bytes of the transport's own
	next                 // a result
	failed               // the operation ended: a list of errors
	complete             // the operation ended
)

// message is one thing to tell a client. A payload may be shared between clients
// and is never changed.
type message struct {
	of      *operation // nil if it is raw
	kind    kind
	payload []byte
}

// pipe is what an outbox writes to.
type pipe interface {
	// append adds a message as the transport writes it.
	append(b []byte, m message) []byte
	// try writes what can be written without waiting. Returns how much that was.
	try(w *tryWriter) int
	// write takes all of it, or fails in time.
	write(b []byte) error
	// overflow is called once, when the client has not kept up: nothing but raw
	// messages will be written any more.
	overflow()
	// broken is called once, when write has failed.
	broken(err error)
	// end is called once, when all is written that ever will be.
	end()
}

const (
	// batchSize is how much is written at once, about.
	batchSize = 16 << 10
	// enough messages wait for a client that more need not be made for it yet.
	enough = 256
)

var batches = sync.Pool{New: func() any { b := make([]byte, 0, batchSize+batchSize/4); return &b }}

// outbox is the bounded queue of one client. A goroutine writes while there is
// something to write; an idle client has none.
type outbox struct {
	pipe pipe

	mu        sync.Mutex
	queue     []message
	taken     int           // of queue, from its front
	room      chan struct{} // closed when the queue is empty; nil unless somebody waits
	writing   bool
	sealed    bool // only raw messages are taken
	finishing bool // nothing is taken
	dead      bool // write has failed
	ended     bool
}

// put queues a message and never waits. A client for whom too many wait is cut;
// one that is gone takes nothing.
func (o *outbox) put(m message) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(m)
}

// putAtOnce is put of results, without a goroutine if nothing else waits and the
// client's machine takes them.
func (o *outbox) putAtOnce(of *operation, results []result, w *tryWriter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.writing && o.takes(next) && !of.left.Load() {
		w.b = w.b[:0]
		for _, r := range results {
			w.b = o.pipe.append(w.b, message{of, next, r.payload})
		}
		switch n := o.pipe.try(w); n {
		case len(w.b):
			return
		case 0: // queued below, and shared with others again
		default:
			o.add(message{kind: raw, payload: bytes.Clone(w.b[n:])})
			return
		}
	}
	for _, r := range results {
		o.add(message{of, next, r.payload})
	}
}

func (o *outbox) takes(k kind) bool {
	return !o.dead && !o.finishing && (!o.sealed || k == raw)
}

func (o *outbox) add(m message) {
	if !o.takes(m.kind) {
		return
	}
	if len(o.queue)-o.taken >= maxQueue {
		o.cut()
		return
	}
	o.queue = append(o.queue, m)
	if !o.writing {
		o.writing = true
		go o.run()
	}
}

// spill is put of what is too much.
func (o *outbox) spill() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cut()
}

func (o *outbox) cut() {
	o.queue, o.taken = nil, 0
	if !o.sealed {
		o.sealed = true
		o.pipe.overflow()
	}
}

// seal lets only raw messages follow.
func (o *outbox) seal() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sealed = true
}

// finish has the pipe ended once all is written that waits.
func (o *outbox) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.finishing = true
	o.endIfDone()
}

func (o *outbox) endIfDone() {
	if o.finishing && !o.writing && !o.ended {
		o.ended = true
		o.pipe.end()
	}
}

// waitForRoom returns when there is, or with ctx's error.
func (o *outbox) waitForRoom(ctx context.Context) error {
	o.mu.Lock()
	if len(o.queue)-o.taken < enough {
		o.mu.Unlock()
		return ctx.Err()
	}
	if o.room == nil {
		o.room = make(chan struct{})
	}
	room := o.room
	o.mu.Unlock()
	select {
	case <-room:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run writes until nothing waits.
func (o *outbox) run() {
	b := batches.Get().(*[]byte)
	for o.fill(b) {
		if err := o.pipe.write(*b); err != nil {
			o.die(err)
			break
		}
	}
	if cap(*b) < 4*batchSize {
		batches.Put(b)
	}
}

// fill takes what waits, a batch at most. Returns false if nothing does.
func (o *outbox) fill(b *[]byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	*b = (*b)[:0]
	for ; o.taken < len(o.queue) && len(*b) < batchSize; o.taken++ {
		if m := o.queue[o.taken]; m.of == nil || !m.of.left.Load() {
			*b = o.pipe.append(*b, m)
		}
	}
	if o.taken == len(o.queue) {
		o.reset()
	}
	if len(*b) == 0 {
		o.writing = false
		o.endIfDone()
	}
	return o.writing
}

// reset keeps the room of a small queue only: most clients are idle most of the time.
func (o *outbox) reset() {
	clear(o.queue)
	if o.queue, o.taken = o.queue[:0], 0; cap(o.queue) > 2 {
		o.queue = nil
	}
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
}

func (o *outbox) die(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dead, o.writing = true, false
	o.queue = nil
	o.reset()
	o.pipe.broken(err)
	o.endIfDone()
}
