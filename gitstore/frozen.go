package gitstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/gitstore/git"
)

// frozenFacts answers which artifacts that are frozen at the merge base a submission
// changes otherwise than it may.
func (cs *Commits) frozenFacts(ctx context.Context, q flow.Query, f *flow.Facts) error {
	paths, of := []string{}, map[string]artifacts.Type{}
	for _, c := range f.Changes {
		i := slices.IndexFunc(q.Frozen, func(p board.TypedPattern) bool { return glob.Match(p.Glob, c.Path) })
		if i >= 0 {
			paths, of[c.Path] = append(paths, c.Path), *artifacts.TypeOf(&q.Frozen[i].Type)
		}
	}
	if len(paths) == 0 || f.Base == "" {
		return nil
	}
	trees, ok, err := cs.treesOf([]git.ID{f.Base, q.Submission})
	if err != nil || !ok {
		return err
	}
	w := pathWalk{ctx, cs.objects, func(path string, found []git.Entry) error {
		var states [2]*artifacts.State
		for i, e := range found {
			if states[i], err = cs.stateOf(e); err != nil {
				return err
			}
		}
		t := of[path]
		if t.CheckFrozen(states[0], states[1]) != "" {
			f.Frozen = append(f.Frozen, path)
		}
		return nil
	}}
	if err := w.descend(trees, "", paths); err != nil {
		return err
	}
	slices.Sort(f.Frozen)
	return nil
}

// stateOf is the artifact of an entry; nil if it is no file that can be one.
func (cs *Commits) stateOf(e git.Entry) (*artifacts.State, error) {
	if !isRegular(e) {
		return nil, nil
	}
	data, err := cs.objects.ReadKind(e.ID, "blob", artifacts.MaxText)
	if _, is := errors.AsType[*git.TooLarge](err); is {
		return nil, nil
	}
	return &artifacts.State{Mode: fmt.Sprintf("%06o", e.Mode), Text: data}, err
}
