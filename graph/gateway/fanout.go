package gateway

import (
	"runtime"
	"slices"
	"sync"
	"syscall"

	"occupy/domain"
)

// result is one of a feed.
type result struct {
	payload []byte
	of      *domain.Change
}

const (
	// atOnce is how many results a member is told at once, at most.
	atOnce = 64
	// untold is how many may wait to be told; then the execution waits.
	untold = 16 * atOnce
	// few members are told sooner by one processor than by several.
	few = 64
)

// fanOut tells the members of a feed its results. While some are being told more
// gather, and are told together: one write for each member.
type fanOut struct {
	tell func([]result)

	mu      sync.Mutex
	changed sync.Cond
	waiting []result
	telling bool
}

func newFanOut(tell func([]result)) *fanOut {
	f := &fanOut{tell: tell}
	f.changed.L = &f.mu
	return f
}

func (f *fanOut) add(r result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.waiting) >= untold {
		f.changed.Wait()
	}
	f.waiting = append(f.waiting, r)
	if !f.telling {
		f.telling = true
		go f.run()
	}
}

// drain returns when all is told.
func (f *fanOut) drain() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.telling {
		f.changed.Wait()
	}
}

func (f *fanOut) run() {
	for {
		results := f.take()
		if len(results) == 0 {
			return
		}
		f.tell(results)
	}
}

func (f *fanOut) take() (results []result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(len(f.waiting), atOnce)
	results, f.waiting = f.waiting[:n:n], f.waiting[n:]
	if n == 0 {
		f.waiting, f.telling = nil, false
	}
	f.changed.Broadcast()
	return results
}

// members are those of a feed, in as many parts as there are processors.
type members struct {
	parts [][]*operation
	count int
}

func newMembers() members {
	return members{parts: make([][]*operation, runtime.GOMAXPROCS(0))}
}

func (m *members) add(o *operation) {
	o.part = m.count % len(m.parts)
	o.place = len(m.parts[o.part])
	m.parts[o.part] = append(m.parts[o.part], o)
	m.count++
}

func (m *members) has(o *operation) bool {
	part := m.parts[o.part]
	return o.place < len(part) && part[o.place] == o
}

func (m *members) remove(o *operation) {
	part := m.parts[o.part]
	end := len(part) - 1
	part[o.place], part[end].place = part[end], o.place
	part[end] = nil
	m.parts[o.part] = part[:end]
	m.count--
}

// copied are those of now. Telling thousands takes a while, in which others come
// and go.
func (m *members) copied() members {
	parts := make([][]*operation, len(m.parts))
	for i, part := range m.parts {
		parts[i] = slices.Clone(part)
	}
	return members{parts, m.count}
}

func (m *members) each(do func(*operation)) {
	for _, part := range m.parts {
		for _, o := range part {
			do(o)
		}
	}
}

// tell tells all of them.
func (m *members) tell(results []result) {
	tell := func(part []*operation) {
		w := writers.Get().(*tryWriter)
		defer writers.Put(w)
		for _, o := range part {
			o.tell(results, w)
		}
	}
	if m.count < few {
		for _, part := range m.parts {
			tell(part)
		}
		return
	}
	var all sync.WaitGroup
	for _, part := range m.parts {
		all.Go(func() { tell(part) })
	}
	all.Wait()
}

// tell hands results to the client.
func (o *operation) tell(results []result, w *tryWriter) {
	if o.beginning != nil {
		results = o.beginning.pass(o, results)
	}
	if len(results) > 0 {
		o.to.putAtOnce(o, results, w)
	}
}

var writers = sync.Pool{New: func() any { return newTryWriter() }}

// tryWriter writes what a client's machine takes without waiting.
type tryWriter struct {
	b    []byte
	n    int
	call func(fd uintptr) bool
}

func newTryWriter() *tryWriter {
	w := &tryWriter{}
	w.call = func(fd uintptr) bool {
		w.n, _ = syscall.Write(int(fd), w.b) // an error is met again by whoever waits
		return true
	}
	return w
}

// write returns how much of b was written.
func (w *tryWriter) write(to syscall.RawConn) int {
	w.n = 0
	_ = to.Write(w.call)
	return max(w.n, 0)
}
