package gitstore

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrDeclined is wrapped when a remote says no to a push, by a hook of its own or for want
// of a right: only its operator, or another login, changes that. The command line tests it
// for its hint, supervisors to wait longer.
var ErrDeclined = errors.New("the remote refuses the push")

// passes matches what git and hosts say of a ref in brackets where another push was faster, a
// lock was in the way, the line broke, what came with it was moved meanwhile, or another ref of
// the push was refused.
var passes = pattern.Late(`\((.*(stale info|fetch first|non-fast-forward|incorrect old value|already exists|\block|failed to update ref|transaction|unable to migrate objects|atomic push fail|failed to report status).*)\)$`)

// forbids matches what a transport says to somebody who may not push, without a word on refs.
var forbids = pattern.Late(`returned error: 4\d\d|Authentication failed|could not read (Username|Password)|(?i:(permission|access)\b.* denied)`)

// refusesLogin matches what a transport says to somebody whom a host does not let in, and no file
// system does.
var refusesLogin = pattern.Late(`returned error: 40[13]|Authentication failed|could not read (Username|Password)|Permission denied \(|(?i:access\b.* denied|permission\b.+ denied)`)

// isRefusedLogin reports whether a talk with a remote ended because the host lets nobody in.
func isRefusedLogin(err error) bool {
	e, is := errors.AsType[*git.Error](err)
	return is && refusesLogin().MatchString(e.Stderr)
}

// ErrLogin is wrapped when a remote does not let the login of this machine in. It is ErrOffline, as
// nothing is known of the remote, and ErrDeclined, as asked once more it would say the same. The
// command line tests it for its hint.
var ErrLogin error = refusedLogin{}

type refusedLogin struct{}

func (refusedLogin) Error() string { return "the remote refuses this login" }

// Is reports whether the error is tested for as target.
func (refusedLogin) Is(target error) bool { return target == ErrOffline || target == ErrDeclined }

// IsDeclined reports whether the error of a push is the no of its remote: pushed once more, the
// same would be refused.
func IsDeclined(err error) bool { return errors.Is(err, ErrDeclined) || errors.Is(err, ErrRemoteFull) }

// A Declined is the last move that the remote declined, or the last merge that a rule refused.
type Declined struct {
	At   time.Time    `json:"at"`
	Move string       `json:"move"`
	Task board.TaskID `json:"task,omitempty"` // of a merge: the remote may take other moves
	Said string       `json:"said"`
	Hint string       `json:"hint,omitempty"` // of the rule
}

// Note keeps it for who looks. A failure to write is ignored.
func (d Declined) Note(r *git.Repo) {
	d.Said = board.Excerpt(board.Clean(d.Said), 500)
	_ = git.ReplaceJSON(declinedFile(r), d)
}

func declinedFile(r *git.Repo) string {
	return filepath.Join(r.CommonDir(), layout.Private, "declined")
}

// ReadDeclined returns the last move that the remote declined, nil if it has taken another since.
// A session could write it: it is shown, and nothing depends on it.
func ReadDeclined(r *git.Repo) *Declined {
	d, err := git.ReadJSON[*Declined](declinedFile(r))
	if err != nil {
		return nil
	}
	return d
}

// noteDeclined notes what the remote says to a move.
func (p *pusher) noteDeclined(commit git.ID, said error) {
	d := Declined{At: p.history.Now(), Said: said.Error()}
	if e, err := p.history.ReadEvent(commit); err == nil {
		d.Move = e.Move.Subject()
		if e.Move.Act == board.ActMerge {
			d.Task = e.Move.Task
		}
	}
	d.Note(p.repo)
}
