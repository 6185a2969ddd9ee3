package flow

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// IntentMove records what the coder is going to do; each iteration needs one
// before its first commit.
type IntentMove struct {
	Intent board.Intent `yaml:"intent"`
}

// ask asks for work before an agent's first intent of the iteration. Later ones may follow
// commits.
func (i *IntentMove) ask(m Move, b *board.Board) Query {
	t := b.Task(m.Task)
	if t == nil || t.Claim == nil || t.Intent != nil || m.By.IsHuman() {
		return Query{}
	}
	return Query{Intended: i.Intent.Tip, Behind: []board.ObjectID{t.Attempt.Start, cmp.Or(t.Claim.Tip, t.Attempt.Start)}}
}

func (i *IntentMove) check(p *play) *Refusal {
	hint := intend(p.task)
	if p.facts != nil && len(p.facts.Early) > 0 { // they stay staged
		list := p.facts.Early
		return refuse(RuleIntent, "git reset --soft "+string(list[len(list)-1])+"~1 && "+hint, "an intent comes before the first commit, and %s has commits of this iteration already: %s",
			p.task.ID, board.Clip(strings.Join(lists.Of(list, board.ObjectID.Short), ", ")))
	}
	return cmp.Or(present("the intent's summary", i.Intent.Summary, hint), present("the intent's validation plan", i.Intent.Validation, hint),
		checkGlobs(slices.Concat(i.Intent.Extend, i.Intent.Removes), hint))
}

func (i *IntentMove) apply(p *effect) {
	intent := i.Intent
	intent.At = p.move.At
	if was := p.task.Intent; was != nil {
		intent.Tip = was.Tip
	}
	p.task.Intent = &intent
}

// CheckIntent refuses to commit or submit work on a claimed task without an intent.
func CheckIntent(t *board.Task) *Refusal {
	if t.Intent == nil {
		return refuse(RuleIntent, intend(t), "%s has no intent for this iteration: it comes before the first commit", t.ID)
	}
	return nil
}

func intended(p *play) *Refusal { return CheckIntent(p.task) }

// intend is the command that records an intent anew, with the paths of the one before.
func intend(t *board.Task) string {
	command := "git liza intent " + string(t.ID) + " --summary S --validation V"
	if t.Intent != nil {
		for _, g := range t.Intent.Extend {
			command += " --extend " + shell.Quote(g)
		}
	}
	return command
}

// SubmitMove asks for a review of one commit.
type SubmitMove struct {
	Commit  board.ObjectID `yaml:"commit"`
	Tree    board.ObjectID `yaml:"tree"`
	Base    board.ObjectID `yaml:"base"` // merge base with the integration tip
	Paths   paths          `yaml:"paths"`
	Receipt *board.Receipt `yaml:"receipt"`
	Save    int            `yaml:"save"`

	Gates []board.Receipt `yaml:"gates"` // of the gates at a submission
}

func (s *SubmitMove) ask(m Move, b *board.Board) Query {
	q := Query{Submission: s.Commit, Valid: board.TypedPatterns(b), Brought: true}
	q.Frozen = lists.Where(q.Valid, func(one board.TypedPattern) bool { return len(one.Type.Frozen) > 0 })
	if t := b.Task(m.Task); t != nil && t.Attempt != nil {
		q.Behind, q.Meant = []board.ObjectID{t.Attempt.Base}, t.Meant
		if t.Attempt.Fix != "" {
			q.Behind = append(q.Behind, t.Attempt.Fix)
		}
		if t.AfterRejection() {
			q.Rejected = t.Rejection().Commit
		}
	}
	return q
}

func (s *SubmitMove) fill(p *play) {
	if s.Save == 0 && p.task != nil {
		s.Save = p.task.Saves + 1
	}
	s.Tree, s.Base = cmp.Or(s.Tree, p.facts.Tree), cmp.Or(s.Base, p.facts.Base)
	if s.Paths == nil {
		s.Paths = lists.Of(p.facts.Changes, func(c PathChange) string { return c.Path })
	}
	s.Gates = withArtifacts(p, s.Gates, s.Tree, touching(p, len(s.Paths), s.Paths))
}

