package gitstore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// ErrNoBoard is wrapped when the repository has no refs/liza/state. The
// command line tests it for its exit code.
var ErrNoBoard = errors.New("there is no blackboard here")

// ErrConflict is wrapped when a move lost every one of a bounded number of
// races. The command line tests it for its exit code.
var ErrConflict = errors.New("other moves kept winning")

// ErrClock is wrapped when the board's last move is more than a minute ahead
// of this machine's clock.
var ErrClock = errors.New("the clock is wrong")

// ErrForeignRef is wrapped when a ref that a move needs is not where the
// board says, because something else has moved it.
var ErrForeignRef = errors.New("a ref is not where the board says")

// maxAttempts bounds the races that one move may lose. Waiting between them
// grows to half a second, so that a move gives up after about ten seconds.
const maxAttempts = 24

// A Store reads and moves the blackboard of one clone. It is for one
// goroutine; several of the same Repo work side by side.
type Store struct {
	Repo    *Repo
	now     func() time.Time
	objects *Objects
	library *library
	merges  map[[2]ID]Merge
}

// OpenStore is the store of a repository. now is the clock.
func OpenStore(ctx context.Context, r *Repo, now func() time.Time) (*Store, error) {
	o, err := r.Objects(ctx)
	if err != nil {
		return nil, err
	}
	return &Store{Repo: r, now: now, objects: o, merges: map[[2]ID]Merge{},
		library: newLibrary(o, filepath.Join(r.CommonDir(), "liza", "cache"))}, nil
}

// Now is the store's clock in the board's form: UTC, whole seconds.
func (s *Store) Now() time.Time { return s.now().UTC().Truncate(time.Second) }

// Board is the blackboard as it is, and the state commit that it was read
// from. Errors wrap ErrNoBoard, or are as those of [Store.BoardAt].
func (s *Store) Board(ctx context.Context) (*flow.Board, ID, error) {
	tip, err := s.Repo.Resolve(ctx, StateRef)
	if err != nil {
		return nil, "", err
	}
	if tip == "" {
		return nil, "", ErrNoBoard
	}
	b, err := s.BoardAt(tip)
	return b, tip, err
}

// BoardAt is the blackboard as a state commit left it. A board under newer
// rules is a *flow.Refusal, an unreadable one a *DocumentError.
func (s *Store) BoardAt(commit ID) (*flow.Board, error) {
	c, err := s.objects.Commit(commit)
	if err != nil {
		return nil, fmt.Errorf("blackboard: %w", err)
	}
	source := snapshot{s.library, c.Tree}
	b := flow.Open(source, c.AuthorTime.UTC())
	if rules := b.Settings().Rules; b.Err() != nil || rules > flow.RulesVersion {
		return nil, s.unreadable(source, b.Err(), rules)
	}
	return b, nil
}

// unreadable tells a board of a newer version from a broken one.
func (s *Store) unreadable(source snapshot, cause error, rules int) error {
	var head struct {
		Rules int `yaml:"rules"`
	}
	if data, err := s.file(source, "liza.yaml"); err == nil && rules == 0 {
		if DecodeLoose("liza.yaml", data, &head) == nil {
			rules = head.Rules
		}
	}
	if rules > flow.RulesVersion {
		return &flow.Refusal{Rule: flow.RuleVersion, Hint: "git liza version",
			Reason: fmt.Sprintf("the board has rules version %d, this program knows up to %d: install a newer git-liza", rules, flow.RulesVersion)}
	}
	return cause
}

func (s *Store) file(source snapshot, path string) ([]byte, error) {
	e, ok, err := s.objects.find(source.root, path)
	if err != nil || !ok {
		return nil, errors.Join(ErrNoObject, err)
	}
	_, data, err := s.objects.Read(e.ID)
	return data, err
}

// A Build makes a move for the board that it will be applied to; it is called
// again after every lost race. The refs go along with the move in the same
// transaction, after those that follow from the move itself.
type Build func(b *flow.Board, at time.Time) (flow.Move, []RefUpdate, error)

