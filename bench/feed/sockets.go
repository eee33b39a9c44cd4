package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// patience is more than anything here takes.
const patience = time.Minute

// crowd is many subscribers of one feed, each on a socket of its own.
type crowd struct {
	conns []net.Conn
	got   atomic.Int64  // frames of all, beside the acknowledgements
	first atomic.Int64  // when the first of those waited for came, Unix nanoseconds
	want  atomic.Int64  // when got is this much, reach is told
	from  atomic.Int64  // got when the waiting began
	reach chan struct{} // one place
	last  atomic.Pointer[[]byte]
}

const (
	initMessage = `{"type":"connection_init","payload":{"X-User-Id":"bench"}}`
	// subscription is what a panel asks for.
	subscription = `subscription { occupancyChanged(filter: {itemTypes: [\"LOT\"]}) { kind event at cursor previous { state userId } occupancy { itemType itemName state userId uiName menuName startTime expireTime version renewals } } }`
	subscribe    = `{"id":"3f2c1a9e-7a44-4b0e-9d25-3c1b5f0e8a11","type":"subscribe","payload":{"query":"` + subscription + `"}}`
)

// gather opens that many sockets and subscribes on each.
func gather(address string, n int) (*crowd, error) {
	c := &crowd{reach: make(chan struct{}, 1)}
	var mu sync.Mutex
	var all sync.WaitGroup
	failed := make(chan error, 8)
	for part := range cap(failed) {
		all.Go(func() {
			for i := part; i < n; i += cap(failed) {
				conn, in, err := dial(address)
				if err != nil {
					failed <- err
					return
				}
				mu.Lock()
				c.conns = append(c.conns, conn)
				mu.Unlock()
				go c.read(conn, in)
			}
		})
	}
	all.Wait()
	close(failed)
	return c, <-failed
}

func (c *crowd) leave() {
	for _, conn := range c.conns {
		_ = conn.Close()
	}
}

// dial opens a socket, and says who asks and what for.
func dial(address string) (net.Conn, *bufio.Reader, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(conn, "GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n")
	in := bufio.NewReaderSize(conn, 4<<10)
	response, err := http.ReadResponse(in, nil)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		return nil, nil, fmt.Errorf("upgrade: %s", response.Status)
	}
	_, err = conn.Write(append(masked(initMessage), masked(subscribe)...))
	return conn, in, err
}

// masked is a text frame by a client. A mask of zeroes changes nothing.
func masked(text string) []byte {
	b := []byte{0x81, 0x80 | 126, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint16(b[2:], uint16(len(text)))
	return append(b, text...)
}

// read counts frames until the socket is closed.
func (c *crowd) read(conn net.Conn, in *bufio.Reader) {
	for {
		frame, err := in.Peek(4)
		if err != nil {
			return
		}
		header, length := 2, int(frame[1])
		if length == 126 {
			header, length = 4, int(binary.BigEndian.Uint16(frame[2:]))
		}
		ping := frame[0] == 0x89
		if ping {
			_, _ = conn.Write([]byte{0x8a, 0x80, 0, 0, 0, 0})
		}
		whole, err := in.Peek(header + length)
		if err != nil {
			return
		}
		if isResult := !ping && length > 60; isResult {
			c.count(whole)
		}
		if _, err := in.Discard(header + length); err == io.EOF {
			return
		}
	}
}

func (c *crowd) count(frame []byte) {
	if c.last.Load() == nil {
		kept := append([]byte(nil), frame...)
		c.last.Store(&kept)
	}
	got := c.got.Add(1)
	if got == c.from.Load()+1 {
		c.first.Store(time.Now().UnixNano())
	}
	if got == c.want.Load() {
		c.reach <- struct{}{}
	}
}

// all says when every subscriber has got that many frames more.
func (c *crowd) all(frames int) <-chan struct{} {
	c.from.Store(c.got.Load())
	c.want.Store(c.got.Load() + int64(frames*len(c.conns)))
	return c.reach
}
