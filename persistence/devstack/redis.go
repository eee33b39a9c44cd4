package devstack

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// newRedis returns a Redis that keeps nothing: Occupy only makes itself fast with it.
// An empty password lets everybody in.
func newRedis(f *folder, tools, password string) (*Server, error) {
	program, err := findRedis(tools)
	if err != nil {
		return nil, err
	}
	s := &Server{
		name: "Redis",
		log:  f.file("redis.log"),
		command: func(port int) (*exec.Cmd, error) {
			cmd := program.command(f.path, "-")
			cmd.Stdin = strings.NewReader(redisConfig(port, password)) // arguments are for everybody to see
			return cmd, nil
		},
		leave:    syscall.SIGTERM,
		orphaned: syscall.SIGKILL,
		freePort: randomPort,
	}
	s.ready = func(pid int) bool { return redisAnswers(s.port, password, pid) }
	return s, nil
}

func redisConfig(port int, password string) string {
	config := fmt.Sprintf("bind 127.0.0.1\nport %d\nsave \"\"\nappendonly no\ndaemonize no\n", port)
	if password != "" {
		config += "requirepass " + password + "\n"
	}
	return config
}

// redisAnswers reports whether it is our own child that answers on port. It asks in plain text: go-redis would write
// to the program's standard error as long as nobody listens.
func redisAnswers(port int, password string, pid int) bool {
	conn, err := net.Dial("tcp", address(port))
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if password != "" {
		fmt.Fprintf(conn, "AUTH %s\r\n", password)
	}
	fmt.Fprint(conn, "INFO server\r\nQUIT\r\n")
	answer, _ := io.ReadAll(conn)
	return strings.Contains(string(answer), fmt.Sprintf("\nprocess_id:%d\r\n", pid))
}

// newMiniredis starts a Redis within this process, for a machine without one.
func newMiniredis(password string) (*miniredis.Miniredis, error) {
	mini := miniredis.NewMiniRedis()
	if password != "" {
		mini.RequireAuth(password)
	}
	return mini, mini.StartAddr("127.0.0.1:0")
}
