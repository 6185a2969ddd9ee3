package flow

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
)

// InitMove is the root of every board: its goal, its integration branch and
// every value of its configuration.
type InitMove struct {
	Board       string       `yaml:"board"` // random, 16 hexadecimal digits
	Format      int          `yaml:"format"`
	Goal        board.GoalID `yaml:"goal"`
	Title       string       `yaml:"title"`
	Spec        string       `yaml:"spec"`
	Integration board.Branch `yaml:"integration"`
	Created     bool         `yaml:"created"` // whether the integration branch is made with the board
	Deadline    time.Time    `yaml:"deadline"`
	Config      board.Config `yaml:"config"`
	// Admin is the board's first principal, which makes this move; nil for a board
	// without principals.
	Admin *board.Principal `yaml:"admin"`
	Texts texts            `yaml:"texts"` // of the goal's spec
}

func (i *InitMove) subject() string { return "board" }

func (i *InitMove) ask(_ Move, b *board.Board) Query {
	return Query{Saves: []board.ObjectID{i.Integration.Tip}, Texts: queriesOf(b, i.Spec), Tip: i.Integration.Tip}
}

func (i *InitMove) fill(p *play) { i.Texts = enteredTexts(p) }

func (i *InitMove) refs(_ Move, b *board.Board) []RefMove {
	list := []RefMove{{Name: board.MarkRef("sprint-1"), State: true}}
	if i.Created {
		list = append(list, RefMove{Name: i.Integration.Ref(), New: i.Integration.Tip})
	}
	return list
}

func (i *InitMove) check(p *play) *Refusal {
	hint := "git liza help init"
	if p.board.Settings().Format != 0 {
		return refuse(RuleExists, "git liza status", "there is a blackboard already")
	}
	switch {
	case i.Format < 1 || i.Format > board.NewestFormat:
		return refuse(RuleFormat, "git liza --version", "a new board has a format from 1 to %d, not %d", board.NewestFormat, i.Format)
	case !board.IsRandomID(i.Board):
		return refuse(RuleForm, hint, "%q is not a board id", board.Clip(i.Board))
	case !goodBranch(i.Integration.Name) || i.Integration.Tip == "":
		return refuse(RuleForm, hint, "%q cannot be the integration branch", board.Clip(i.Integration.Name))
	case p.facts != nil && !p.facts.Saves[i.Integration.Tip]:
		return refuse(RuleFact, hint, "the integration tip %s is not a commit", i.Integration.Tip)
	case i.Goal == "" || i.Title == "" || i.Spec == "":
		return refuse(RuleIncomplete, hint, "a goal needs an id, a title and a spec")
	case p.facts != nil && !p.facts.Texts[board.SpecPath(i.Spec)].exists():
		return refuse(RuleSpec, "git add "+shell.Quote(board.SpecPath(i.Spec))+" && git commit", "the spec '%s' does not exist in commit %s",
			board.SpecPath(i.Spec), i.Integration.Tip.Short())
	case p.facts != nil && p.facts.Texts[board.SpecPath(i.Spec)].lacks(specAnchor(i.Spec)):
		return refuse(RuleSpec, hint, "the spec '%s' has no heading '#%s' in commit %s", board.SpecPath(i.Spec), board.Clip(specAnchor(i.Spec)), i.Integration.Tip.Short())
	case !i.Deadline.IsZero() && !i.Deadline.After(p.move.At):
		return refuse(RuleForm, hint, "the deadline %s is in the past", i.Deadline.Format(time.RFC3339))
	}
	if r := checkConfig(&i.Config, hint); r != nil {
		return r
	}
	if r := checkRecorded(p, i.Texts); r != nil || i.Admin == nil {
		return r
	}
	if r := p.checkGovernment(&board.Principals{List: []board.Principal{i.Admin.Bare()}}, i.Admin); r != nil {
		return r
	}
	if i.Admin.Name != p.move.Principal {
		return refuse(RulePrincipal, "git config liza.principal "+i.Admin.Name, "the first admin %s makes the board, not %q", i.Admin.Name, board.Clip(p.move.Principal))
	}
	return nil
}

// goodBranch accepts a subset of the branch names of git that no shell or
// option parser misreads. Names below liza/ are reserved for task branches.
func goodBranch(name string) bool {
	if first, _, _ := strings.Cut(name, "/"); board.IsReservedName(first) {
		return false
	}
	if strings.HasPrefix(strings.ToLower(name)+"/", layout.TaskBranches) {
		return false
	}
	return len(name) <= 128 && !slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return part == "" || part[0] == '.' || part[0] == '-' || strings.ContainsFunc(part, func(r rune) bool { return !board.IsWordRune(r) }) ||
			strings.Contains(part, "..") || strings.HasSuffix(part, ".") ||
			strings.HasSuffix(strings.ToLower(part), ".lock")
	})
}