func (s *SubmitMove) refs(m Move, _ *board.Board) []RefMove {
	return []RefMove{{Name: m.Task.SavedRef(s.Save), New: s.Commit}}
}

func (s *SubmitMove) already(p *play) bool {
	sub := p.task.Submission
	return p.from == board.ReadyForReview && sub != nil && sub.Commit == s.Commit && p.task.Attempt.Coder == p.move.By
}

func (s *SubmitMove) check(p *play) *Refusal {
	if r := guardedAt(p, s.facts, s.ancestry, s.unchanged, s.scope, s.removed, s.frozen, s.tests, s.keepsTests, s.verified, s.gated, s.judged); r != nil {
		return r
	}
	if s.Save != p.task.Saves+1 {
		return refuse(RuleForm, "git liza show "+string(p.task.ID), "the next saved commit of %s has number %d, not %d", p.task.ID, p.task.Saves+1, s.Save)
	}
	return checkCoders(p.task, workerOf(p))
}

// facts compares what the move records with the answers of git.
func (s *SubmitMove) facts(p *play) *Refusal {
	hint := "git liza show " + string(p.task.ID)
	if s.Commit == "" || s.Tree == "" || s.Base == "" {
		return refuse(RuleForm, hint, "a submission names commit, tree and base")
	}
	f := p.facts
	if f == nil {
		return nil
	}
	if !f.Exists {
		return refuse(RuleFact, hint, "commit %s does not exist", s.Commit)
	}
	if s.Tree != f.Tree || s.Base != f.Base {
		return refuse(RuleFact, "git liza submit "+string(p.task.ID), "the move records tree %s and base %s, git says %s and %s", s.Tree, s.Base, f.Tree, f.Base)
	}
	if f.Bases > 1 { // a diff against one of them hides what the commit reverts of the others
		tip := p.board.Settings().Integration.Tip
		return refuse(RuleAncestry, "git merge "+string(tip), "%s and integration at %s have %d merge bases, so its changes are ambiguous: merge integration into it",
			s.Commit.Short(), tip.Short(), f.Bases)
	}
	if len(s.Paths) != len(f.Changes) {
		return refuse(RuleFact, "git liza submit "+string(p.task.ID), "the move records %d changed paths, git says %d", len(s.Paths), len(f.Changes))
	}
	for i, c := range f.Changes {
		if s.Paths[i] != c.Path {
			return refuse(RuleFact, "git liza submit "+string(p.task.ID), "the move records a change of %s where git says %s", s.Paths[i], c.Path)
		}
		if r := p.content(c, func(path string) string { return p.undo(s.Base, path) }); r != nil {
			return r
		}
	}
	return nil
}

// content refuses changes that reach outside the repository or make it too
// large. undo is the command that reverts the change of a path.
func (p *play) content(c PathChange, undo func(path string) string) *Refusal {
	limit := p.board.Settings().Config.BlobLimit
	switch {
	case c.Mode == submodule && c.Was != submodule:
		return refuse(RuleContent, undo(c.Path), "%s is a new submodule link", c.Path)
	case c.Mode == 0o120000 && leavesTree(c.Path, c.Link):
		return refuse(RuleContent, undo(c.Path), "%s is a symbolic link out of the tree (%s)", c.Path, board.Clip(c.Link))
	case c.Size > limit:
		return refuse(RuleContent, undo(c.Path), "%s has %d bytes, at most %d are allowed", c.Path, c.Size, limit)
	}
	return nil
}

