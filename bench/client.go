package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// client is one kept-alive connection. It reads what the gateway's server writes
// and no more of HTTP than that: net/http's own client takes as much of the
// processors as the gateway does.
type client struct {
	conn net.Conn
	in   *bufio.Reader
	out  bytes.Buffer
	body bytes.Buffer
}

// answerWithin is how long an answer may take before the run fails.
const answerWithin = 30 * time.Second

func dial(address string) (*client, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return newClient(conn, conn), nil
}

func newClient(conn net.Conn, in io.Reader) *client {
	return &client{conn: conn, in: bufio.NewReaderSize(in, 16<<10)}
}

// ask sends a GraphQL request as a user. The answer is valid until the next.
func (c *client) ask(user int, request []byte) ([]byte, error) {
	c.out.Reset()
	fmt.Fprintf(&c.out, "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"X-User-Id: user%d\r\nContent-Length: %d\r\n\r\n%s", user, len(request), request)
	_ = c.conn.SetDeadline(time.Now().Add(answerWithin))
	if _, err := c.conn.Write(c.out.Bytes()); err != nil {
		return nil, err
	}
	return c.read()
}

// read reads one answer.
func (c *client) read() ([]byte, error) {
	length, err := c.readHead()
	if err != nil {
		return nil, err
	}
	c.body.Reset()
	if length >= 0 {
		_, err = io.CopyN(&c.body, c.in, int64(length))
		return c.body.Bytes(), err
	}
	for {
		if done, err := c.readChunk(); done || err != nil {
			return c.body.Bytes(), err
		}
	}
}

// readHead gives the length of the body, -1 if it comes in chunks. The status says
// nothing that the body does not.
func (c *client) readHead() (length int, err error) {
	for length = -1; ; {
		line, err := c.line()
		if err != nil || len(line) == 0 {
			return length, err
		}
		if value, is := bytes.CutPrefix(line, []byte("Content-Length: ")); is {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		}
	}
}

// readChunk adds one chunk to the body. Returns true after the last.
func (c *client) readChunk() (done bool, err error) {
	line, err := c.line()
	if err != nil {
		return false, err
	}
	size, err := strconv.ParseUint(string(line), 16, 31)
	if err != nil {
		return false, err
	}
	if _, err := io.CopyN(&c.body, c.in, int64(size)); err != nil {
		return false, err
	}
	if line, err = c.line(); err == nil && len(line) > 0 {
		err = errors.New("a chunk is longer than it says")
	}
	return size == 0, err
}

func (c *client) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}