func (i *InitMove) apply(p *effect) {
	at := p.move.At
	p.put(board.Key{Folder: board.SettingsDoc}, &board.Settings{Format: i.Format, Board: i.Board, Goal: i.Goal, Integration: i.Integration,
		Control: board.ControlState{State: board.Running, By: p.move.By, At: at},
		Next:    board.Counters{Task: 1, Goal: 2, Sprint: 1, Record: 1, Mark: 1}, Checked: &board.Checked{Mark: "sprint-1", At: at}, Config: i.Config})
	goal := &board.Goal{ID: i.Goal, Title: i.Title, Spec: i.Spec, Status: board.InProgress, Created: at, CreatedBy: p.move.By, Priority: usualPriority}
	goal.AtCheckpoint = goal.Tally()
	p.put(board.Key{Folder: board.Goals, ID: string(i.Goal)}, goal)
	startSprint(p, i.Deadline)
	if i.Admin != nil {
		p.put(board.Key{Folder: board.PrincipalsDoc}, &board.Principals{List: []board.Principal{i.Admin.Bare()}})
	}
	for _, row := range board.BuiltinRoles() {
		p.put(board.Key{Folder: board.RolesFolder, ID: string(row.Name)}, row)
	}
	p.put(board.Key{Folder: board.ReviewsDoc}, &board.ReviewRules{List: []board.ReviewRule{{Role: board.CodeReviewer}}})
	upgradeBoard(p, 0, i.Format)
}

// checkConfig refuses a configuration that no rule could work with.
func checkConfig(c *board.Config, hint string) *Refusal {
	if min(c.Lease, c.ReviewLease, c.Grace) < board.Duration(time.Second) {
		return refuse(RuleForm, hint, "a lease and the grace last at least a second")
	}
	if min(c.Limits.Iterations, c.Limits.Cycles, c.Limits.MergeFails, c.Limits.NoVerdicts, c.Limits.FailedCoders, c.Limits.Failures) < 1 || c.BlobLimit < 1 {
		return refuse(RuleForm, hint, "a limit is at least 1")
	}
	if c.Limits.FailedCoders > board.MaxList || c.Limits.Failures > board.MaxList {
		return refuse(RuleForm, hint, "a task records %d failures at most, so no limit of them is higher", board.MaxList)
	}
	if c.TextLimit < 256 || c.TextLimit > 64<<10 || c.SupersedeDepth < 0 || c.DriftAlarm < 0 {
		return refuse(RuleForm, hint, "text_limit lies between 256 and 65536 bytes, and no limit is negative")
	}
	if !c.Budgets.Sound() {
		return refuse(RuleForm, hint, "a budget is negative or too large")
	}
	if c.Checkpoint.Every < 0 || c.Checkpoint.Every > 1_000_000 || c.Checkpoint.Share < 0 || c.Checkpoint.Share > 100 {
		return refuse(RuleForm, hint, "checkpoint.every is at most 1000000 merges, checkpoint.share at most 100 percent, and 0 is never")
	}
	if r := cmp.Or(checkAlarms(&c.Alarms, hint), checkRetryPolicy(c.Retry, hint)); r != nil {
		return r
	}
	if c.Pressure.Rate < 0 || c.Pressure.Rate > 100 {
		return refuse(RuleForm, hint, "pressure.rate is at most 100 percent, and 0 is never")
	}
	return cmp.Or(checkGlobs(c.Tests, hint), checkGlobs(c.Never, hint), CheckGates(c.Gates, hint))
}

// CheckGates refuses gates that no board could have together.
func CheckGates(list []board.Gate, hint string) *Refusal {
	for i, g := range list {
		named := func(o board.Gate) bool { return o.Name == g.Name }
		if !board.ValidID(g.Name) || g.Command == "" || g.Timeout < board.Duration(time.Second) || slices.ContainsFunc(list[:i], named) {
			return refuse(RuleForm, hint, "a gate needs a name of its own, a command and a timeout: %q", board.Clip(g.Name))
		}
		if r := checkGlobs(g.Paths, hint); r != nil {
			return r
		}
	}
	return nil
}

