package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/gitstore/git"
)

// classFacts answers how far files may be automated, as they are at the tip. What is no
// file, and what cannot be classified, has no class.
func (cs *Commits) classFacts(ctx context.Context, q flow.Query, f *flow.Facts) error {
	if len(q.Classes) == 0 {
		return nil
	}
	trees, ok, err := cs.treesOf([]git.ID{cmp.Or(q.At, q.Tip)})
	if err != nil || !ok {
		return err
	}
	f.Classes = make(map[string]*flow.Class, len(q.Classes))
	w := pathWalk{ctx, cs.objects, func(path string, found []git.Entry) error {
		if !isRegular(found[0]) {
			return nil
		}
		data, err := cs.objects.ReadKind(found[0].ID, "blob", automation.MaxFile)
		var large *git.TooLarge
		if errors.As(err, &large) {
			return nil
		}
		if err != nil {
			return err
		}
		if class, err := automation.Classify(path, data); err == nil {
			f.Classes[path] = classOf(class)
		}
		return nil
	}}
	return w.descend(trees, "", q.Classes)
}

// classOf is a class as the board keeps it.
func classOf(c automation.Class) *flow.Class {
	is := &flow.Class{Type: string(c.Type), Scope: string(c.Scope), Loop: string(c.Loop), SecondLook: string(c.SecondLook),
		Source: string(c.Source), Rule: string(c.Rule)}
	for _, e := range c.Evidence {
		is.Evidence = append(is.Evidence, flow.Clean(fmt.Sprintf("%d: %s", e.Line, e.Text)))
	}
	return is
}
