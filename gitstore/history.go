package gitstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A history reads the chain of state commits of one clone.
type history struct {
	Repo *git.Repo
	clock
	objects   *git.Objects
	documents *documentCache
	current   *summaryCache // summaries of the current board, kept on disk
	past      *summaryCache // summaries of earlier boards
}

func openHistory(ctx context.Context, r *git.Repo, now func() time.Time) *history {
	o := r.Objects(ctx)
	return &history{Repo: r, clock: now, objects: o, documents: newDocumentCache(o),
		current: newSummaryCache(filepath.Join(r.CommonDir(), layout.Private, "cache")), past: newSummaryCache("")}
}

// A clock tells the time.
type clock func() time.Time

// Now is the time in the board's form: UTC, whole seconds.
func (c clock) Now() time.Time { return c().UTC().Truncate(time.Second) }

// maxAhead is how far ahead of this machine's clock a time of the board may be.
const maxAhead = time.Minute

// after is the time of what follows the last move: now, but never before that move. The
// error wraps ErrClock.
func (c clock) after(last time.Time) (time.Time, error) {
	now := c.Now()
	if ahead := last.Sub(now); ahead > maxAhead {
		return time.Time{}, fmt.Errorf("%w: the last move is dated %s, %s ahead of this machine", ErrClock, last.Format(time.RFC3339), ahead)
	}
	if now.Before(last) {
		return last, nil
	}
	return now, nil
}

// Tip is the state commit. The error wraps ErrNoBoard if there is none, or
// ErrStateLost if there was one.
func (h *history) Tip(ctx context.Context) (git.ID, error) {
	tip, err := h.Repo.Refs.Resolve(ctx, layout.State)
	if err == nil && tip == "" {
		err = h.explainLost(ctx)
	}
	return tip, err
}

// Board is the current blackboard and the state commit that it was read from.
// Errors wrap ErrNoBoard or ErrStateLost, or are those of [Store.BoardAt].
func (h *history) Board(ctx context.Context) (*board.Board, git.ID, error) {
	tip, err := h.Tip(ctx)
	if err != nil {
		return nil, "", err
	}
	b, _, err := h.boardAt(tip, h.current)
	return b, tip, err
}

// BoardAt is the blackboard at a state commit. The error is a *flow.Refusal for
// a board of a newer format, a *document.Error for an unreadable one.
func (h *history) BoardAt(commit git.ID) (*board.Board, error) {
	b, _, err := h.boardAt(commit, h.past)
	return b, err
}

// boardAt returns the source too, as the base of a draft.
func (h *history) boardAt(commit git.ID, kept *summaryCache) (*board.Board, snapshot, error) {
	c, err := h.readStateCommit(commit)
	if err != nil {
		return nil, snapshot{}, fmt.Errorf("blackboard: %w", err)
	}
	return h.boardOf(c, kept)
}

// boardOf is boardAt for a state commit that was read.
func (h *history) boardOf(c git.Commit, kept *summaryCache) (*board.Board, snapshot, error) {
	source := snapshot{documentCache: h.documents, root: c.Tree, cache: kept}
	b := board.Open(source, c.AuthorTime.UTC())
	source.format = b.Settings().Format
	if b.Err() != nil || source.format < 1 || source.format > board.NewestFormat {
		return nil, source, h.explainUnreadable(source, b.Err())
	}
	return board.Open(source, c.AuthorTime.UTC()), source, source.checkRoot()
}

// emptyBoard is the board that the first move is applied to.
func (h *history) emptyBoard() (*board.Board, snapshot) {
	source := snapshot{documentCache: h.documents, cache: h.past}
	return board.Open(source, time.Time{}), source
}

// readStateCommit reads a commit that should hold a move.
func (h *history) readStateCommit(id git.ID) (git.Commit, error) {
	c, err := h.objects.Commit(id)
	if large, is := errors.AsType[*git.TooLarge](err); is {
		return git.Commit{}, &document.Error{Name: "commit " + string(id), Line: 1, Reason: fmt.Sprintf("it has %d bytes, at most %d are allowed", large.Size, git.MaxCommit)}
	}
	return c, err
}

// explainUnreadable tells a board of another format apart from a broken one.
func (h *history) explainUnreadable(source snapshot, cause error) error {
	name := folders[board.SettingsDoc].name
	said := declared{Format: source.format}
	if said.Format == 0 {
		said = h.declared(source, name)
	}
	switch {
	case said.Format > board.NewestFormat:
		return &flow.Refusal{Rule: flow.RuleFormat, Hint: "git liza --version",
			Reason: fmt.Sprintf("the board has format %d, this program knows up to %d: install a newer git-liza", said.Format, board.NewestFormat)}
	case said.unreleased():
		return ErrUnreleased
	case cause == nil:
		return &document.Error{Name: name, Line: 1, Reason: "it names no format"}
	}
	return cause
}

// declared is what settings say that cannot be decoded in full.
func (h *history) declared(source snapshot, name string) (said declared) {
	e, ok, err := h.objects.Find(source.root, name)
	if err != nil || !ok || e.Mode != git.ModeBlob {
		return said
	}
	data, err := source.blob(name, e.ID)
	if err != nil {
		return said
	}
	if doc, err := document.Parse(name, data, document.MaxSize); err == nil {
		_ = doc.DecodeLoose(&said)
	}
	return said
}

// Authority is the name of the remote that holds the board, "" if this clone
// holds it.
func (h *history) Authority(ctx context.Context) (string, error) {
	return h.Repo.Config.Config(ctx, remoteKey)
}

func (h *history) statePath(name string) string {
	return filepath.Join(h.Repo.CommonDir(), layout.Private, name)
}

// ErrNoState is wrapped by Rev when a name matches no state of the board. The
// command line tests it to say where the states are listed.
var ErrNoState = errors.New("no such state of the board")

// Rev is the state commit of a name: a time (the last move that is not later),
// the name of a mark, an abbreviated or full id, any revision that git knows,
// such as refs/liza/state~3, or a span before now. Errors wrap ErrNoBoard or
// ErrNoState.
func (h *history) Rev(ctx context.Context, name string) (git.ID, error) {
	tip, err := h.Tip(ctx)
	if err != nil {
		return "", err
	}
	if at, ok := ParseTime(name); ok {
		return h.lastBefore(tip, at)
	}
	if mark, err := h.Repo.Refs.Resolve(ctx, board.MarkRef(name)); err == nil && mark != "" {
		return mark, nil
	}
	id, err := h.Repo.ParseCommit(ctx, name)
	if err == nil {
		if _, notOne := h.ReadEvent(id); notOne == nil {
			return id, nil
		}
	} else if !errors.Is(err, git.ErrNoCommit) {
		return "", err
	}
	if span, ok := ParseSpan(name); ok {
		return h.lastBefore(tip, h.Now().Add(-span))
	}
	return "", fmt.Errorf("%w: %q, no mark (sprint-1), no commit of %s, no time (%s) and no span before now (%s)", ErrNoState, name, layout.State, TimeForms, SpanForms)
}

// lastBefore is the last move that is not later than a time.
func (h *history) lastBefore(tip git.ID, at time.Time) (git.ID, error) {
	found := git.ID("")
	err := h.Events(tip, func(e Event) (bool, error) {
		if e.Move.At.After(at) {
			return true, nil
		}
		found = e.Commit
		return false, nil
	})
	if err == nil && found == "" {
		err = fmt.Errorf("%w: no board existed yet at %s", ErrNoState, at.Format(time.RFC3339))
	}
	return found, err
}