// checkAlarms refuses thresholds that no view could work with.
func checkAlarms(a *board.Alarms, hint string) *Refusal {
	const longest = board.Duration(365 * 24 * time.Hour)
	for _, d := range []board.Duration{a.Lease, a.Orphaned, a.Stalled, a.Draft, a.Unstaffed, a.CheckpointStale, a.CheckpointStuck,
		a.CheckpointAbandoned, a.PauseStale, a.PauseForgotten} {
		if d < 0 || d > longest {
			return refuse(RuleForm, hint, "an alarm waits for at most 365 days, and 0 is the usual time")
		}
	}
	if a.Approaching < 0 || a.Approaching > 100 || a.Approvals < 0 {
		return refuse(RuleForm, hint, "alarms.approaching lies between 0 and 100 percent, and alarms.approvals is not negative")
	}
	for _, kind := range a.Off {
		if kind == "" || len(kind) > 64 || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz_") != "" {
			return refuse(RuleForm, hint, "%q is no kind of alarm", board.Clip(kind))
		}
	}
	return nil
}

// ConfigMove replaces the configuration.
type ConfigMove struct {
	Config board.Config `yaml:"config"`
}

func (c *ConfigMove) check(*play) *Refusal { return checkConfig(&c.Config, "git liza config") }

func (c *ConfigMove) already(p *play) bool {
	return reflect.DeepEqual(p.board.Settings().Config, c.Config)
}

func (c *ConfigMove) apply(p *effect) {
	p.change(func(s *board.Settings) { s.Config = c.Config })
	dropOutages(p)
}

// ImportMove adds tasks that come from another system; it is atomic as add is. Without
// tasks it records that the board has all those of a plan.
type ImportMove struct {
	Source string `yaml:"source"`
	Tasks  inputs `yaml:"tasks"`
	Texts  texts  `yaml:"texts"` // new ones that the tasks stand on

	Plan     *board.PlanRef  `yaml:"plan"`     // the artifact that the tasks come from; nil if it is none
	Update   inputs          `yaml:"update"`   // tasks that are described anew
	Schedule *board.Schedule `yaml:"schedule"` // of the goal, nil leaves it
}

// add is the same as an addition of tasks.
func (i *ImportMove) add() *AddMove {
	return &AddMove{Tasks: i.Tasks, Update: i.Update, Schedule: i.Schedule, Texts: i.Texts}
}

func (i *ImportMove) subject() string { return "" }

func (i *ImportMove) ask(m Move, b *board.Board) Query { return i.add().ask(m, b) }

func (i *ImportMove) fill(p *play) { i.Texts = enteredTexts(p) }

func (i *ImportMove) check(p *play) *Refusal {
	if len(i.Tasks)+len(i.Update) == 0 && i.Plan == nil {
		return refuse(RuleForm, "git liza help task add", "there is no task to import")
	}
	if r := i.checkPlan(p); r != nil {
		return r
	}
	return i.add().enter(p)
}

func (i *ImportMove) already(p *play) bool {
	g := p.board.Goal(p.goalID())
	return i.Plan != nil && g != nil && slices.ContainsFunc(g.Plans, func(o board.PlanRef) bool { return o.Path == i.Plan.Path && o.Blob == i.Plan.Blob })
}

// checkPlan refuses tasks that come from no approved plan of the workflow, if that has
// one, or while the phase that makes the plan has not ended.
func (i *ImportMove) checkPlan(p *play) *Refusal {
	const hint = "git liza help plan"
	goal := p.goalID()
	w, g := board.FindWorkflow(p.board, goal), p.board.Goal(goal)
	for _, in := range i.Tasks {
		if w != nil && in.Phase != "" && in.Phase != g.Phase {
			return refuse(RulePhase, hint, "%s names the phase %s: imported tasks belong to the phase that %s is in", in.ID, in.Phase, goal)
		}
	}
	makes, first := planTasks(p.board, goal, i.Plan)
	switch {
	case first < 0 && i.Plan == nil && !p.move.By.IsHuman() && p.board.CapacityOf(p.move.By) != board.Plans:
		return refuse(RuleRole, hint, "only a person or a planner imports tasks that come from no approved plan")
	case first < 0 && i.Plan != nil:
		return refuse(RulePhase, hint, "no phase of %s produces a plan: tasks come from any file", goal)
	case first < 0:
		return nil
	case i.Plan == nil:
		return refuse(RuleArtifact, hint, "the tasks of %s come from the plan that the phase %s produces", goal, w.Phases[first].Name)
	case makes < 0:
		return refuse(RuleArtifact, hint, "%s is no plan that a phase of %s produces", board.QuoteC(board.Clip(i.Plan.Path)), goal)
	case makes >= w.Place(g.Phase):
		return refuse(RulePhase, "git liza goal phase next --goal "+string(goal), "the phase %s, which produces the plan, has not ended", w.Phases[makes].Name)
	}
	doc := p.board.Tracked(i.Plan.Path)
	switch {
	case len(i.kept(p, g)) >= board.MaxList:
		return refuse(RuleLimit, "git liza goal phase next --goal "+string(goal), "the tasks of %d plans of %s are imported already", board.MaxList, goal)
	case doc == nil || doc.Blob != i.Plan.Blob || doc.Blob == "":
		return refuse(RuleArtifact, "git liza plan import "+acceptArgument(i.Plan.Path), "%s is not %s on integration", board.QuoteC(board.Clip(i.Plan.Path)), board.Clip(string(i.Plan.Blob)))
	case !doc.Approved():
		return refuse(RuleArtifact, acceptCommand([]string{doc.Path}), "%s is not approved as it is", board.QuoteC(board.Clip(doc.Path)))
	}
	return nil
}

