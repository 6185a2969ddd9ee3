package flow

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A reading has the texts for which a role approved a task: for each, as the task names
// it, the hashes that count as that text.
type reading map[string][]string

// standsOn are the texts that a task stands on, as a board has them.
func standsOn(b *board.Board, t *board.Task) map[string]string {
	found := map[string]string{}
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		path, anchor := board.SplitRef(ref)
		doc := b.Tracked(path)
		if doc == nil {
			continue
		}
		found[ref] = string(doc.Blob)
		if section := doc.Section(anchor); section != nil {
			found[ref] = section.Hash
		}
	}
	return found
}

// note keeps what every verdict was given for that a move brought, and the texts that
// it declares to mean the same.
func (g *gamble) note(prior *board.Board, before map[board.TaskID]*board.Task, m Move) {
	if d, ok := m.Detail.(*SpecChangeMove); ok && d.Same {
		g.same(prior.Tracked(d.Spec))
	}
	for id, was := range before {
		for _, j := range g.board.Task(id).Judgements {
			old := was.Judgement(j.Role).Verdict
			if j.Verdict == nil || old != nil && old.At.Equal(j.Verdict.At) && old.By == j.Verdict.By && old.Commit == j.Verdict.Commit {
				continue
			}
			read := reading{}
			for ref, hash := range standsOn(prior, was) {
				read[ref] = []string{hash}
			}
			if g.read[id] == nil {
				g.read[id] = map[board.Role]reading{}
			}
			g.read[id][j.Role] = read
		}
	}
}

// same lets the readings of the text before its last change count for the present one.
func (g *gamble) same(doc *board.TrackedPath) {
	for _, roles := range g.read {
		for _, read := range roles {
			for ref, hashes := range read {
				path, anchor := board.SplitRef(ref)
				was, is := string(doc.Was), string(doc.Blob)
				if section := doc.Section(anchor); section != nil {
					was, is = section.Was, section.Hash
				}
				if path == doc.Path && was != "" && slices.Contains(hashes, was) {
					read[ref] = append(hashes, is)
				}
			}
		}
	}
}

// convinced holds a merge to the texts: every role approved it for those that the board
// had.
func (g *gamble) convinced(prior *board.Board, was *board.Task) {
	for _, role := range was.Submission.ReviewBy {
		for ref, hash := range standsOn(prior, was) {
			require.Contains(g.rt, g.read[was.ID][role][ref], hash, "%s was merged; %s approved it for another %s", was.ID, role, ref)
		}
	}
	g.merged++
}

// unsettle is a move, now and then, that changes what an approved task stands on, or
// that concerns such a change: chance alone would rarely meet the time between verdict
// and merge.
func (g *gamble) unsettle() []string {
	var approved []board.Summary
	for _, t := range g.board.Tasks() {
		if t.Status == board.Approved {
			approved = append(approved, t)
		}
	}
	if len(approved) == 0 {
		return nil
	}
	t, ann := pick(g.rt, approved...), g.as("human:ann")
	switch pick(g.rt, 0, 1, 2, 3, 4, 5) {
	case 0:
		ref := pick(g.rt, append([]string{t.Spec}, t.BasedOn...)...)
		return []string{ann, "adopt", fmt.Sprintf("x%d", len(g.made)), fmt.Sprintf("git:text=%s:v%d", ref, pick(g.rt, 1, 2, len(g.made)))}
	case 1:
		return append([]string{g.as("human:bob"), "spec_change"}, g.sameMeaning()...)
	case 2:
		return []string{ann, "recheck", string(t.ID)}
	case 3:
		return []string{ann, "merge", string(t.ID), fmt.Sprintf("commit=m%d", len(g.made)), g.changedText()}
	}
	return nil
}

// changedText are words that let git find another text at a tracked path, now and then.
func (g *gamble) changedText() string {
	texts := QueryTexts(g.board)
	if len(texts) == 0 || pick(g.rt, 0, 1, 2) == 0 {
		return "+x"
	}
	text := pick(g.rt, texts...)
	ref := text.Path
	if len(text.Anchors) > 0 {
		ref += pick(g.rt, "", "#"+pick(g.rt, text.Anchors...))
	}
	return fmt.Sprintf("git:text=%s:v%d", ref, pick(g.rt, 1, 2, len(g.made)))
}

// sameMeaning are words that declare the last change of a tracked path to mean the same.
func (g *gamble) sameMeaning() []string {
	ids := g.board.IDs(board.Tracked)
	if len(ids) == 0 {
		return nil
	}
	doc := g.board.Load(board.Key{Folder: board.Tracked, ID: pick(g.rt, ids...)}).(*board.TrackedPath)
	named := func(id board.ObjectID) string {
		if id == board.ObjectID(board.TrackedID(doc.Path)) {
			return doc.Path
		}
		return objectName(id)
	}
	return []string{"spec=" + doc.Path, "+same", "old=" + named(doc.Was), "new=" + named(doc.Blob)}
}
