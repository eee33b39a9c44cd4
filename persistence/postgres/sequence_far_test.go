package postgres

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"testing"
	"time"
)

// Case Q9.
func TestNobodyStallsAtARefillThoughTheDatabaseIsFarAway(t *testing.T) {
	t.Parallel()
	const latency = 200 * time.Millisecond
	direct := newURL(t)
	near, far := open(t, Config{URL: direct}), open(t, Config{URL: slowURL(t, direct, latency)})
	setCache(t, near, "S", 400)
	together(6, func(i int) { mustNextVal(t, far, fmt.Sprint("WARM", i)) }) // to connect takes several times as long
	before := time.Now()
	mustNextVal(t, far, "S")
	far.sequences.mu.Lock()
	if late := far.sequences.stocks["S"].Blocks[0].Leased.Sub(before); late > latency/2 {
		t.Errorf("the lease is counted from %v after it was asked for", late)
	}
	far.sequences.mu.Unlock()
	pace := time.NewTicker(5 * time.Millisecond) // half a block lasts longer than the latency
	defer pace.Stop()
	stalled := 0
	for range 700 {
		<-pace.C
		began := time.Now()
		mustNextVal(t, far, "S")
		if time.Since(began) > latency/2 {
			stalled++
		}
	}
	if stalled > 0 {
		t.Errorf("%d of 700 calls stalled", stalled)
	}
}

// slowURL is a wire to the database whose answers take that long.
func slowURL(t *testing.T, databaseURL string, latency time.Duration) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			conn, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			go func() { _, _ = io.Copy(conn, client); conn.Close() }()
			go func() { _, _ = io.Copy(delayed{client, latency}, conn); client.Close() }()
		}
	}()
	u.Host = listener.Addr().String()
	return u.String()
}

// delayed writes everything later. It is for dialogues: one chunk at a time.
type delayed struct {
	net.Conn
	by time.Duration
}

func (d delayed) Write(p []byte) (int, error) {
	<-time.After(d.by)
	return d.Conn.Write(p)
}

// ReadFrom would hand the copying on to the connection itself.
func (d delayed) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{d}, r)
}
