package planforms

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
)

// A gsdPlan is a PLAN.md, or a plan that only a roadmap lists.
type gsdPlan struct {
	key    string // as keyOf gives it; "" of a plan without number
	file   string // "" of one that is only listed
	line   int
	wave   int
	needs  []string // as the plan says them
	says   bool     // whether it says what it needs
	phases []string // that it needs, by their numbers
	inside bool     // it needs a plan of its own phase
	ended  string
	task   board.TaskInput
}

var planFilePattern = pattern.Late(`^(?:([0-9]+(?:\.[0-9]+)*-[0-9]+[a-z]?)-)?(?:.*-)?PLAN\.md$`)

func isPlanFile(name string) bool { return planFilePattern().MatchString(path.Base(name)) }

// planKeys are the keys of the front matter of a plan that are taken, or that follow from
// the file's name.
var planKeys = []string{"phase", "plan", "wave", "depends_on", "files_modified", "must_haves", "type", "autonomous", "user_setup", "requirements", "automation"}

// readPlan reads a PLAN.md; nil if it cannot be read.
func (r *reading) readPlan(file string) *gsdPlan {
	p := r.page(file)
	if p == nil {
		return nil
	}
	g := &gsdPlan{file: file, line: 1}
	if m := planFilePattern().FindStringSubmatch(path.Base(file)); m[1] != "" {
		g.key = keyOf(m[1])
	}
	if g.ended = r.summaryOf(file); g.ended == "" && isEnded(textOf(p.front.Key("status"))) {
		g.ended = "its status is " + textOf(p.front.Key("status"))
	}
	if boxes := slices.Concat(p.section("tasks", "steps"), p.inBlock("tasks")); g.ended == "" && isAllDone(boxes) {
		g.ended = "all its boxes are ticked"
	}
	r.readPlanFront(p, g)
	r.readPlanText(p, g)
	return g
}

func summaryName(plan string) string { return strings.TrimSuffix(plan, "PLAN.md") + "SUMMARY.md" }

// summaryOf says that the summary of a plan is there, which is written when it is done.
func (r *reading) summaryOf(file string) string {
	name := summaryName(file)
	if !r.has(name) {
		return ""
	}
	r.taken[name] = true
	return path.Base(name) + " is there"
}

func (r *reading) readPlanFront(p *page, g *gsdPlan) {
	front, file := p.front, p.file
	r.leaveKeys(file, front, append([]string{"status"}, planKeys...)...)
	if wave := front.Key("wave"); textOf(wave) != "" {
		n, err := strconv.Atoi(textOf(wave))
		if err != nil || n < 0 {
			r.wrong(file, wave.Line(), "a wave is a number from 0, not %.40q", textOf(wave))
		}
		g.wave = n + 1
	}
	if needs := front.Key("depends_on"); needs.Line() > 0 {
		g.says, g.needs = true, textsOf(needs)
	}
	for _, name := range textsOf(front.Key("files_modified")) {
		g.task.Owns = append(g.task.Owns, globOf(name))
	}
	must := front.Key("must_haves")
	g.task.Acceptance = textsOf(must.Key("truths"))
	for _, m := range must.Members() {
		if m.Key != "truths" {
			r.leave(file, m.Line, "must_haves."+m.Key, "acceptance has the truths; the plan, which is the spec, has the rest")
		}
	}
	if textOf(front.Key("autonomous")) == "false" {
		g.task.ReviewBy = []board.Role{board.HumanRole}
	}
	leave := func(key, why string, unless ...string) {
		if v := front.Key(key); v.Line() > 0 && !slices.Contains(unless, textOf(v)) && (textOf(v) != "" || len(v.Entries())+len(v.Members()) > 0) {
			r.leave(file, v.Line(), key, why)
		}
	}
	leave("type", "a task has no such type", "execute")
	leave("user_setup", "a person does it before the work begins")
	leave("requirements", "a task has no numbers of requirements")
}

