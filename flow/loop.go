package flow

import (
	"cmp"

	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/shell"
)

// checkLoopDocument refuses a loop without bounds, or one that nobody could judge.
func checkLoopDocument(l *board.Loop, p *play, spec string) *Refusal {
	const hint = "git liza help loop"
	if r := checkLoopBounds(l, spec); r != nil {
		return r
	}
	switch {
	case l.Used != 0:
		return refuse(RuleForm, hint, "nothing of a loop is used when it begins")
	case l.Judge != "" && l.Judge != board.HumanRole && !isJudge(p.board, l.Judge):
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s that judges", board.Clip(string(l.Judge)))
	case p.facts != nil && p.facts.Texts[l.Path].Blob != l.Blob:
		return refuse(RuleFact, hint, "%s was read as %s, git says %s", board.QuoteC(board.Clip(l.Path)), l.Blob.Short(), p.facts.Texts[l.Path].Blob.Short())
	}
	return cmp.Or(checkGlobs(l.Denies, hint), boundGlobs("the loop", l.Denies, hint))
}

// checkLoopBounds refuses bounds that are none, and another spec than the stories.
func checkLoopBounds(l *board.Loop, spec string) *Refusal {
	const hint = "git liza help loop"
	switch {
	case l.Path == "" || l.Path != board.SpecPath(spec):
		return refuse(RuleForm, hint, "the stories of a loop stand in the spec of its goal, not in %s", board.QuoteC(board.Clip(l.Path)))
	case l.Iterations < 1 || l.Iterations > 1_000_000:
		return refuse(RuleForm, hint, "a loop has at least one iteration, and at most 1000000")
	case l.Tokens < 0 || l.Cost < 0 || l.Wall < 0:
		return refuse(RuleForm, hint, "a bound of a loop is not negative")
	}
	return nil
}

// checkLoopClass refuses a loop by a file that forbids it, unless a person has allowed it for
// the text as it is. class is that of the text.
func checkLoopClass(l *board.Loop, p *play, class *board.Class) *Refusal {
	if doc := p.board.Tracked(l.Path); doc != nil && doc.Blob == l.Blob && doc.Allowance != nil {
		return nil
	}
	switch {
	case !class.Binds() && p.board.Settings().Config.Automation.Required:
		return refuse(RuleClass, allowCommand(l.Path), "nobody has said how far %s may be automated", board.QuoteC(board.Clip(l.Path)))
	case class.Binds() && class.Loop == automation.Forbidden:
		return refuse(RuleClass, allowCommand(l.Path), "%s says that automation is forbidden (%s)", board.QuoteC(board.Clip(l.Path)), board.Clip(class.Why()))
	}
	return nil
}

// checkLoop refuses agents one claim more than the bounds of the goal allow.
func checkLoop(p *play) *Refusal {
	l, g := board.LoopOf(p.board, p.task.Goal), p.board.Goal(p.task.Goal)
	if l == nil || p.move.By.IsHuman() {
		return nil
	}
	if bound := g.LoopBound(p.move.At); bound != "" {
		return refuse(RuleBudget, "git liza goal show "+string(g.ID), "the loop of %s has reached its bound of %s", g.ID, bound)
	}
	return nil
}

// countIteration counts the claim of an agent.
func countIteration(p *effect) {
	if l := board.LoopOf(p.board, p.task.Goal); l != nil && !p.move.By.IsHuman() {
		used := *l
		used.Used++
		g := *p.board.Goal(p.task.Goal)
		g.Loop = &used
		p.put(board.Key{Folder: board.Goals, ID: string(g.ID)}, &g)
	}
}

// keepsTests refuses work in a loop that removes tests.
func (s *SubmitMove) keepsTests(p *play) *Refusal {
	if p.facts == nil || board.LoopOf(p.board, p.task.Goal) == nil {
		return nil
	}
	globs := glob.ParseAll(p.board.Settings().Config.Tests)
	for _, c := range p.facts.Changes {
		if c.Mode == 0 && glob.MatchesAny(globs, c.Path) {
			return refuse(RuleTests, p.undo(s.Base, c.Path), "%s is a test, and work in a loop removes none", board.QuoteC(board.Clip(c.Path)))
		}
	}
	return nil
}

// acceptArgument is a path as a word of a command.
func acceptArgument(path string) string { return shell.Quote(path) }

// allowCommand is the command by which a person allows work on a file.
func allowCommand(path string) string {
	return "git liza plan classify --allow " + shell.Quote(path) + " --reason R"
}
