package provider

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
)

// A ledger is what a program itself writes about a session while it runs, read as
// far as it goes: one that is killed says nothing of what it has used, and some
// never do. It may be used from any goroutine.
type ledger struct {
	row   Row
	spawn Spawn
	env   []string

	mu   sync.Mutex
	read *transcript.Transcript // nil if the row knows of no ledger
	path string                 // of the file, "" while it was not found
	at   int64                  // up to which it is read
}

// newLedger begins a run that counts from now on.
func (p Provider) newLedger(s Spawn, env []string, now time.Time) *ledger {
	l := &ledger{row: p.Row, spawn: s, env: env}
	if len(p.Ledger) > 0 {
		// A row is checked for a family that keeps one.
		l.read, _ = transcript.NewLedger(p.Output, now.Truncate(time.Millisecond))
	}
	return l
}

// count is the report with what the ledger says that was used, where that is more
// than the records say.
func (l *ledger) count(r transcript.Report) transcript.Report {
	if l.read == nil {
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look(cmp.Or(r.Session, l.spawn.Resume, l.spawn.Session))
	if told := l.read.Report(); told.Usage.Input+told.Usage.Output > r.Usage.Input+r.Usage.Output {
		told.Usage.Cost = r.Usage.Cost
		r.Usage, r.Model = told.Usage, cmp.Or(r.Model, told.Model)
	}
	return r
}

// maxLook bounds what is read at one look, in bytes; the next one goes on.
const maxLook = 64 << 20

// look reads what has been written since the last look. What cannot be read is
// not there.
func (l *ledger) look(session string) {
	if l.path == "" {
		l.path = l.row.ledger(session, l.env)
	}
	if l.path == "" {
		return
	}
	// A fifo would not open without somebody at its other end.
	file, err := os.OpenFile(l.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	if _, err := file.Seek(l.at, io.SeekStart); err != nil {
		return
	}
	n, _ := io.Copy(l.read, io.LimitReader(file, maxLook))
	l.at += n
}

// sessionName is what stands for a session in the name of a file.
var sessionName = regexp.MustCompile(`^[0-9A-Za-z_-]{8,100}$`)

// ledger is the file that the program keeps of a session, "" if there is none.
func (r Row) ledger(session string, environ []string) string {
	if !sessionName.MatchString(session) {
		return ""
	}
	names := strings.NewReplacer("{session}", session, "{session8}", session[:8])
	for _, pattern := range r.Ledger {
		if pattern = expanded(names.Replace(pattern), environ); pattern == "" {
			continue
		}
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[len(found)-1] // the names begin with the time
		}
	}
	return ""
}
