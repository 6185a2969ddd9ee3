package gitstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrStateLost is wrapped if refs/liza/state is gone, but refs exist that only
// moves of a board create. The command line tests it for its rule.
var ErrStateLost = errors.New(layout.State + " is gone")

// explainLost tells a repository that never had a board (the error wraps
// ErrNoBoard) apart from one that lost its state ref.
func (h *history) explainLost(ctx context.Context) error {
	left, err := h.leftRefs(ctx)
	if err != nil {
		return err
	}
	if len(left) == 0 {
		return ErrNoBoard
	}
	names := slices.Sorted(maps.Keys(left))
	more := ""
	if len(names) > 1 {
		more = fmt.Sprintf(", and %d more such refs", len(names)-1)
	}
	return fmt.Errorf("%w, but its board was here: %s of it is left%s", ErrStateLost, names[0], more)
}

// leftRefs are the marks and saved commits that a board has left.
func (h *history) leftRefs(ctx context.Context) (map[string]git.ID, error) {
	all, err := h.Repo.Refs.List(ctx, layout.Root)
	for name := range all {
		if !isKeptRef(name) {
			delete(all, name)
		}
	}
	return all, err
}