// planTasks is the place of the phase that produces the plan, -1 if none does, and that of the
// first phase that produces one, -1 if none does.
func planTasks(b *board.Board, goal board.GoalID, of *board.PlanRef) (makes, first int) {
	makes, first = -1, -1
	w := board.FindWorkflow(b, goal)
	if w == nil {
		return makes, first
	}
	for i, f := range w.Phases {
		for _, a := range f.Artifacts {
			if !w.Type(a.Type).IsPlan() {
				continue
			}
			if first < 0 {
				first = i
			}
			if of != nil && makes < 0 && glob.Match(board.Expand(a.Path, goal), of.Path) {
				makes = i
			}
		}
	}
	return makes, first
}

func (i *ImportMove) apply(p *effect) {
	i.add().apply(p)
	if i.Plan == nil {
		return
	}
	editGoal(p, func(g *board.Goal) {
		g.Plans = append(i.kept(p.play, g), board.PlanRef{Path: i.Plan.Path, Blob: i.Plan.Blob, At: p.move.At})
	})
}

// kept are the other plans of the goal whose texts are as they were imported. An older one
// that fell out of the list would be due again.
func (i *ImportMove) kept(p *play, g *board.Goal) []board.PlanRef {
	return slices.DeleteFunc(slices.Clone(g.Plans), func(o board.PlanRef) bool {
		doc := p.board.Tracked(o.Path)
		return o.Path == i.Plan.Path || doc == nil || doc.Blob != o.Blob
	})
}

// ArchiveMove moves final tasks to the archive, so that the live folders stay
// small, and marks the records of sprints, so that nobody is shown them again.
type ArchiveMove struct {
	Tasks   board.TaskIDs    `yaml:"tasks"`
	Sprints []board.SprintID `yaml:"sprints"`
}

func (a *ArchiveMove) subject() string {
	if len(a.Tasks) == 0 && len(a.Sprints) > 0 {
		return string(a.Sprints[0])
	}
	return a.Tasks.Subject()
}

func (a *ArchiveMove) check(p *play) *Refusal {
	if len(a.Tasks)+len(a.Sprints) == 0 {
		return refuse(RuleForm, "git liza board archive", "there is no task to archive")
	}
	for _, id := range a.Sprints {
		s := p.board.Sprint(id)
		if s == nil {
			return refuse(RuleNotFound, "git liza sprint show", "there is no sprint %s", id)
		}
		if !ended(s) {
			return refuse(RuleState, "git liza sprint close", "%s is %s, only the records of an ended sprint are archived", id, s.Status)
		}
	}
	for _, id := range a.Tasks {
		t, ok := p.board.Load(board.Key{Folder: board.Tasks, ID: string(id)}).(*board.Task)
		if !ok || t.ID != id {
			return refuse(RuleNotFound, "git liza list", "there is no live task %s", id)
		}
		if !t.Status.Final() {
			return refuse(RuleState, "git liza show "+string(id), "%s is %s, only final tasks are archived", id, t.Status)
		}
		if r := keptForLevel(p, t); r != nil {
			return r
		}
	}
	return nil
}

func (a *ArchiveMove) apply(p *effect) {
	for _, id := range a.Tasks {
		t := p.board.Load(board.Key{Folder: board.Tasks, ID: string(id)})
		if t == nil {
			continue
		}
		p.put(board.Key{Folder: board.Tasks, ID: string(id)}, nil)
		p.put(board.Key{Folder: board.Archive, ID: string(id)}, t)
		countArchived(p, t.(*board.Task), 1)
	}
	for _, id := range a.Sprints {
		for _, key := range board.RecordsToArchive(p.board, id) {
			archiveRecord(p, key)
		}
	}
}