// A Result is a move that is on the blackboard.
type Result struct {
	Already bool // the board said so before; nothing was written
	Move    flow.Move
	Commit  ID          // the state commit; the tip where nothing was written
	Before  *flow.Board // nil if the move landed in an attempt that seemed lost
	After   *flow.Board
}

// Do makes one move: it reads the tip once, builds the move for that board,
// gathers git's facts, applies the rules, writes, and swaps the refs; after a
// lost race it does so again. Errors are *flow.Refusal, or wrap ErrNoBoard,
// ErrConflict, ErrClock, ErrForeignRef, ErrRefLocked, or what build returned.
// After an error the board is as it was.
func (s *Store) Do(ctx context.Context, build Build) (Result, error) {
	release, err := s.Repo.Queue(ctx)
	if err != nil {
		return Result{}, err
	}
	defer release()
	request, err := newRequest()
	if err != nil {
		return Result{}, err
	}
	var lost ID
	for attempt := range maxAttempts {
		tip, err := s.Repo.Resolve(ctx, StateRef)
		if err != nil {
			return Result{}, err
		}
		if attempt > 0 {
			if landed, err := s.landed(tip, lost, request); err != nil || landed != nil {
				return deref(landed), err
			}
			if tip == lost {
				return Result{}, ErrForeignRef
			}
		}
		result, err := s.attempt(ctx, tip, request, build)
		if !errors.Is(err, ErrRefMoved) {
			return result, err
		}
		if lost = tip; s.stray(ctx, tip) {
			return Result{}, fmt.Errorf("%w: %w", ErrForeignRef, err)
		}
		if err := pause(ctx, attempt); err != nil {
			return Result{}, err
		}
	}
	return Result{}, fmt.Errorf("%w: gave up after %d attempts", ErrConflict, maxAttempts)
}

func deref(r *Result) Result {
	if r == nil {
		return Result{}
	}
	return *r
}

// stray reports whether the state ref has not moved although a transaction
// lost: then another of its refs stands where nobody expects it.
func (s *Store) stray(ctx context.Context, tip ID) bool {
	now, err := s.Repo.Resolve(ctx, StateRef)
	return err == nil && now == tip
}

