// Package gitstore keeps the blackboard as commits in a git repository: it reads
// the board, makes moves, replays and verifies them, and brings them to and from
// the remote that holds the board.
package gitstore

import (
	"context"
	"errors"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrNoBoard is wrapped when the repository has no refs/liza/state. The
// command line tests it for its exit code.
var ErrNoBoard = errors.New("there is no blackboard here")

// ErrConflict is wrapped when a move lost a bounded number of races. The
// command line tests it for its exit code.
var ErrConflict = errors.New("other moves kept winning")

// ErrClock is wrapped when the board's last move is more than a minute ahead
// of this machine's clock. The command line tests it for its hint.
var ErrClock = errors.New("the clock is wrong")

// ErrForeignRef is wrapped when a ref that a move needs is not where the
// board says, because something else has moved it. The command line tests it
// for its exit code.
var ErrForeignRef = errors.New("a ref is not where the board says")

// A Store is the blackboard of one clone: it reads the board and makes moves.
// It is for one goroutine; several Stores of the same Repo work side by side.
// Its parts are listed in the order of their layers: each uses only parts above
// it.
type Store struct {
	*history             // the board, its moves, and the states between them
	Commits   *Commits   // facts of git about commits that moves name
	Settler   *Settler   // the refs that follow from moves
	Audit     *Audit     // whether moves replay, and what is damaged
	Repairer  *Repairer  // resets the state ref to a state that replays
	Remotes   *Remotes   // git processes that talk to remotes
	Presences *Presences // presences of agents
	Mirror    *Mirror    // the board of the remote that is the authority
	Packer    *Packer    // packs of what moves have written

	// Permit is called for every move that is made here, before the rules; its
	// error ends the move. May be nil.
	Permit func(context.Context, *board.Board, flow.Move) error
	// Landed is called after every move that was made here and is on the blackboard. May
	// be nil.
	Landed func(context.Context, Result)

	pusher  *pusher
	mover   *mover
	signers map[string]ssh.Signer // by principal
}

// OpenStore is the store of a repository. now is the clock.
func OpenStore(ctx context.Context, r *git.Repo, now func() time.Time) *Store {
	h := openHistory(ctx, r, now)
	s := &Store{history: h, Packer: &Packer{r}, signers: map[string]ssh.Signer{}}
	s.Commits = &Commits{repo: r, history: h, objects: h.objects, merges: map[[3]string]git.Merge{}}
	s.Settler = &Settler{repo: r, history: h}
	s.Audit = &Audit{repo: r, history: h, commits: s.Commits, settler: s.Settler, trail: map[git.ID]link{}}
	s.Remotes = &Remotes{repo: r, clock: h.clock}
	s.Repairer = &Repairer{repo: r, history: h, audit: s.Audit, remotes: s.Remotes}
	s.Presences = &Presences{repo: r, history: h, remotes: s.Remotes}
	s.Mirror = &Mirror{repo: r, history: h, remotes: s.Remotes, audit: s.Audit, settler: s.Settler,
		publisher: &publisher{repo: r, history: h, remotes: s.Remotes}, packer: s.Packer}
	s.mover = &mover{repo: r, history: h, settler: s.Settler, audit: s.Audit, packer: s.Packer}
	s.pusher = &pusher{repo: r, history: h, settler: s.Settler, remotes: s.Remotes, mirror: s.Mirror, packer: s.Packer}
	return s
}
