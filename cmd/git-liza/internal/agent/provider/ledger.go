package provider

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/pattern"
)

// A ledger is a file in which a program itself records a session while it runs. It
// tells what a session has used whose program is killed or never prints that. It may
// be used from any goroutine.
type ledger struct {
	row   Row
	spawn Spawn
	env   []string

	mu     sync.Mutex
	read   *transcript.Transcript // nil if the row names no ledger
	path   string                 // of the file, "" until it is found
	offset int64                  // up to which the file is read
}

// newLedger is the ledger of a run that counts what is used after now.
func (p Provider) newLedger(s Spawn, env []string, now time.Time) *ledger {
	l := &ledger{row: p.Row, spawn: s, env: env}
	if len(p.Ledger) > 0 {
		// The check of the row has found that its family has one.
		l.read, _ = transcript.NewLedger(p.Output, now.Truncate(time.Millisecond))
	}
	return l
}

// addUsage returns the report with the context in the ledger, and with the usage there
// if that is more than the usage in the records.
func (l *ledger) addUsage(r transcript.Report) transcript.Report {
	if l.read == nil {
		return r
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.readNew(cmp.Or(r.Session, l.spawn.Resume, l.spawn.Session))
	told := l.read.Report()
	if told.Filled > 0 {
		r.Filled, r.Window, r.Model = told.Filled, told.Window, cmp.Or(r.Model, told.Model)
	}
	if told.Usage.Input+told.Usage.Output > r.Usage.Input+r.Usage.Output {
		told.Usage.Cost = r.Usage.Cost
		r.Usage, r.Model = told.Usage, cmp.Or(r.Model, told.Model)
	}
	return r
}

// AddLedger adds to the report of a session that began at a time what the row's ledger has of it.
func (r Row) AddLedger(report transcript.Report, env []string, began time.Time) transcript.Report {
	return Provider{Row: r}.newLedger(Spawn{}, env, began).addUsage(report)
}

// maxRead is how many bytes are read at once; the next call reads on.
const maxRead = 64 << 20

// readNew reads what was written since the last call. A file that cannot be read
// counts as missing.
func (l *ledger) readNew(session string) {
	if l.path == "" {
		l.path = l.row.findLedger(session, l.env)
	}
	if l.path == "" {
		return
	}
	// A fifo would not open without a process at its other end.
	file, err := os.OpenFile(l.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return
	}
	if _, err := file.Seek(l.offset, io.SeekStart); err != nil {
		return
	}
	n, _ := io.Copy(l.read, io.LimitReader(file, maxRead))
	l.offset += n
}

// sessionName matches the id of a session that may be part of a file's name.
var sessionName = pattern.Late(`^[0-9A-Za-z_-]{8,100}$`)

// findLedger is the path of the program's ledger of a session, "" if there is none.
func (r Row) findLedger(session string, environ []string) string {
	if !sessionName().MatchString(session) {
		return ""
	}
	names := strings.NewReplacer("{session}", session, "{session8}", session[:8])
	for _, pattern := range r.Ledger {
		if pattern = expandPath(names.Replace(pattern), environ); pattern == "" {
			continue
		}
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[len(found)-1] // the names begin with the time
		}
	}
	return ""
}
