package work

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An Outage is the error of an act for which a gate could not run on this machine: its
// program is missing, or the disk is full. That blames no task. It is a *flow.Refusal too.
type Outage struct {
	Gate   string
	Commit board.ObjectID // on which it was to run
	Said   string         // how it ended

	refusal *flow.Refusal
}

// Error returns the reason.
func (o *Outage) Error() string { return o.refusal.Error() }

// Unwrap returns the refusal of the act.
func (o *Outage) Unwrap() error { return o.refusal }

// refuseGate is the refusal of what a gate has not passed on a commit; an *[Outage] if it
// could not run.
func refuseGate(r board.Receipt, commit board.ObjectID, hint string) error {
	if r.Result == board.Errored {
		said := endingOf(r)
		return &Outage{r.Gate, commit, said, &flow.Refusal{Rule: flow.RuleGate, Hint: hint, Reason: "gate " + r.Gate + " could not run on this machine: " + said}}
	}
	return &flow.Refusal{Rule: flow.RuleGate, Hint: hint, Reason: "gate " + r.Gate + " fails: " + endingOf(r)}
}

// isOutage reports whether the receipt of a gate that failed is that of an outage: the
// gate is one of the board, which knows outages.
func isOutage(b *board.Board, r *board.Receipt) bool {
	if r == nil || r.Result != board.Errored {
		return false
	}
	_, there := b.Settings().Config.Gate(r.Gate)
	return there
}

// TryGate reports whether a gate of the board can run on this machine now, whatever its
// result. It runs on a commit, or on integration if the commit is "" or is not there.
func (i *Integration) TryGate(ctx context.Context, name string, commit board.ObjectID) (runs bool, err error) {
	b, _, err := i.store.Board(ctx)
	if err != nil {
		return false, err
	}
	g, there := b.Settings().Config.Gate(name)
	if !there {
		return true, nil
	}
	if err := i.commands.trust.Check(ctx, g.Command); err != nil {
		return false, err
	}
	tree, err := i.commands.treeOf(ctx, commit)
	if commit == "" || err != nil {
		commit = b.Settings().Integration.Tip
		if tree, err = i.commands.treeOf(ctx, commit); err != nil {
			return false, err
		}
	}
	g.Required = true // whatever it is, it has to run
	_, failed, err := i.commands.passAll(ctx, []board.Gate{g}, commit, tree)
	return err == nil && (failed == nil || failed.Result != board.Errored), err
}

// CheckSetUp returns an error if the set-up of checkouts fails on integration.
func (i *Integration) CheckSetUp(ctx context.Context, b *board.Board) error {
	return i.commands.checkSetUp(ctx, b.Settings().Integration.Tip)
}

// A notedOutage is what a command of a session leaves for its supervisor.
type notedOutage struct {
	Gate   string         `json:"gate"`
	Commit board.ObjectID `json:"commit"`
	Said   string         `json:"said"`
}

// SessionOutage returns what kept a submission of an agent's session from its gates since
// a time, nil if nothing did. The agent could write it, so it proves nothing: the gate is
// tried before more work waits for it.
func SessionOutage(commonDir string, agent board.AgentID, since time.Time) *Outage {
	var noted notedOutage
	if json.Unmarshal(readSince(outagePath(commonDir, agent), since), &noted) != nil {
		return nil
	}
	return &Outage{Gate: noted.Gate, Commit: noted.Commit, Said: board.Excerpt(noted.Said, 500)}
}

func outagePath(commonDir string, agent board.AgentID) string {
	return filepath.Join(commonDir, layout.Private, "outages", string(agent))
}

// NoteOffline records for the supervisor of an agent that a command of its
// session did not reach the remote, with the command's error. A failure to
// write is ignored: the session then counts like any other.
func NoteOffline(commonDir string, agent board.AgentID, said string) {
	path := offlinePath(commonDir, agent)
	_ = os.MkdirAll(filepath.Dir(path), 0o777)
	_ = os.RemoveAll(path)                                                                 // an agent may have put a folder there
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666); err == nil { // a supervisor of another user reads it
		_, _ = f.WriteString(board.Excerpt(said, 500))
		f.Close()
	}
}

// Offline returns the error of a command of an agent's session that did not
// reach the remote since a time, "" if there is none. The agent wrote it, so it
// proves nothing.
func Offline(commonDir string, agent board.AgentID, since time.Time) string {
	return board.Excerpt(string(readSince(offlinePath(commonDir, agent), since)), 500)
}

// readSince returns what a file has that was written since a time, nil if none was.
func readSince(path string, since time.Time) []byte {
	info, err := os.Lstat(path)
	if err != nil || info.ModTime().Before(since) {
		return nil
	}
	text, _ := git.ReadSmall(path) // nil beside an error
	return text
}

func offlinePath(commonDir string, agent board.AgentID) string {
	return filepath.Join(commonDir, layout.Private, "offline", string(agent))
}