// leavesTree reports whether a symbolic link in the tree points outside it.
func leavesTree(path, target string) bool {
	if strings.HasPrefix(target, "/") || strings.Contains(target, "\\") {
		return true
	}
	depth := strings.Count(path, "/")
	for _, part := range strings.Split(target, "/") {
		switch {
		case part == "" || part == ".":
		case part == "..":
			if depth--; depth < 0 {
				return true
			}
		case strings.EqualFold(part, ".git"):
			return true
		default:
			depth++
		}
	}
	return false
}

func (s *SubmitMove) ancestry(p *play) *Refusal {
	a := p.task.Attempt
	switch {
	case s.Commit == a.Base:
		return refuse(RuleEmpty, "git liza show "+string(p.task.ID), "%s is the commit that the claim began from: there is nothing to review", s.Commit.Short())
	case p.facts != nil && !p.facts.Behind[a.Base]:
		return refuse(RuleAncestry, "git rebase "+string(a.Base), "%s does not descend from the base %s of the claim", s.Commit.Short(), a.Base.Short())
	case p.facts != nil && a.Fix != "" && !p.facts.Behind[a.Fix]:
		return refuse(RuleAncestry, "git merge "+string(a.Fix), "%s does not have the integration tip %s merged in, which this task failed to merge onto", s.Commit.Short(), a.Fix.Short())
	case len(s.Paths) == 0:
		return refuse(RuleEmpty, "git liza show "+string(p.task.ID), "%s changes nothing against integration", s.Commit.Short())
	}
	return nil
}

// unchanged refuses a submission with the content that was rejected: another
// review would cost as much as the first and say the same.
func (s *SubmitMove) unchanged(p *play) *Refusal {
	t := p.task
	if p.facts == nil || !t.AfterRejection() || s.Commit != t.Rejection().Commit && s.Tree != p.facts.Was {
		return nil
	}
	return refuse(RuleUnchanged, "git liza show "+string(t.ID),
		"%s has the content of %s, which %s rejected: fix its blockers and commit the fix; if the reviewer is wrong, ask: git liza block %s --reason R --question Q",
		s.Commit.Short(), t.Rejection().Commit.Short(), t.Rejection().By, t.ID)
}

// scope checks the changed paths against the paths that the task and the role
// may write.
func (s *SubmitMove) scope(p *play) *Refusal {
	return checkWritable(p.board, p.task, p.task.Claim.By.Role(), s.Paths, func(path string) string { return p.undo(s.Base, path) }, false)
}

func (s *SubmitMove) admit(p *play) *Refusal {
	undo := func(path string) string { return p.undo(s.Base, path) }
	if r := Writable(p.board, p.task, p.task.Claim.By.Role(), s.Paths, undo); r != nil {
		return r
	}
	return checkBrought(p, undo)
}

// removed refuses a submission that leaves no file where an open goal or task has
// its spec, unless the intent says so.
func (s *SubmitMove) removed(p *play) *Refusal {
	if p.facts == nil {
		return nil
	}
	used := pathsInUse(p.board)
	meant := glob.ParseAll(p.task.Intent.Removes)
	for _, c := range p.facts.Changes {
		regular := c.Mode&0o170000 == 0o100000
		if used[c.Path] == nil || regular || slices.Contains(p.task.Intent.Removes, c.Path) || glob.MatchesAny(meant, c.Path) {
			continue
		}
		return refuse(RuleSpec, intend(p.task)+" --removes "+shell.Quote(c.Path),
			"%s is what goals or tasks stand on, and the submission leaves no file there", board.QuoteC(board.Clip(c.Path)))
	}
	return nil
}

func (s *SubmitMove) tests(p *play) *Refusal {
	t := p.task
	if t.Kind != board.Code || t.Intent.TestsNotNeeded != "" {
		return nil
	}
	globs := glob.ParseAll(p.board.Settings().Config.Tests)
	if slices.ContainsFunc(s.Paths, func(path string) bool { return p.board.Interrupted() || glob.MatchesAny(globs, path) }) {
		return nil
	}
	return refuse(RuleTests, intend(t)+" --tests-not-needed WHY",
		"no test changes with %s: code comes with tests, or the intent says why not", s.Commit.Short())
}

