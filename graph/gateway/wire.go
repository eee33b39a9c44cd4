package gateway

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"net"
	"net/http"
	"syscall"
	"time"
)

// wire is a socket's TCP connection as coder/websocket sees it. That reads, and
// answers pings and closes; what it writes waits in the outbox like all else, so
// that reading never waits for a client that does not read.
type wire struct {
	net.Conn
	socket *socket
}

// Read notes that the client lives.
func (w wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.socket.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

// Write queues one whole control frame.
func (w wire) Write(p []byte) (int, error) {
	w.socket.out.put(message{kind: raw, payload: bytes.Clone(p)})
	return len(p), nil
}

// Close closes the connection once all is written.
func (w wire) Close() error {
	w.socket.out.finish()
	return nil
}

// upgrade is the response that coder/websocket takes the connection from.
type upgrade struct {
	http.ResponseWriter
	socket *socket
}

const (
	readBuffer  = 512 // what clients say is short; what is longer is read past it
	writeBuffer = 256 // the longest control frame, twice
)

// Hijack gives the wire, with buffers that are smaller than net/http's.
func (u upgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(u.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w := wire{conn, u.socket}
	u.socket.tcp = conn
	if c, can := conn.(syscall.Conn); can {
		u.socket.direct, _ = c.SyscallConn()
	}
	in := buffers.Reader
	if in.Buffered() == 0 {
		in = bufio.NewReaderSize(w, readBuffer)
	}
	return w, bufio.NewReadWriter(in, bufio.NewWriterSize(w, writeBuffer)), nil
}

const (
	textFrame = 0x81 // the last frame of a message, and the only one
	pingFrame = 0x89
)

var ping = message{kind: raw, payload: []byte{pingFrame, 0}}

// appendHeader begins an unmasked frame of a text message. coder/websocket could
// not write one payload for many without copying it for each.
func appendHeader(b []byte, length int) []byte {
	switch {
	case length < 126:
		return append(b, textFrame, byte(length))
	case length < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, textFrame, 126), uint16(length))
	}
	return binary.BigEndian.AppendUint64(append(b, textFrame, 127), uint64(length))
}

// appendText adds a text message that comes in parts.
func appendText(b []byte, parts ...[]byte) []byte {
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	b = appendHeader(b, length)
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// text is a message of no operation.
func text(payload string) message {
	return message{kind: raw, payload: appendText(nil, []byte(payload))}
}
