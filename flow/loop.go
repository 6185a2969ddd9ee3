package flow

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Loop bounds a goal whose tasks agents do one after the other.
type Loop struct {
	Path       string   `yaml:"path"` // of the stories, which is the spec of the goal
	Blob       ObjectID `yaml:"blob"` // as they were read
	Iterations int      `yaml:"iterations"`
	Tokens     int64    `yaml:"tokens"`          // 0 sets no bound
	Cost       Cost     `yaml:"cost"`            // 0 sets no bound
	Wall       Duration `yaml:"wall"`            // since the goal was set; 0 sets no bound
	Used       int      `yaml:"iterations_used"` // claims of agents
	Denies     []string `yaml:"denies"`          // globs of paths that no task of the goal changes
	Judge      Role     `yaml:"judge"`           // in place of the roles that judge everything; "" leaves those
}

// loopOf is the loop of a goal, nil if it has none.
func loopOf(b *Board, goal GoalID) *Loop {
	if g := b.Goal(goal); g != nil {
		return g.Loop
	}
	return nil
}

// check refuses a loop without bounds, or one that nobody could judge.
func (l *Loop) check(p *play, spec string) *Refusal {
	const hint = "git liza help loop"
	if r := l.checkBounds(spec); r != nil {
		return r
	}
	switch {
	case l.Used != 0:
		return refuse(RuleForm, hint, "nothing of a loop is used when it begins")
	case l.Judge != "" && l.Judge != HumanRole && !isJudge(p.board, l.Judge):
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s that judges", clip(string(l.Judge)))
	case p.facts != nil && p.facts.Texts[l.Path].Blob != l.Blob:
		return refuse(RuleFact, hint, "%s was read as %s, git says %s", quoteC(clip(l.Path)), l.Blob.Short(), p.facts.Texts[l.Path].Blob.Short())
	}
	return cmp.Or(checkGlobs(l.Denies, hint), boundGlobs("the loop", l.Denies, hint))
}

// checkBounds refuses bounds that are none, and another spec than the stories.
func (l *Loop) checkBounds(spec string) *Refusal {
	const hint = "git liza help loop"
	switch {
	case l.Path == "" || l.Path != specPath(spec):
		return refuse(RuleForm, hint, "the stories of a loop stand in the spec of its goal, not in %s", quoteC(clip(l.Path)))
	case l.Iterations < 1 || l.Iterations > 1_000_000:
		return refuse(RuleForm, hint, "a loop has at least one iteration, and at most 1000000")
	case l.Tokens < 0 || l.Cost < 0 || l.Wall < 0:
		return refuse(RuleForm, hint, "a bound of a loop is not negative")
	}
	return nil
}

// unbounded is the loop without its bounds; nil stays nil.
func (l *Loop) unbounded() *Loop {
	if l == nil {
		return nil
	}
	rest := *l
	rest.Iterations, rest.Tokens, rest.Cost, rest.Wall = 0, 0, 0, 0
	return &rest
}

// checkClass refuses a loop by a file that forbids it, unless a person has allowed it for
// the text as it is. class is that of the text.
func (l *Loop) checkClass(p *play, class *Class) *Refusal {
	if doc := p.board.Tracked(l.Path); doc != nil && doc.Blob == l.Blob && doc.Allowance != nil {
		return nil
	}
	switch {
	case !class.Binds() && p.board.Settings().Config.Automation.Required:
		return refuse(RuleClass, allowCommand(l.Path), "nobody has said how far %s may be automated", quoteC(clip(l.Path)))
	case class.Binds() && class.Loop == automation.Forbidden:
		return refuse(RuleClass, allowCommand(l.Path), "%s says that automation is forbidden (%s)", quoteC(clip(l.Path)), clip(class.Why()))
	}
	return nil
}

// checkLoop refuses agents one claim more than the bounds of the goal allow.
func checkLoop(p *play) *Refusal {
	l, g := loopOf(p.board, p.task.Goal), p.board.Goal(p.task.Goal)
	if l == nil || p.move.By.IsHuman() {
		return nil
	}
	if bound := g.LoopBound(p.move.At); bound != "" {
		return refuse(RuleBudget, "git liza goal show "+string(g.ID), "the loop of %s has reached its bound of %s", g.ID, bound)
	}
	return nil
}

// LoopBound names the bound of the goal's loop by which agents claim nothing of it at a
// time, as the flags of git liza loop do; "" if there is none.
func (g *Goal) LoopBound(at time.Time) string {
	l := g.Loop
	switch {
	case l == nil:
	case l.Used >= l.Iterations:
		return "iterations"
	case l.Tokens > 0 && g.Usage.Tokens() >= l.Tokens:
		return "tokens"
	case l.Cost > 0 && g.Usage.Cost >= l.Cost:
		return "cost"
	case l.Wall > 0 && !at.Before(g.Created.Add(time.Duration(l.Wall))):
		return "wall"
	}
	return ""
}

// countIteration counts the claim of an agent.
func countIteration(p *effect) {
	if l := loopOf(p.board, p.task.Goal); l != nil && !p.move.By.IsHuman() {
		used := *l
		used.Used++
		g := *p.board.Goal(p.task.Goal)
		g.Loop = &used
		p.put(Key{Goals, string(g.ID)}, &g)
	}
}

// TaskDenials are the globs of paths that the work on a task does not change, whoever does
// it.
func TaskDenials(b *Board, t *Task) []string {
	l := loopOf(b, t.Goal)
	if l == nil {
		return t.Denies
	}
	return slices.Concat(t.Denies, l.Denies, []string{glob.Quote(l.Path)})
}

// keepsTests refuses work in a loop that removes tests.
func (s *SubmitMove) keepsTests(p *play) *Refusal {
	if p.facts == nil || loopOf(p.board, p.task.Goal) == nil {
		return nil
	}
	globs := glob.ParseAll(p.board.Settings().Config.Tests)
	for _, c := range p.facts.Changes {
		if c.Mode == 0 && glob.MatchesAny(globs, c.Path) {
			return refuse(RuleTests, p.undo(s.Base, c.Path), "%s is a test, and work in a loop removes none", quoteC(clip(c.Path)))
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
