package gitstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A history is the chain of state commits of one clone, to be read.
type history struct {
	Repo *git.Repo
	clock
	objects   *git.Objects
	documents *documentCache
	current   *summaryCache // summaries of the board as it is, kept beyond the process
	past      *summaryCache // summaries of earlier boards
}

func openHistory(ctx context.Context, r *git.Repo, now func() time.Time) (*history, error) {
	o, err := r.Objects(ctx)
	if err != nil {
		return nil, err
	}
	return &history{Repo: r, clock: now, objects: o, documents: newDocumentCache(o),
		current: newSummaryCache(filepath.Join(r.CommonDir(), layout.Private, "cache")), past: newSummaryCache("")}, nil
}

// A clock tells the time.
type clock func() time.Time

// Now is the time in the board's form: UTC, whole seconds.
func (c clock) Now() time.Time { return c().UTC().Truncate(time.Second) }

// Tip is the state commit. The error wraps ErrNoBoard where there is none, or
// ErrStateLost where there was one.
func (h *history) Tip(ctx context.Context) (git.ID, error) {
	tip, err := h.Repo.Resolve(ctx, layout.State)
	if err == nil && tip == "" {
		err = h.explainLost(ctx)
	}
	return tip, err
}

// Board is the blackboard as it is, and the state commit that it was read
// from. Errors wrap ErrNoBoard or ErrStateLost, or are as those of
// [history.BoardAt].
func (h *history) Board(ctx context.Context) (*flow.Board, git.ID, error) {
	tip, err := h.Tip(ctx)
	if err != nil {
		return nil, "", err
	}
	b, _, err := h.boardAt(tip, h.current)
	return b, tip, err
}

// BoardAt is the blackboard as a state commit left it. A board under newer
// rules is a *flow.Refusal, an unreadable one a *document.Error.
func (h *history) BoardAt(commit git.ID) (*flow.Board, error) {
	b, _, err := h.boardAt(commit, h.past)
	return b, err
}

// boardAt returns the source too, for a draft upon it.
func (h *history) boardAt(commit git.ID, kept *summaryCache) (*flow.Board, snapshot, error) {
	c, err := h.readStateCommit(commit)
	if err != nil {
		return nil, snapshot{}, fmt.Errorf("blackboard: %w", err)
	}
	source := snapshot{h.documents, c.Tree, kept}
	b := flow.Open(source, c.AuthorTime.UTC())
	if rules := b.Settings().Rules; b.Err() != nil || rules < 1 || rules > flow.RulesVersion {
		return nil, source, h.explainUnreadable(source, b.Err(), rules)
	}
	return b, source, source.checkRoot()
}

// emptyBoard is what the first move of all is applied to.
func (h *history) emptyBoard() (*flow.Board, snapshot) {
	source := snapshot{h.documents, "", h.past}
	return flow.Open(source, time.Time{}), source
}

// readStateCommit reads a commit that holds a move, or says that it does.
func (h *history) readStateCommit(id git.ID) (git.Commit, error) {
	c, err := h.objects.Commit(id)
	var large *git.TooLarge
	if errors.As(err, &large) {
		return git.Commit{}, &document.Error{Name: "commit " + string(id), Line: 1, Reason: fmt.Sprintf("it has %d bytes, at most %d are allowed", large.Size, git.MaxCommit)}
	}
	return c, err
}

// explainUnreadable tells a board of a newer version from a broken one.
func (h *history) explainUnreadable(source snapshot, cause error, rules int) error {
	name := folders[flow.SettingsDoc].name
	if rules == 0 {
		rules = h.declaredRules(source, name)
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

// declaredRules is the rules version that settings name which cannot be read in
// full, 0 if none.
func (h *history) declaredRules(source snapshot, name string) int {
	e, ok, err := h.objects.Find(source.root, name)
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

// Authority is the name of the remote that holds the board, "" if this clone
// holds it itself.
func (h *history) Authority(ctx context.Context) (string, error) {
	return h.Repo.Config(ctx, remoteKey)
}

func (h *history) statePath(name string) string {
	return filepath.Join(h.Repo.CommonDir(), layout.Private, name)
}

// ErrNoState is wrapped by Rev when a name stands for no state of the board.
// The command line tests it to say where the states are listed.
var ErrNoState = errors.New("no such state of the board")

// Rev is the state commit that a name stands for: a time (the last move not
// after it), a mark's name, an abbreviated or full id, or any revision git
// knows, such as refs/liza/state~3. Errors wrap ErrNoBoard or ErrNoState.
func (h *history) Rev(ctx context.Context, name string) (git.ID, error) {
	tip, err := h.Tip(ctx)
	if err != nil {
		return "", err
	}
	if at, ok := ParseTime(name); ok {
		return h.lastBefore(tip, at)
	}
	if mark, err := h.Repo.Resolve(ctx, flow.MarkRef(name)); err == nil && mark != "" {
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
	return "", fmt.Errorf("%w: %q", ErrNoState, name)
}

// lastBefore finds the last move that is not after a time.
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
		err = fmt.Errorf("%w: there was none yet at %s", ErrNoState, at.Format(time.RFC3339))
	}
	return found, err
}

// ParseTime reads a time as people write it: RFC 3339, or without its zone, its
// seconds or its clock, and then in UTC.
func ParseTime(s string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if at, err := time.Parse(form, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
