package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/lists"
)

// RecheckMove sends an approved task back to its judges because a text that
// they read has changed.
type RecheckMove struct{}

// outdated refuses to send a task back whose verdicts were given for the texts
// that the board has.
func outdated(p *play) *Refusal {
	if _, text := outdatedVerdict(p.board, p.task); text != nil {
		return nil
	}
	return refuse(RuleState, "git liza show "+string(p.task.ID), "the verdicts on %s were given for the specs as they are", p.task.ID)
}

func (r *RecheckMove) already(p *play) bool { return p.from == ReadyForReview }

func (r *RecheckMove) check(*play) *Refusal { return nil }

func (r *RecheckMove) apply(p *effect) { p.backToReview() }

// backToReview lets the submission wait for its missing verdicts again, and for
// those that were given for other texts.
func (p *effect) backToReview() {
	p.dropOutdated()
	p.task.Status = ReadyForReview
}

// dropOutdated takes back the verdicts that were given for other texts than the
// board has.
func (p *effect) dropOutdated() {
	t := p.task
	t.judgeAll(func(j *Judgement) {
		if j.Verdict != nil && changedText(p.board, t, j.Verdict.Texts) != nil {
			j.Verdict = nil
		}
	})
}

// outdatedVerdict is the first verdict on the submission that was given for another text
// than the board has, with that text; nil if there is none.
func outdatedVerdict(b *Board, t *Task) (*Verdict, *TextRef) {
	for _, j := range t.Judgements {
		if t.holds(j.Verdict) {
			if text := changedText(b, t, j.Verdict.Texts); text != nil {
				return j.Verdict, text
			}
		}
	}
	return nil, nil
}

// checkVerdicts refuses work of which a verdict was given for other texts than the
// board has.
func checkVerdicts(b *Board, t *Task) *Refusal {
	v, text := outdatedVerdict(b, t)
	if text == nil {
		return nil
	}
	return refuse(RuleSpecChanged, "git liza approve --again "+string(t.ID), "the spec '%s' has changed since %s approved %s", clip(text.String()), v.By, t.ID)
}

// unconvinced are the roles that have to judge the submission and have not approved
// it for the texts that the board has.
func unconvinced(b *Board, t *Task) []Role {
	stale := lists.Where(t.Judgements, func(j Judgement) bool { return t.holds(j.Verdict) && changedText(b, t, j.Verdict.Texts) != nil })
	return append(t.Missing(), lists.Of(stale, func(j Judgement) Role { return j.Role })...)
}

// textRefsOf pins the texts that a task stands on, as the board has them.
func textRefsOf(b *Board, t *Task) []TextRef {
	var list []TextRef
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		path, anchor := splitRef(ref)
		doc := b.Tracked(path)
		if doc == nil {
			continue
		}
		// All of the file counts also where it lacks the heading, or has too many sections.
		pin := TextRef{Path: path, Hash: string(doc.Blob)}
		if s := doc.section(anchor); s != nil && s.Hash != "" {
			pin = TextRef{path, anchor, s.Hash}
		}
		if !slices.Contains(list, pin) {
			list = append(list, pin)
		}
	}
	return list
}

// ChangedTexts are the texts that a task stands on and that are neither among
// those read nor of the same meaning. Where nothing was read, nothing has changed.
func (t *Task) ChangedTexts(b *Board, read []TextRef) []TextRef {
	if len(read) == 0 {
		return nil
	}
	return slices.DeleteFunc(textRefsOf(b, t), func(is TextRef) bool {
		doc := b.Tracked(is.Path)
		section := doc.section(is.Anchor)
		return slices.ContainsFunc(read, func(was TextRef) bool {
			switch {
			case was.Path != is.Path:
				return false
			case was.Anchor == "":
				return doc.means(ObjectID(was.Hash))
			}
			return was.Anchor == is.Anchor && section != nil && section.means(was.Hash)
		})
	})
}

// changedText is the first of the changed texts; nil if there is none.
func changedText(b *Board, t *Task, read []TextRef) *TextRef {
	if list := t.ChangedTexts(b, read); len(list) > 0 {
		return &list[0]
	}
	return nil
}

// Outdated are the texts for which verdicts on the submission of a task do not
// count, because they have changed since.
func (t *Task) Outdated(b *Board) []TextRef {
	var list []TextRef
	for _, j := range t.Judgements {
		if !t.holds(j.Verdict) {
			continue
		}
		list = lists.Add(list, t.ChangedTexts(b, j.Verdict.Texts)...)
	}
	return list
}

// means reports whether the blob is the present one, or said to mean the same.
func (d *TrackedPath) means(blob ObjectID) bool {
	return blob == d.Blob || d.Was == "" && slices.Contains(d.Same, blob)
}

// means reports whether the hash is the present one, or said to mean the same.
func (s TrackedSection) means(hash string) bool {
	return hash == s.Hash || s.Was == "" && slices.Contains(s.Same, hash)
}

// String is the text as tasks name it, PATH or PATH#ANCHOR.
func (r TextRef) String() string {
	if r.Anchor == "" {
		return r.Path
	}
	return r.Path + "#" + r.Anchor
}