func (r *reading) readPlanText(p *page, g *gsdPlan) {
	title, at := p.title()
	objective := p.inBlock("objective")
	if objective == nil {
		objective = p.section("objective", "goal", "overview")
	}
	first, _, _ := strings.Cut(words(objective), "\n")
	if level, _ := firstHeading(p); level != 1 || len(objective) > 0 && at > objective[0].number { // it is one of what the plan needs
		title = ""
	}
	g.task.Scope = cmp.Or(words(objective), p.opening())
	g.task.Title = strings.TrimSpace(strings.TrimSuffix(cmp.Or(title, first), "."))
	criteria := slices.Concat(textsIn(p.inBlock("success_criteria")), textsIn(p.section("success criteria", "acceptance criteria", "done when")))
	checks := p.inBlock("verification")
	if checks == nil {
		checks = p.section("verification", "verification commands")
	}
	g.task.Verify = allOf(r.commands(p.file, checks))
	g.task.Acceptance = slices.Concat(g.task.Acceptance, criteria)
	if g.task.Verify == "" {
		g.task.Acceptance = append(g.task.Acceptance, textsIn(checks)...)
	}
	if allowed := pathsIn(p.section("allowed paths")); len(allowed) > 0 {
		g.task.Owns = allowed
	}
	g.task.Denies = pathsIn(p.section("excluded paths"))
	r.readPlanTasks(p, g)
	g.task.DoneWhen = cmp.Or(lines(criteria), lines(g.task.Acceptance), "The objective of the plan is reached")
	g.task.Title = cmp.Or(g.task.Title, "Plan "+path.Base(p.file))
	g.task.Scope = cmp.Or(g.task.Scope, g.task.Title)
}

func firstHeading(p *page) (int, string) {
	for _, l := range p.lines {
		if level, title := l.heading(); level > 0 {
			return level, title
		}
	}
	return 0, ""
}

// readPlanTasks makes the tasks of a plan steps: one session does them all.
func (r *reading) readPlanTasks(p *page, g *gsdPlan) {
	owned := len(g.task.Owns) > 0
	for n, one := range blocks(p.lines, "task") {
		if strings.Contains(one.about, "checkpoint:") { // a person verifies, acts or decides
			g.task.ReviewBy = []board.Role{board.HumanRole}
		}
		inner := func(tag string) string {
			found := blocks(one.lines, tag)
			if len(found) == 0 {
				return ""
			}
			return words(found[0].lines)
		}
		step := board.Step{Step: n + 1, Action: cmp.Or(strings.TrimSpace(inner("name")+"\n"+inner("action")), inner("decision"), inner("what-built"), "Task"), Expect: inner("done")}
		if automated := inner("automated"); automated != "" {
			step.Run = automated
		} else if verify := inner("verify"); verify != "" {
			step.Expect = strings.TrimSpace(step.Expect + "\n" + verify)
		}
		for part := range strings.FieldsFuncSeq(inner("files"), func(c rune) bool { return c == ',' || c == '\n' }) {
			word, _, _ := strings.Cut(strings.TrimSpace(part), " ")
			if name := globOf(strings.Trim(word, "`")); !owned {
				g.task.Owns = append(g.task.Owns, name)
			}
		}
		g.task.Steps = append(g.task.Steps, step)
	}
	g.task.Owns = distinct(g.task.Owns)
	if len(g.task.Steps) > 0 {
		return
	}
	for n, one := range items(p.section("tasks", "steps")) {
		g.task.Steps = append(g.task.Steps, board.Step{Step: n + 1, Action: one.text})
	}
}

// findNeeds resolves the words of a plan's depends_on: plans by their numbers, in whatever
// spelling, and phases, which it keeps for later.
func (r *reading) findNeeds(g *gsdPlan, byKey map[string]*gsdPlan) (ids []board.TaskID) {
	for _, said := range g.needs {
		word := needPattern().FindString(path.Base(said))
		phase := phaseRefPattern().FindStringSubmatch(strings.ReplaceAll(said, "-", " "))
		switch {
		case word != "" && byKey[keyOf(word)] != nil:
			ids = append(ids, byKey[keyOf(word)].task.ID)
		case word != "":
			ids = append(ids, taskID(idOfKey(keyOf(word)))) // the check tells that it is not there
		case phase != nil:
			g.phases = append(g.phases, plainNumber(phase[1]))
		default:
			r.wrong(g.file, g.line, "depends_on names %.40q, which is neither a plan nor a phase", said)
		}
	}
	return ids
}

var needPattern = pattern.Late(`^[0-9]+(?:\.[0-9]+)*-[0-9]+[a-z]?`)
