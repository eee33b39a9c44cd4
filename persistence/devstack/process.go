package devstack

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// process is a child that ends when this process ends.
type process struct {
	pid  int
	done chan struct{} // closed once the child has ended
	err  error         // how it ended; to be read after done
}

// launch starts cmd as the child user, in a process group of its own, and has the kernel send it the signal death
// when this process ends, however that comes.
func launch(cmd *exec.Cmd, death syscall.Signal) (*process, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: death, Credential: childUser()}
	p := &process{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// To the kernel the parent is the thread that forked: it has to live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.pid = cmd.Process.Pid
	return p, nil
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// endsWithin reports whether the child has ended before the patience is over.
func (p *process) endsWithin(patience time.Duration) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(patience):
		return false
	}
}

// nobody is the user and the group that root's children run as, on every Linux.
const nobody = 65534

// childUser is who the children run as: nil for whom we are.
func childUser() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.Credential{Uid: nobody, Gid: nobody}
}

// giveToChild makes path the child user's.
func giveToChild(path string) error {
	if user := childUser(); user != nil {
		return os.Chown(path, int(user.Uid), int(user.Gid))
	}
	return nil
}

// signalTree sends a signal to a process and everything below it, and returns what is below. The process comes first:
// one that is stopped forks no more.
// PostgreSQL's backends are sessions of their own, so that a signal to the process group would miss them.
func signalTree(root int, signal syscall.Signal) []int {
	_ = syscall.Kill(root, signal)
	below := descendants(root)
	for _, pid := range below {
		_ = syscall.Kill(pid, signal)
	}
	return below
}

// killTree ends a process and everything below it, and returns when all of them are gone.
func killTree(root int) {
	all := append(signalTree(root, syscall.SIGSTOP), root)
	for _, pid := range all {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for _, pid := range all {
		for alive(pid) {
			time.Sleep(time.Millisecond)
		}
	}
}

// descendants lists the living processes below root.
func descendants(root int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if state, parent := procStat(pid); state != 'Z' && parent != 0 {
			children[parent] = append(children[parent], pid)
		}
	}
	below := children[root]
	for i := 0; i < len(below); i++ {
		below = append(below, children[below[i]]...)
	}
	return below
}

// alive reports whether pid is a process that can still do something: a zombie cannot.
func alive(pid int) bool {
	state, _ := procStat(pid)
	return state != 0 && state != 'Z'
}

// procStat reads a process's state letter and its parent; zeros if it is gone.
func procStat(pid int) (state byte, parent int) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	// "12 (a name, with spaces or brackets) S 1 …"
	fields := bytes.Fields(content[bytes.LastIndexByte(content, ')')+1:])
	parent, _ = strconv.Atoi(string(fields[1]))
	return fields[0][0], parent
}
