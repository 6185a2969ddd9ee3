package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type diffCommand struct {
	From string `arg:"" optional:"" placeholder:"REV" help:"A time, a span before now (2h, 3d), a mark such as sprint-1, or a commit of refs/liza/state; default: before the last move."`
	To   string `arg:"" optional:"" placeholder:"REV" help:"Default: the board as it is."`
}

func (c *diffCommand) Run(inv *invocation, on reader) error {
	to, err := on.clone.Store.Rev(inv.ctx, cmp.Or(c.To, layout.State))
	if err != nil {
		return err
	}
	from := git.ID("")
	if c.From != "" {
		from, err = on.clone.Store.Rev(inv.ctx, c.From)
	} else if e, readErr := on.clone.Store.ReadEvent(to); readErr != nil {
		err = readErr
	} else {
		from = e.Parent
	}
	if err != nil {
		return err
	}
	list, err := differences(on.clone.Store, from, to)
	if err != nil {
		return err
	}
	changes := view.Changes(list, inv.color && !inv.json)
	var text strings.Builder
	for _, change := range changes {
		text.WriteString(change.Patch)
	}
	return pager{inv}.present(map[string]any{"from": from, "to": to, "documents": changes}, text.String())
}

// differences compares two states. An empty from is the state before the
// first move.
func differences(store *gitstore.Store, from, to git.ID) ([]gitstore.Difference, error) {
	if from != "" {
		return store.Diff(from, to)
	}
	files, err := store.Files(to)
	if err != nil {
		return nil, err
	}
	var list []gitstore.Difference
	for path, text := range files {
		list = append(list, gitstore.Difference{Path: path, New: text})
	}
	slices.SortFunc(list, func(a, b gitstore.Difference) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}
