package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"

	"github.com/coder/websocket"
)

// bareServer takes WebSockets, hears nothing, and writes a frame to all of them when
// it is asked to: POST /send?times=N with the frame as the body.
type bareServer struct {
	mu   sync.Mutex
	open []net.Conn
}

type connKey struct{}

// serveBare is the yardstick's process. It prints its address as a gateway does.
func serveBare() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b := &bareServer{}
	mux := http.NewServeMux()
	mux.HandleFunc("/graphql", b.accept)
	mux.HandleFunc("/send", b.send)
	server := &http.Server{Handler: mux, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}}
	fmt.Fprintln(os.Stderr, "address="+listener.Addr().String())
	return server.Serve(listener)
}

func (b *bareServer) accept(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"graphql-transport-ws"}})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	b.mu.Lock()
	b.open = append(b.open, r.Context().Value(connKey{}).(net.Conn))
	b.mu.Unlock()
	for err == nil {
		_, _, err = conn.Read(context.Background())
	}
}

// send uses all processors: each has its part of the sockets.
func (b *bareServer) send(_ http.ResponseWriter, r *http.Request) {
	frame, _ := io.ReadAll(r.Body)
	times, _ := strconv.Atoi(r.URL.Query().Get("times"))
	b.mu.Lock()
	defer b.mu.Unlock()
	var all sync.WaitGroup
	parts := runtime.GOMAXPROCS(0)
	for part := range parts {
		all.Go(func() {
			for range times {
				for i := part; i < len(b.open); i += parts {
					_, _ = b.open[i].Write(frame)
				}
			}
		})
	}
	all.Wait()
}
