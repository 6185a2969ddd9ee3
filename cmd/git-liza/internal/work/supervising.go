package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A supervisorRecord is the content of `liza/supervisors/<generation>`. A
// supervisor holds a kernel lock on this file in the common git directory
// from before its agent is registered until the agent is unregistered. The
// file stays if the supervisor is killed: if it can be locked, and nobody holds
// the generation as a name of the machine, the supervisor is dead. Its content
// names the process for people.
type supervisorRecord struct {
	PID  int    `json:"pid"`
	Host string `json:"host"`
	Boot string `json:"boot"` // id of the machine's boot, "" if the system has none
}

func recordFolder(repo *git.Repo) string {
	return filepath.Join(repo.CommonDir(), layout.Private, "supervisors")
}

// thisMachine returns the record of this process.
func thisMachine() supervisorRecord {
	host, _ := os.Hostname()
	return supervisorRecord{os.Getpid(), host, proc.Boot()}
}

// Supervise marks this process as the supervisor of the registration with a
// generation, until leave is called. If the registration stays, so does the file, as of a dead one.
func Supervise(repo *git.Repo, g board.Generation) (leave func(stays bool), err error) {
	text, err := json.Marshal(thisMachine())
	if err != nil {
		return nil, err
	}
	path := filepath.Join(recordFolder(repo), string(g))
	for {
		err := os.MkdirAll(filepath.Dir(path), 0o777)
		if err != nil {
			return nil, fmt.Errorf("supervisor: %w", err)
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return nil, fmt.Errorf("supervisor: %w", err)
		}
		// A process that clears leftovers may have removed the file
		// meanwhile.
		if !git.LocksAt(f, path) {
			f.Close()
			continue
		}
		if _, err := f.Write(text); err != nil {
			git.Unlock(f)
			return nil, fmt.Errorf("supervisor: %w", err)
		}
		drop, _ := proc.HoldName(string(g)) // whoever had it looked for dead ones
		return func(stays bool) {
			if !stays {
				os.Remove(path)
			}
			git.Unlock(f)
			drop()
		}, nil
	}
}

// openDeadRecord locks the file of a registration whose supervisor, on this machine,
// is dead. It returns nil if the supervisor lives, runs on another machine or is
// unknown.
func openDeadRecord(repo *git.Repo, g board.Generation) *os.File {
	f, t, ok := openRecord(repo, g)
	if !ok {
		return nil
	}
	here := thisMachine()
	// Within one boot the lock decides, even if containers have different
	// host names. After a restart of this host all its supervisors are dead.
	// A lock of another host may not be visible here.
	near := t.Boot == here.Boot && t.Boot != "" || t.Host == here.Host
	dead := near && git.LocksAt(f, f.Name())
	if dead { // a session may have put another file there
		var drop func()
		drop, dead = proc.HoldName(string(g))
		drop()
	}
	if !dead {
		f.Close()
		return nil
	}
	return f
}

func openRecord(repo *git.Repo, g board.Generation) (*os.File, supervisorRecord, bool) {
	path := filepath.Join(recordFolder(repo), string(g))
	t, err := git.ReadJSON[supervisorRecord](path)
	if err != nil || g == "" {
		return nil, t, false
	}
	f, err := os.Open(path)
	return f, t, err == nil
}

// DeadSupervisor returns the process id of a supervisor of this machine that died
// without unregistering its agent. It is 0 if the supervisor lives or its state
// is unknown.
func DeadSupervisor(repo *git.Repo, g board.Generation) (pid int) {
	f := openDeadRecord(repo, g)
	if f == nil {
		return 0
	}
	defer git.Unlock(f)
	_, t, _ := openRecord(repo, g)
	return t.PID
}

// Supervised reports whether the supervisor of a registration may live. Of a machine whose
// locks cannot be seen from here it may.
func Supervised(repo *git.Repo, g board.Generation) bool {
	f, _, ok := openRecord(repo, g)
	if !ok {
		return false
	}
	f.Close()
	return DeadSupervisor(repo, g) == 0
}

// An Orphan is an agent whose supervisor is dead, with what was released.
type Orphan struct {
	Agent board.AgentID
	PID   int // of the supervisor
	Gave  []board.TaskID
}

// ReleaseOrphans unregisters the agents whose supervisors died on this machine, as
// these would have done: it releases what the agents hold, and their work stays for the
// next holder. It skips agents of other machines, of supervisors that live or are
// stopped, and of sessions with a living process. The error names the moves that
// failed. leave is called as each agent before what it holds is released, while nobody else can have its id; after its error nothing is.
func (c *Clone) ReleaseOrphans(ctx context.Context, leave func(*Clone, board.AgentID) error) (done []Orphan, err error) {
	entries, err := os.ReadDir(recordFolder(c.Repo))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	var free []*os.File
	for _, entry := range entries {
		if f := openDeadRecord(c.Repo, board.Generation(entry.Name())); f != nil {
			defer git.Unlock(f)
			free = append(free, f)
		}
	}
	if len(free) == 0 {
		return nil, nil
	}
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return nil, err
	}
	agents := registeredAgents(b)
	guarded, err := livingSessions(c.Repo)
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, f := range free {
		a := agents[board.Generation(filepath.Base(f.Name()))]
		if a != nil && slices.Contains(guarded, a.Generation.Child()) {
			continue
		}
		if a != nil {
			s, err := c.releaseOrphan(ctx, *a, leave)
			if err != nil {
				failed = append(failed, fmt.Errorf("%s, whose supervisor is dead: %w", a.ID, err))
				continue
			}
			done = append(done, s)
		}
		os.Remove(f.Name())
	}
	return done, errors.Join(failed...)
}

// registeredAgents returns the agents by the generation of their
// registration.
func registeredAgents(b *board.Board) map[board.Generation]*board.Agent {
	list := map[board.Generation]*board.Agent{}
	for _, a := range board.All[*board.Agent](b, board.Agents) {
		if a.Generation != "" {
			list[a.Generation] = a
		}
	}
	return list
}

// livingSessions returns the generations of sessions with a living process.
func livingSessions(repo *git.Repo) ([]board.Generation, error) {
	marks, err := proc.Living(Records(repo))
	var list []board.Generation
	for _, m := range marks {
		if w, ok := parseMark(m); ok {
			list = append(list, w.Generation)
		}
	}
	return list, err
}

// releaseOrphan makes the last moves of a dead supervisor.
func (c *Clone) releaseOrphan(ctx context.Context, a board.Agent, leave func(*Clone, board.AgentID) error) (Orphan, error) {
	_, t, _ := openRecord(c.Repo, a.Generation)
	s := Orphan{Agent: a.ID, PID: t.PID}
	own, err := c.As(ctx, board.Actor(a.ID), a.Generation)
	if err != nil {
		return s, err
	}
	if err := leave(own, a.ID); err != nil {
		return s, err
	}
	for _, id := range []board.TaskID{a.Task, a.Review} {
		if id == "" {
			continue
		}
		if _, err := own.Release(ctx, id, flow.ReleaseMove{}); err != nil {
			return s, err
		}
		s.Gave = append(s.Gave, id)
	}
	if _, err := own.Make(ctx, board.ActUnregister, "", &flow.UnregisterMove{Agent: a.ID}); err != nil {
		return s, err
	}
	return s, gitstore.DropPresence(ctx, c.Repo, a.ID, a.Generation)
}
