package flow

import (
	"cmp"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
)

// SpecChangeMove records that a spec changed, and what caused it. It may say that
// the text means the same as before, so that verdicts hold that were given for it.
type SpecChangeMove struct {
	Spec   string         `yaml:"spec"`
	Change string         `yaml:"change"`
	Cause  board.TaskID   `yaml:"cause"`
	Same   bool           `yaml:"same_meaning"`
	Old    board.ObjectID `yaml:"old"` // the blobs that mean the same
	New    board.ObjectID `yaml:"new"`
}

func (s *SpecChangeMove) check(p *play) *Refusal {
	if r := present("the spec", s.Spec, "git liza help record spec-change"); r != nil {
		return r
	}
	hint := "git liza record spec-change " + shell.Quote(s.Spec) + " --change TEXT"
	if r := present("the change", s.Change, hint); r != nil {
		return r
	}
	if s.Cause != "" && p.board.Task(s.Cause) == nil {
		return refuse(RuleNotFound, "git liza list --all", "there is no task %s", s.Cause)
	}
	if r := goalOpen(p); r != nil {
		return r
	}
	if s.Same {
		return s.means(p)
	}
	if s.Old != "" || s.New != "" {
		return refuse(RuleForm, "git liza record spec-change "+shell.Quote(s.Spec)+" --same-meaning", "blobs are named of texts that mean the same")
	}
	return nil
}

// means refuses to say that a change left the meaning of a text: to agents that
// do not plan, to those who wrote it, and of other blobs than the last two.
func (s *SpecChangeMove) means(p *play) *Refusal {
	path, by := s.Spec, p.move.By
	if standingOf(p)&(planner|human) == 0 {
		return refuse(RuleRole, recheckCommand(p.board, path), "%s does not say that a spec means the same: a planner or a human does", by)
	}
	doc := p.board.Tracked(path)
	if doc == nil {
		return refuse(RuleNotFound, "git liza list", "no open goal or task stands on %s", board.QuoteC(board.Clip(path)))
	}
	if doc.Was == "" || doc.Blob == "" || s.Old != doc.Was || s.New != doc.Blob {
		return refuse(RuleFact, "git liza record spec-change "+shell.Quote(path)+" --same-meaning", "%s changed last from %s to %s, not from %s to %s",
			board.QuoteC(board.Clip(path)), blobName(doc.Was), blobName(doc.Blob), blobName(s.Old), blobName(s.New))
	}
	own := doc.By == by || p.move.Principal != "" && doc.Principal == p.move.Principal
	if t := p.board.Task(doc.Task); t != nil {
		own = t.IsCodedBy(by, p.move.Principal)
	}
	if own && !p.board.Settings().Config.AllowSelfReview {
		return refuse(RuleSelfReview, recheckCommand(p.board, path), "%s wrote %s and does not say that it means the same", by, board.QuoteC(board.Clip(path)))
	}
	return nil
}

// recheckCommand is the command that lets the first approved task that stands on a
// text be judged anew, or shows the text if there is none.
func recheckCommand(b *board.Board, path string) string {
	command := "git liza artifact show " + shell.Quote(path)
	found := false
	b.Each(func(s *board.Summary) {
		on := anchorSets{}
		on.add(s.Spec)
		on.add(s.BasedOn...)
		if !found && on[path] != nil && board.AnyOf(board.Approved).Has(s.Status) {
			command, found = "git liza approve --again "+string(s.ID), true
		}
	})
	return command
}

// blobName is a blob in a message.
func blobName(id board.ObjectID) string { return cmp.Or(id, "no file").Short() }

func (s *SpecChangeMove) apply(p *effect) {
	if s.Same {
		keepMeaning(p, s.Spec)
	}
	editGoal(p, func(g *board.Goal) {
		g.Changes = latest(append(slices.Clip(g.Changes), board.Change{Spec: s.Spec, Change: s.Change, Task: s.Cause, By: p.move.By, At: p.move.At}))
		g.Changes = latestChanges(g.Changes)
	})
}

// maxChanges is how many bytes of text the changes of specs take in a goal, so that its
// document has room for the rest. The log has all of them.
const maxChanges = 64 << 10

// latestChanges are the last of a list, as many as there is room for.
func latestChanges(list []board.Change) []board.Change {
	size := 0
	for i, c := range slices.Backward(list) {
		if size += len(c.Spec) + len(c.Change); size > maxChanges {
			return list[i+1:]
		}
	}
	return list
}

// keepMeaning enters that the last change of a tracked path left its meaning.
func keepMeaning(p *effect, path string) {
	doc := *p.board.Tracked(path)
	doc.Same, doc.Was = latest(append(slices.Clip(doc.Same), doc.Was)), ""
	doc.Sections = slices.Clone(doc.Sections)
	for i, section := range doc.Sections {
		if section.Was != "" {
			doc.Sections[i].Same, doc.Sections[i].Was = latest(append(slices.Clip(section.Same), section.Was)), ""
		}
	}
	p.put(board.Key{Folder: board.Tracked, ID: board.TrackedID(path)}, &doc)
}
