package gateway

import (
	"runtime"
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
	parts []map[*operation]struct{}
	count int
}

func newMembers() members {
	return members{parts: make([]map[*operation]struct{}, runtime.GOMAXPROCS(0))}
}

func (m *members) add(o *operation) {
	o.part = m.count % len(m.parts)
	if m.parts[o.part] == nil {
		m.parts[o.part] = map[*operation]struct{}{}
	}
	m.parts[o.part][o] = struct{}{}
	m.count++
}

func (m *members) remove(o *operation) {
	delete(m.parts[o.part], o)
	m.count--
}

func (m *members) has(o *operation) bool {
	_, has := m.parts[o.part][o]
	return has
}

func (m *members) each(do func(*operation)) {
	for _, part := range m.parts {
		for o := range part {
			do(o)
		}
	}
}

// tell tells all of them.
func (m *members) tell(results []result) {
	if m.count < few {
		w := writers.Get().(*tryWriter)
		defer writers.Put(w)
		m.each(func(o *operation) { o.tell(results, w) })
		return
	}
	var all sync.WaitGroup
	for _, part := range m.parts {
		all.Go(func() {
			w := writers.Get().(*tryWriter)
			defer writers.Put(w)
			for o := range part {
				o.tell(results, w)
			}
		})
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