func (s *SubmitMove) verified(p *play) *Refusal {
	t, r := p.task, s.Receipt
	if r != nil {
		if refusal := checkReceipt(*r, "git liza submit "+string(t.ID)); refusal != nil {
			return refusal
		}
	}
	if t.Verify == "" {
		return nil
	}
	if r == nil || r.Command != t.Verify || r.Tree != s.Tree || !r.HasPassed() {
		return refuse(RuleVerify, "git liza submit "+string(t.ID), "%s has no passing run of its verify command %q at %s", t.ID, board.Clip(t.Verify), s.Commit.Short())
	}
	return nil
}

// gated refuses a submission that required gates have not passed.
func (s *SubmitMove) gated(p *play) *Refusal {
	hint := "git liza submit " + string(p.task.ID)
	touches := touching(p, len(s.Paths), s.Paths)
	return cmp.Or(checkReceipts(p, board.AtSubmit, s.Gates, hint), checkArtifacts(p, s.Gates, s.Commit, s.Tree, touches),
		checkPassed(p, board.AtSubmit, s.Gates, s.Tree, touches, hint))
}

// judged refuses a submission that nobody would judge.
func (s *SubmitMove) judged(p *play) *Refusal {
	if len(neededJudges(p, p.task, s.Paths)) == 0 {
		return refuse(RuleNeeds, "git liza role list", "no role is left to judge %s", p.task.ID)
	}
	return nil
}

func (s *SubmitMove) apply(p *effect) {
	t, m := p.task, p.move
	t.AddCoder(workerOf(p.play))
	if !m.By.IsHuman() {
		countEnd(p, board.End{Task: t.ID, OK: true}, countClaims(p.board, t.Goal, chargedAccount(p.board, p.move.Principal)), "")
	}
	p.free(t.Claim.By)
	t.Claim = nil
	t.Attempt.Fix = ""
	t.Saves = s.Save
	t.Submissions++
	t.Retry = nil
	t.JudgeAll(func(j *board.Judgement) { j.NoVerdicts, j.NotBefore, j.Error = 0, time.Time{}, "" })
	t.Submission = &board.Submission{Number: t.Submissions, Save: s.Save, Commit: s.Commit, Tree: s.Tree, Base: s.Base,
		Changed: len(s.Paths), Paths: s.Paths[:min(len(s.Paths), board.MaxList)], Receipt: s.Receipt, At: m.At,
		ReviewBy: neededJudges(p.play, t, s.Paths), Human: m.By.IsHuman(), Gates: s.Gates}
	recordGates(p, board.AtSubmit, t.ID, s.Gates)
	if t.Submission.Human && len(t.Submission.ReviewBy) > 1 && slices.Contains(t.Submission.ReviewBy, board.HumanRole) {
		// A person submits what it stands for. The verdict is another person's only
		// where no other role judges.
		t.Judge(board.HumanRole, func(j *board.Judgement) {
			j.Rejection = nil
			j.Verdict = &board.Verdict{Commit: s.Commit, Tree: s.Tree, By: m.By, Principal: m.Principal, At: m.At, Texts: board.TextRefsOf(p.board, t)}
		})
	}
}

// HandoffMove records a [board.Handoff].
type HandoffMove struct {
	Handoff board.Handoff `yaml:"handoff"`
}

func (h *HandoffMove) check(p *play) *Refusal {
	hint := "git liza handoff " + string(p.task.ID) + " --summary S --next-action N"
	return cmp.Or(present("the handoff's summary", h.Handoff.Summary, hint), present("the handoff's next action", h.Handoff.NextAction, hint))
}

func (h *HandoffMove) apply(p *effect) {
	handoff := h.Handoff
	handoff.By, handoff.At = p.move.By, p.move.At
	p.task.Handoff = &handoff
}
