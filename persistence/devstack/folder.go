package devstack

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// DefaultDir returns the folder of this copy of the repo's durable stack and of its tools: .devstack in the repo, or,
// for root, whose servers run as nobody and cannot reach a repo under /root, one of /var/lib that is the copy's alone.
// Two copies never share one. Returns an error if the working directory is not inside the repo.
func DefaultDir() (string, error) {
	repo, err := repoRoot()
	if err != nil || os.Geteuid() != 0 {
		return filepath.Join(repo, ".devstack"), err
	}
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(repo)))
	return filepath.Join("/var/lib/occupy-devstack", hash[:12]), nil
}

// toolsDir is where install.sh unpacks what the machine lacks.
func toolsDir() (string, error) {
	dir, err := DefaultDir()
	return filepath.Join(dir, "tools"), err
}

// repoRoot is the folder with the go.mod at or above the working directory, without symbolic links.
func repoRoot() (string, error) {
	start, err := realPath(".")
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == "/" {
			return "", fmt.Errorf("%s is not in a copy of the repo: no go.mod above it", start)
		}
	}
}

// folder is a stack's own folder, locked: no second stack is started on it.
type folder struct {
	path      string
	temporary bool
	lock      *os.File
}

const temporaryPrefix = "occupy-devstack-"

// openFolder makes and locks dir; an empty dir stands for a temporary one, which is removed by close.
// Returns an error that names the other process if dir is in use.
func openFolder(dir string) (*folder, error) {
	f := &folder{temporary: dir == ""}
	if f.temporary {
		removeForgotten()
		made, err := os.MkdirTemp("", temporaryPrefix)
		if err != nil {
			return nil, err
		}
		dir = made
	}
	// Whatever the umask is: the child user has to get through.
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o755)); err != nil {
		return nil, err
	}
	var err error
	if f.path, err = realPath(dir); err != nil {
		return nil, err
	}
	f.lock, err = lockFile(f.file("lock"))
	return f, err
}

// realPath is absolute and without symbolic links, as the kernel tells a process's working directory.
func realPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

func (f *folder) close() error {
	defer unlock(f.lock)
	if f.temporary {
		return os.RemoveAll(f.path)
	}
	return nil
}

// lockFile takes a lock that ends with this process, and writes who we are into the file.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		pid, _ := os.ReadFile(path)
		return nil, fmt.Errorf("already running, pid %s (%s is locked)", strings.TrimSpace(string(pid)), path)
	}
	_ = file.Truncate(0)
	_, err = fmt.Fprintln(file, os.Getpid())
	return file, err
}

// unlock does not leave it to Close: a child that is just being forked has the file open too, up to its exec.
func unlock(file *os.File) {
	_ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	file.Close()
}

// removeForgotten removes the temporary folders of stacks that were never stopped: of test runs that were interrupted.
func removeForgotten() {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), temporaryPrefix+"*"))
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		// In /tmp a folder of that name may be somebody else's trap; and a new one may not be locked yet.
		if err != nil || !info.IsDir() || !isOurs(info) || time.Since(info.ModTime()) < time.Minute {
			continue
		}
		if lock, err := lockFile(filepath.Join(dir, "lock")); err == nil {
			_ = os.RemoveAll(dir)
			unlock(lock)
		}
	}
}

func isOurs(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// password returns the folder's password, made at the first call and kept where only we can read it.
func (f *folder) password() (string, error) {
	path := f.file("password")
	if kept, err := os.ReadFile(path); err == nil {
		return strings.TrimSpace(string(kept)), nil
	}
	secret := rand.Text()
	return secret, os.WriteFile(path, []byte(secret+"\n"), 0o600)
}
