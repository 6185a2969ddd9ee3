package flow

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// AcceptMove records the verdict of a person for the blobs that tracked paths
// hold at the integration tip. It is the only verdict without a submission.
type AcceptMove struct {
	Paths  []string `yaml:"paths"`
	Reason string   `yaml:"reason"`
	Texts  texts    `yaml:"texts"` // what git says of the paths; a caller that has read them sets it
}

func (a *AcceptMove) subject() string { return "texts" }

func (a *AcceptMove) aim(b *Board) GoalID {
	if len(a.Paths) == 0 {
		return ""
	}
	return goalOfPath(b, a.Paths[0])
}

// goalOfPath is an open goal that stands on a path, itself or with an open task; ""
// if there is none.
func goalOfPath(b *Board, path string) (found GoalID) {
	open := map[GoalID]bool{}
	for _, g := range All[*Goal](b, Goals) {
		if open[g.ID] = g.Status == InProgress; open[g.ID] && specPath(g.Spec) == path {
			return g.ID
		}
	}
	for _, w := range openWorkflows(b) {
		if glob.MatchesAny(glob.ParseAll(w.patterns()), path) {
			return w.Goal
		}
	}
	b.each(func(s *Summary) {
		if open[s.Goal] && !s.Status.Final() && (found == "" || s.Goal < found) &&
			slices.ContainsFunc(append([]string{s.Spec}, s.BasedOn...), func(ref string) bool { return specPath(ref) == path }) {
			found = s.Goal
		}
	})
	return found
}

func (a *AcceptMove) ask(_ Move, b *Board) Query {
	used := pathsInUse(b)
	paths := slices.DeleteFunc(slices.Sorted(slices.Values(a.Paths)), func(path string) bool { return used[path] == nil })
	return Query{Texts: used.queries(slices.Compact(paths), maxTexts)}
}

func (a *AcceptMove) fill(p *play) {
	if a.Texts == nil { // what a caller has read stays, so that no later text is accepted unread
		a.Texts = askedTexts(p)
	}
}

func (a *AcceptMove) already(p *play) bool {
	used := pathsInUse(p.board)
	for _, path := range a.Paths {
		doc := p.board.Tracked(path)
		lacks := func(role Role) bool { return !doc.hasVerdict(role) }
		if used[path] == nil || doc == nil || !doc.Approved() || slices.ContainsFunc(textNeeds(p, path), lacks) {
			return false
		}
	}
	return len(a.Paths) > 0
}

func (a *AcceptMove) check(p *play) *Refusal {
	if len(a.Paths) == 0 {
		return refuse(RuleForm, "git liza artifact list", "there is no path to accept")
	}
	again := acceptCommand(a.Paths)
	used := pathsInUse(p.board)
	paths := slices.Sorted(slices.Values(a.Paths))
	for i, path := range paths {
		switch {
		case used[path] == nil:
			return refuse(RuleNotFound, "git liza artifact list", "no open goal or task names %s", quoteC(clip(path)))
		case i > 0 && path == paths[i-1]:
			return refuse(RuleForm, again, "the move names %s twice", quoteC(clip(path)))
		case i >= len(a.Texts) || a.Texts[i].Path != path:
			return refuse(RuleFact, again, "the move does not record the text of %s", quoteC(clip(path)))
		}
	}
	if len(a.Texts) != len(paths) {
		return refuse(RuleFact, again, "the move records %d texts for %d paths", len(a.Texts), len(paths))
	}
	if p.facts != nil {
		if r := compareTexts(a.Texts, askedTexts(p), again); r != nil {
			return r
		}
	}
	p.texts = a.Texts
	return firstRefusal(a.Texts, func(text Text) *Refusal { return checkVouch(p, text) })
}

// acceptCommand is the command that accepts these texts, at least one. It names each
// of them once.
func acceptCommand(paths []string) string {
	return "git liza artifact accept " + shell.Join(slices.Compact(slices.Sorted(slices.Values(paths)))...)
}

func (a *AcceptMove) apply(p *effect) {
	for _, text := range a.Texts {
		p.vouch(text.Path)
	}
}

// textNeeds are the roles whose verdicts the board asks for on a text, without a
// task: those of the rules for specs, or for everything.
func textNeeds(p *play, path string) []Role {
	rules := lists.Where(p.board.ReviewRules(), func(rule ReviewRule) bool {
		return (len(rule.Kinds) == 0 || slices.Contains(rule.Kinds, Spec)) && (len(rule.Paths) == 0 || anyMatches(p, rule.Paths, []string{path}))
	})
	return lists.Add(nil, lists.Of(rules, func(rule ReviewRule) Role { return rule.Role })...)
}

// checkVouch refuses to accept what is no file, or what a role must judge that
// takes no person's word and has not judged this blob.
func checkVouch(p *play, text Text) *Refusal {
	path := quoteC(clip(text.Path))
	if text.Blob == "" {
		return refuse(RuleSpec, "git liza adopt COMMIT --reason R", "%s is no file at %s", path, p.board.Settings().Integration.Tip.Short())
	}
	doc := p.board.Tracked(text.Path)
	for _, role := range textNeeds(p, text.Path) {
		if notHuman(p, role) && (doc == nil || doc.Blob != text.Blob || !doc.hasVerdict(role)) {
			name := shell.Quote(text.Path)
			return refuse(RuleNotHuman, "git liza task add --title T --kind spec --owns "+name+" --spec "+name+" --done-when D --scope S",
				"%s must judge %s, and takes no person's word: a task that changes it is judged by it", role, path)
		}
	}
	return nil
}

// hasVerdict reports whether a role has approved the blob.
func (d *TrackedPath) hasVerdict(r Role) bool {
	return slices.ContainsFunc(d.Verdicts, func(v PathVerdict) bool { return v.Role == r })
}

// vouch records the verdict of the actor for the blob of a tracked path, for every
// role that the board asks for and that has not approved it.
func (p *effect) vouch(path string) {
	doc := *p.board.Tracked(path)
	doc.ReviewBy, doc.Verdicts = textNeeds(p.play, path), slices.Clone(doc.Verdicts)
	// Some may be of a role that only the task asked for.
	doc.ReviewBy = lists.Add(doc.ReviewBy, lists.Of(doc.Verdicts, func(v PathVerdict) Role { return v.Role })...)
	for _, role := range doc.ReviewBy {
		if !doc.hasVerdict(role) {
			doc.Verdicts = append(doc.Verdicts, PathVerdict{Role: role, By: p.move.By, Principal: p.move.Principal, At: p.move.At})
		}
	}
	slices.SortFunc(doc.Verdicts, func(x, y PathVerdict) int { return strings.Compare(string(x.Role), string(y.Role)) })
	p.put(Key{Tracked, TrackedID(path)}, &doc)
}