// pause waits before the next attempt, longer each time, with jitter so that
// losers do not meet again.
func pause(ctx context.Context, attempt int) error {
	limit := min(10*time.Millisecond<<attempt, 500*time.Millisecond)
	timer := time.NewTimer(time.Duration(mathrand.Int64N(int64(limit))))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func newRequest() (flow.Request, error) {
	text, err := RandomID()
	return flow.Request(text), err
}

// RandomID is 16 random hexadecimal digits, as requests, generations and
// board ids have.
func RandomID() (string, error) {
	var raw [8]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(raw[:]), nil
}

func (s *Store) attempt(ctx context.Context, tip ID, request flow.Request, build Build) (Result, error) {
	before := flow.Open(snapshot{s.library, ""}, time.Time{})
	if tip != "" {
		var err error
		if before, err = s.BoardAt(tip); err != nil {
			return Result{}, err
		}
		if err := s.settle(ctx, tip); err != nil {
			return Result{}, err
		}
	}
	at, err := s.dated(before)
	if err != nil {
		return Result{}, err
	}
	m, extra, err := build(before, at)
	if err != nil {
		return Result{}, err
	}
	if tip == "" && m.Act != flow.ActInit {
		return Result{}, ErrNoBoard
	}
	m.At, m.Request = at, request
	m.Normalize()
	if before.Already(m) {
		return Result{Already: true, Move: m, Commit: tip, Before: before, After: before}, nil
	}
	after, err := s.judge(ctx, before, m)
	if err != nil {
		return Result{}, err
	}
	commit, err := s.write(ctx, tip, before, after, m)
	if err != nil {
		return Result{}, err
	}
	updates := append([]RefUpdate{{Name: StateRef, Old: tip, New: commit}}, s.updates(m, before, commit)...)
	if err := s.Repo.MoveRefs(ctx, append(updates, extra...), "liza: "+m.Subject()); err != nil {
		return Result{}, err
	}
	s.housekeep(ctx, commit)
	return Result{Move: m, Commit: commit, Before: before, After: after}, nil
}

// dated is the time of the next move: now, but never before the last one.
func (s *Store) dated(b *flow.Board) (time.Time, error) {
	now := s.Now()
	if ahead := b.At().Sub(now); ahead > time.Minute {
		return time.Time{}, fmt.Errorf("%w: the last move is dated %s, %s ahead of this machine", ErrClock, b.At().Format(time.RFC3339), ahead)
	}
	if now.Before(b.At()) {
		return b.At(), nil
	}
	return now, nil
}

// judge gathers the facts that the move rests on and applies the rules.
func (s *Store) judge(ctx context.Context, before *flow.Board, m flow.Move) (*flow.Board, error) {
	facts, err := s.Facts(ctx, before.Ask(m))
	if err != nil {
		return nil, err
	}
	return before.Apply(m, &facts)
}

// write stores the documents that changed and the commit of the move.
func (s *Store) write(ctx context.Context, parent ID, before, after *flow.Board, m flow.Move) (ID, error) {
	root := ID("")
	if parent != "" {
		c, err := s.objects.Commit(parent)
		if err != nil {
			return "", err
		}
		root = c.Tree
	}
	tree, err := snapshot{s.library, root}.write(after.Changes())
	if err != nil {
		return "", err
	}
	name, email, err := s.Repo.Identity(ctx)
	if err != nil {
		return "", err
	}
	raw, err := encodeCommit(tree, parent, m, name+" <"+email+">", s.Now())
	if err != nil {
		return "", err
	}
	id, err := s.objects.WriteCommit(raw)
	if err != nil {
		return "", err
	}
	return id, s.objects.Flush()
}

// updates are the refs that follow from the move.
func (s *Store) updates(m flow.Move, before *flow.Board, commit ID) []RefUpdate {
	var list []RefUpdate
	for _, r := range m.Refs(before) {
		u := RefUpdate{Name: r.Name, Old: r.Old, New: r.New}
		if r.State {
			u.New = commit
		}
		list = append(list, u)
	}
	return list
}

// landed looks for a request among the moves after a tip: a transaction that
// reported failure may have succeeded all the same.
func (s *Store) landed(tip, since ID, request flow.Request) (*Result, error) {
	for id := tip; id != since && id != ""; {
		c, err := s.objects.Commit(id)
		if err != nil {
			return nil, err
		}
		m, err := decodeMove(id, c.Message)
		if err != nil {
			return nil, err
		}
		if m.Request == request {
			after, err := s.BoardAt(id)
			return &Result{Move: m, Commit: id, After: after}, err
		}
		if len(c.Parents) == 0 {
			return nil, nil
		}
		id = c.Parents[0]
	}
	return nil, nil
}

// settle brings the refs of the last move to what the board says, after a
// process died inside its transaction: the board is the truth.
func (s *Store) settle(ctx context.Context, tip ID) error {
	c, err := s.objects.Commit(tip)
	if err != nil {
		return err
	}
	m, err := decodeMove(tip, c.Message)
	if err != nil {
		return err
	}
	before := flow.Open(snapshot{s.library, ""}, time.Time{})
	if len(c.Parents) > 0 {
		if before, err = s.BoardAt(c.Parents[0]); err != nil {
			return err
		}
	}
	var late []RefUpdate
	for _, u := range s.updates(m, before, tip) {
		now, err := s.Repo.Resolve(ctx, u.Name)
		if err != nil {
			return err
		}
		if now == u.Old && now != u.New {
			late = append(late, u)
		}
	}
	return s.Repo.MoveRefs(ctx, late, "liza: complete "+m.Subject())
}

// Settle does for a reader what every move does first: it brings the refs of
// the last move to what the board says.
func (s *Store) Settle(ctx context.Context) error {
	tip, err := s.Repo.Resolve(ctx, StateRef)
	if err != nil || tip == "" {
		return err
	}
	return s.settle(ctx, tip)
}
