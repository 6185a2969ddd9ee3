// Package gitstore keeps the blackboard as commits in a git repository: it reads
// the board, makes moves, replays and verifies them, and brings them to and from
// the remote that holds the board.
package gitstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrNoBoard is wrapped when the repository has no refs/liza/state. The
// command line tests it for its exit code.
var ErrNoBoard = errors.New("there is no blackboard here")

// ErrConflict is wrapped when a move lost every one of a bounded number of
// races. The command line tests it for its exit code.
var ErrConflict = errors.New("other moves kept winning")

// ErrClock is wrapped when the board's last move is more than a minute ahead
// of this machine's clock. The command line tests it for its hint.
var ErrClock = errors.New("the clock is wrong")

// ErrForeignRef is wrapped when a ref that a move needs is not where the
// board says, because something else has moved it. The command line tests it
// for its exit code.
var ErrForeignRef = errors.New("a ref is not where the board says")

// A Store reads and moves the blackboard of one clone. It is for one
// goroutine; several of the same Repo work side by side.
type Store struct {
	Repo     *git.Repo
	Follower Follower // brings checkouts along where a remote is the authority; may be nil

	// Permit is asked about every move that is made here, before the rules are;
	// its error ends the move. May be nil.
	Permit func(context.Context, *flow.Board, flow.Move) error

	now     func() time.Time
	objects *git.Objects
	library *library
	current *shelf // summaries of the board as it is, kept beyond the process
	past    *shelf // summaries of earlier boards
	merges  map[[2]git.ID]git.Merge
	answer  *answer               // the last of git's answers about a move
	trail   map[git.ID]link       // moves that were looked back at
	signers map[string]ssh.Signer // by principal
}

// OpenStore is the store of a repository. now is the clock.
func OpenStore(ctx context.Context, r *git.Repo, now func() time.Time) (*Store, error) {
	o, err := r.Objects(ctx)
	if err != nil {
		return nil, err
	}
	return &Store{Repo: r, now: now, objects: o, library: newLibrary(o), merges: map[[2]git.ID]git.Merge{}, trail: map[git.ID]link{}, signers: map[string]ssh.Signer{},
		current: newShelf(filepath.Join(r.CommonDir(), "liza", "cache")), past: newShelf("")}, nil
}

// Now is the store's clock in the board's form: UTC, whole seconds.
func (s *Store) Now() time.Time { return s.now().UTC().Truncate(time.Second) }

// Board is the blackboard as it is, and the state commit that it was read
// from. Errors wrap ErrNoBoard or ErrStateLost, or are as those of
// [Store.BoardAt].
func (s *Store) Board(ctx context.Context) (*flow.Board, git.ID, error) {
	tip, err := s.Tip(ctx)
	if err != nil {
		return nil, "", err
	}
	b, _, err := s.boardAt(tip, s.current)
	return b, tip, err
}

// Tip is the state commit. The error wraps ErrNoBoard where there is none, or
// ErrStateLost where there was one.
func (s *Store) Tip(ctx context.Context) (git.ID, error) {
	tip, err := s.Repo.Resolve(ctx, git.StateRef)
	if err == nil && tip == "" {
		err = s.lost(ctx)
	}
	return tip, err
}

// BoardAt is the blackboard as a state commit left it. A board under newer
// rules is a *flow.Refusal, an unreadable one a *document.Error.
func (s *Store) BoardAt(commit git.ID) (*flow.Board, error) {
	b, _, err := s.boardAt(commit, s.past)
	return b, err
}

// boardAt returns the source too, for a draft upon it.
func (s *Store) boardAt(commit git.ID, kept *shelf) (*flow.Board, snapshot, error) {
	c, err := s.commitObject(commit)
	if err != nil {
		return nil, snapshot{}, fmt.Errorf("blackboard: %w", err)
	}
	source := snapshot{s.library, c.Tree, kept}
	b := flow.Open(source, c.AuthorTime.UTC())
	if rules := b.Settings().Rules; b.Err() != nil || rules < 1 || rules > flow.RulesVersion {
		return nil, source, s.unreadable(source, b.Err(), rules)
	}
	return b, source, source.checkRoot()
}

// emptyBoard is what the first move of all is applied to.
func (s *Store) emptyBoard() (*flow.Board, snapshot) {
	source := snapshot{s.library, "", s.past}
	return flow.Open(source, time.Time{}), source
}

// commitObject reads a commit that holds a move, or says that it does.
func (s *Store) commitObject(id git.ID) (git.Commit, error) {
	c, err := s.objects.Commit(id)
	var large *git.TooLarge
	if errors.As(err, &large) {
		return git.Commit{}, &document.Error{Name: "commit " + string(id), Line: 1, Reason: fmt.Sprintf("it has %d bytes, at most %d are allowed", large.Size, git.MaxCommit)}
	}
	return c, err
}

// checkRoot refuses a tree with anything else at its top than documents and
// their folders.
func (s snapshot) checkRoot() error {
	entries, err := s.tree(s.root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		folder, ok := tops[e.Name]
		want := uint32(git.ModeTree)
		if folders[folder].single {
			want = git.ModeBlob
		}
		if !ok || e.Mode != want {
			return misplaced(e.Name)
		}
	}
	return nil
}

// unreadable tells a board of a newer version from a broken one.
func (s *Store) unreadable(source snapshot, cause error, rules int) error {
	name := folders[flow.SettingsDoc].name
	if rules == 0 {
		rules = s.declared(source, name)
	}
	switch {
	case rules > flow.RulesVersion:
		return &flow.Refusal{Rule: flow.RuleVersion, Hint: "git liza version",
			Reason: fmt.Sprintf("the board has rules version %d, this program knows up to %d: install a newer git-liza", rules, flow.RulesVersion)}
	case cause == nil:
		return &document.Error{Name: name, Line: 1, Reason: "there is none that names the version of its rules"}
	}
	return cause
}

// declared is the rules version that settings name which cannot be read in
// full, 0 if none.
func (s *Store) declared(source snapshot, name string) int {
	e, ok, err := s.objects.Find(source.root, name)
	if err != nil || !ok || e.Mode != git.ModeBlob {
		return 0
	}
	data, err := source.blob(name, e.ID)
	if err != nil {
		return 0
	}
	var head struct {
		Rules int `yaml:"rules"`
	}
	if document.DecodeLoose(name, data, &head) != nil {
		return 0
	}
	return head.Rules
}
