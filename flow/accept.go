package flow

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
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

func (a *AcceptMove) aim(b *board.Board) board.GoalID {
	if len(a.Paths) == 0 {
		return ""
	}
	return goalOfPath(b, a.Paths[0])
}

// goalOfPath is an open goal that stands on a path, itself or with an open task; ""
// if there is none.
func goalOfPath(b *board.Board, path string) (found board.GoalID) {
	open := map[board.GoalID]bool{}
	for _, g := range board.All[*board.Goal](b, board.Goals) {
		if open[g.ID] = g.Status == board.InProgress; open[g.ID] && board.SpecPath(g.Spec) == path {
			return g.ID
		}
	}
	for _, w := range board.OpenWorkflows(b) {
		if glob.MatchesAny(glob.ParseAll(w.Patterns()), path) {
			return w.Goal
		}
	}
	b.Each(func(s *board.Summary) {
		if open[s.Goal] && !s.Status.Final() && (found == "" || s.Goal < found) &&
			slices.ContainsFunc(append([]string{s.Spec}, s.BasedOn...), func(ref string) bool { return board.SpecPath(ref) == path }) {
			found = s.Goal
		}
	})
	return found
}

func (a *AcceptMove) ask(_ Move, b *board.Board) Query {
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
		lacks := func(role board.Role) bool { return !doc.HasVerdict(role) }
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
			return refuse(RuleNotFound, "git liza artifact list", "no open goal or task names %s", board.QuoteC(board.Clip(path)))
		case i > 0 && path == paths[i-1]:
			return refuse(RuleForm, again, "the move names %s twice", board.QuoteC(board.Clip(path)))
		case i >= len(a.Texts) || a.Texts[i].Path != path:
			return refuse(RuleFact, again, "the move does not record the text of %s", board.QuoteC(board.Clip(path)))
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
	return firstRefusal(a.Texts, func(text board.Text) *Refusal { return checkVouch(p, text) })
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
func textNeeds(p *play, path string) []board.Role {
	rules := lists.Where(p.board.ReviewRules(), func(rule board.ReviewRule) bool {
		return (len(rule.Kinds) == 0 || slices.Contains(rule.Kinds, board.Spec)) && (len(rule.Paths) == 0 || anyMatches(p, rule.Paths, []string{path}))
	})
	return lists.Add(nil, lists.Of(rules, func(rule board.ReviewRule) board.Role { return rule.Role })...)
}

// checkVouch refuses to accept what is no file, or what a role must judge that
// takes no person's word and has not judged this blob.
func checkVouch(p *play, text board.Text) *Refusal {
	path := board.QuoteC(board.Clip(text.Path))
	if text.Blob == "" {
		return refuse(RuleSpec, "git liza adopt COMMIT --reason R", "%s is no file at %s", path, p.board.Settings().Integration.Tip.Short())
	}
	doc := p.board.Tracked(text.Path)
	for _, role := range textNeeds(p, text.Path) {
		if notHuman(p, role) && (doc == nil || doc.Blob != text.Blob || !doc.HasVerdict(role)) {
			name := shell.Quote(text.Path)
			return refuse(RuleNotHuman, "git liza task add --title T --kind spec --owns "+name+" --spec "+name+" --done-when D --scope S",
				"%s must judge %s, and takes no person's word: a task that changes it is judged by it", role, path)
		}
	}
	return nil
}

// vouch records the verdict of the actor for the blob of a tracked path, for every
// role that the board asks for and that has not approved it.
func (p *effect) vouch(path string) {
	doc := *p.board.Tracked(path)
	doc.ReviewBy, doc.Verdicts = textNeeds(p.play, path), slices.Clone(doc.Verdicts)
	// Some may be of a role that only the task asked for.
	doc.ReviewBy = lists.Add(doc.ReviewBy, lists.Of(doc.Verdicts, func(v board.PathVerdict) board.Role { return v.Role })...)
	for _, role := range doc.ReviewBy {
		if !doc.HasVerdict(role) {
			doc.Verdicts = append(doc.Verdicts, board.PathVerdict{Role: role, By: p.move.By, Principal: p.move.Principal, At: p.move.At})
		}
	}
	slices.SortFunc(doc.Verdicts, func(x, y board.PathVerdict) int { return strings.Compare(string(x.Role), string(y.Role)) })
	p.put(board.Key{Folder: board.Tracked, ID: board.TrackedID(path)}, &doc)
}

// checkArtifacts refuses receipts that do not show that the artifacts which a change
// touches are valid, and receipts that git belies. at is the commit that was judged.
func checkArtifacts(p *play, receipts []board.Receipt, at, tree board.ObjectID, touches func(globs []string) bool) *Refusal {
	globs := workflowPatterns(p.board)
	if len(globs) == 0 || !touches(globs) {
		return nil
	}
	passed := holdsArtifacts(receipts, tree)
	hint := board.ArtifactCommand + " --at " + string(at)
	switch {
	case p.facts != nil && len(p.facts.Invalid) > 0 && passed:
		return refuse(RuleFact, hint, "gate %s is said to have passed on tree %s, but %s", board.ArtifactGate, tree.Short(), p.facts.Invalid[0])
	case p.facts != nil && len(p.facts.Invalid) > 0:
		return refuse(RuleArtifact, hint, "%s", p.facts.Invalid[0])
	case !passed:
		return refuse(RuleGate, hint, "gate %s has not passed on tree %s", board.ArtifactGate, tree.Short())
	}
	return nil
}

// holdsArtifacts reports whether one of the receipts shows that the artifacts of a tree
// are valid.
func holdsArtifacts(receipts []board.Receipt, tree board.ObjectID) bool {
	return slices.ContainsFunc(receipts, func(r board.Receipt) bool { return r.IsArtifacts() && r.Tree == tree && r.HasPassed() })
}

// withArtifacts are receipts with that of the gate for artifacts, if a change touches any
// and git says that they are valid.
func withArtifacts(p *play, receipts []board.Receipt, tree board.ObjectID, touches func(globs []string) bool) []board.Receipt {
	globs := workflowPatterns(p.board)
	if p.facts == nil || len(p.facts.Invalid) > 0 || len(globs) == 0 || !touches(globs) || holdsArtifacts(receipts, tree) {
		return receipts
	}
	return append(slices.Clip(receipts), board.Receipt{Gate: board.ArtifactGate, Command: board.ArtifactCommand, Tree: tree, Duration: "0s", By: p.move.By, Result: board.Pass})
}

// frozen refuses a submission that changes an artifact which is frozen.
func (s *SubmitMove) frozen(p *play) *Refusal {
	if p.facts == nil || len(p.facts.Frozen) == 0 {
		return nil
	}
	path := p.facts.Frozen[0]
	return refuse(RuleFrozen, p.undo(s.Base, path), "%s is frozen: only superseded_by, and status to superseded, may change; what holds instead is a new file", board.QuoteC(board.Clip(path)))
}
