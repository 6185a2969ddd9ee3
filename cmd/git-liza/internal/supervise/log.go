package supervise

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
)

// maxLog is the size in bytes at which an agent's log is renamed to its .old log, which
// replaces the one before.
const maxLog = 1 << 20

// A log is what an agent was told and printed: LOG/<agent>.log, and before that
// LOG/<agent>.log.old. A log that cannot be written does not stop the work.
type log struct {
	mu   sync.Mutex
	path string
	f    *os.File
	size int64
}

func openLog(commonDir string, id board.AgentID) (*log, error) {
	l := &log{path: logPath(commonDir, id)}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o777); err != nil {
		return nil, fmt.Errorf("log of %s: %w", id, err)
	}
	return l, l.open(os.O_APPEND)
}

func logPath(commonDir string, id board.AgentID) string {
	return filepath.Join(commonDir, layout.Private, "log", string(id)+".log")
}

func (l *log) open(how int) error {
	// Through a symbolic link of an agent's the log would write to any file of the
	// user's, and a fifo would block the supervisor.
	if info, err := os.Lstat(l.path); err == nil && !info.Mode().IsRegular() {
		if err := os.Remove(l.path); err != nil {
			return fmt.Errorf("log: %w", err)
		}
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|how, 0o600)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	l.f, l.size = f, 0
	if info, err := f.Stat(); err == nil {
		l.size = info.Size()
	}
	return nil
}

// Write appends output of the agent's program.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append(p)
	return len(p), nil
}

// note appends a line of the supervisor.
func (l *log) note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.append(fmt.Appendf(nil, format, args...))
}

func (l *log) append(p []byte) {
	if l.size > 0 && l.size+int64(len(p)) > maxLog {
		l.f.Close()
		if os.Rename(l.path, l.path+".old") != nil || l.open(os.O_TRUNC) != nil {
			return
		}
	}
	n, _ := l.f.Write(p)
	l.size += int64(n)
}

func (l *log) close() { l.f.Close() }

// A splitter passes an agent's output on line by line, without what would control the
// terminal.
type splitter struct {
	to   func(line string)
	rest []byte
}

// maxLine is how many bytes of an unfinished line are kept before they are passed on.
const maxLine = 4096

// Write passes on the complete lines.
func (p *splitter) Write(b []byte) (int, error) {
	p.rest = append(p.rest, b...)
	for {
		i := bytes.IndexByte(p.rest, '\n')
		if i < 0 && len(p.rest) < maxLine {
			return len(b), nil
		}
		if i < 0 {
			i = len(p.rest) - 1
			p.to(board.Clean(string(p.rest)))
		} else {
			p.to(board.Clean(string(p.rest[:i])))
		}
		p.rest = p.rest[i+1:]
	}
}
