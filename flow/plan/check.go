package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Ground is what a plan is checked against beside itself.
type Ground struct {
	Find      func(path string) Found               // what is at a clean path of the tree; nil if no tree is known
	OnBoard   func(board.TaskID) bool               // whether the board has a task; nil without a board
	Names     func(board.TaskID, string) bool       // whether the board's task names a file already; nil without a board
	Owned     func(path string) bool                // whether an open task of the board writes a path; nil without a board
	Describe  func(board.TaskInput) []*flow.Refusal // what the board refuses; nil without a board
	HasTool   func(program string) bool             // whether this machine has a program; nil if nobody asks
	TextLimit int                                   // bytes of a text; 0 for that of a new board
	Deepest   int                                   // the highest level of the goal on the board; 0 for none
	Tests     []string                              // globs of paths that count as tests; nil for those of a new board
	Gated     bool                                  // the board has a gate that all work passes, so that verify may be missing
}

// Found is what is at a path of a tree.
type Found uint8

// What can be at a path.
const (
	Nothing Found = iota
	Folder
	Blob    // a file
	Symlink // or a submodule
)

// Thresholds of warnings.
const (
	longEstimate = 2 * 60 * 60 // seconds
	manyFiles    = 10
)

// mostText bounds, in bytes, the texts of a task together: half of what its document holds.
// A task that fills its document could be entered and never be claimed.
const mostText = 128 << 10

func errorAt(code Code, at Place, format string, args ...any) Fault {
	return Fault{Code: code, Place: at, Reason: fmt.Sprintf(format, args...)}
}

func warningAt(code Code, at Place, format string, args ...any) Fault {
	f := errorAt(code, at, format, args...)
	f.Warning = true
	return f
}

// Check returns all that is wrong with a plan, in the order of its tasks, and warnings.
func Check(p *Plan, ground Ground) []Fault {
	g, faults := Link(p, ground.OnBoard)
	if ground.Describe == nil {
		ground.Describe = flow.Describe
	}
	ground.TextLimit = cmp.Or(ground.TextLimit, board.DefaultConfig().TextLimit)
	if ground.Tests == nil {
		ground.Tests = board.DefaultConfig().Tests
	}
	c := checker{Graph: g, ground: ground, faults: faults}
	if n := len(p.Tasks); n > board.MaxTasks {
		c.add(Limit, Place{-1, "tasks", -1}, "the plan has %d tasks, at most %d are entered at once", n, board.MaxTasks)
	}
	for i := range p.Tasks {
		c.describe(i)
		c.warn(i)
	}
	c.checkLevels()
	c.checkRows()
	c.checkTotals()
	c.checkConsumers()
	c.checkSpecs()
	c.checkVerify()
	c.checkPaths()
	c.warnOfShape()
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return cmp.Compare(a.Place.Task, b.Place.Task) })
	return c.faults
}

type checker struct {
	*Graph
	ground Ground
	faults []Fault
}

func (c *checker) add(code Code, at Place, format string, args ...any) {
	c.faults = append(c.faults, errorAt(code, at, format, args...))
}

func (c *checker) warnOf(code Code, at Place, format string, args ...any) {
	c.faults = append(c.faults, warningAt(code, at, format, args...))
}

// describe checks what entering the task alone would be refused for.
func (c *checker) describe(i int) {
	t := &c.plan.Tasks[i]
	for _, r := range flow.Bound(t, c.ground.TextLimit) {
		c.add(Code(r.Rule), Place{i, "", -1}, "%s: %s", c.name(i), r.Reason)
	}
	if flow.TextBytes(t) > mostText {
		c.add(Limit, Place{i, "texts", -1}, "the texts of %s have together more than %d bytes, and its document has to hold what becomes of it, too", c.name(i), mostText)
	}
	in := t.TaskInput
	in.ID, in.Level = board.TaskID(c.name(i)), max(t.Level, 0)
	if in.Files != nil {
		in.Files = t.plainFiles()
	}
	for _, r := range c.ground.Describe(in) {
		c.add(Code(r.Rule), Place{i, "", -1}, "%s", r.Reason)
	}
	if t.Level < 0 {
		c.add(Level, Place{i, "level", -1}, "level %d of %s is not a number from 1", t.Level, c.name(i))
	}
}

// neverFails reports whether a command ends with one that succeeds, whatever came before.
func neverFails(command string) bool {
	at := max(strings.LastIndex(command, "||")+1, strings.LastIndexAny(command, ";\n"))
	last := command[min(at+1, len(command)):]
	word, _, _ := strings.Cut(strings.TrimSpace(last), " ")
	return at > 0 && slices.Contains([]string{"true", ":", "echo"}, word) && !strings.ContainsAny(last, "&|")
}

// warn warns of what makes a single task hard to finish.
func (c *checker) warn(i int) {
	t := &c.plan.Tasks[i]
	if t.ID == "" {
		return // it has an error
	}
	add := func(code Code, key, format string, args ...any) { c.warnOf(code, Place{i, key, -1}, format, args...) }
	if t.Verify == "" && !t.isText() && !t.Draft && !c.ground.Gated {
		add(Verify, "", "%s has no verify: nothing but its reviewer tells that it works", c.name(i))
	}
	tests := func(path string) bool {
		return slices.ContainsFunc(c.ground.Tests, func(pattern string) bool { return glob.Overlap(path, pattern) })
	}
	if paths := written(t); len(paths) > 0 && !t.isText() && !t.Draft && !slices.ContainsFunc(paths, tests) {
		add(Ownership, "", "%s is code and owns no test: its coder has to say why none changes", c.name(i))
	}
	if neverFails(t.Verify) {
		add(Verify, "verify", "the verify of %s cannot fail: its last command always succeeds", c.name(i))
	}
	if t.Seconds() > longEstimate {
		add(Estimate, "estimate", "the estimate of %s is over two hours: cut it into several tasks", c.name(i))
	}
	if n := len(t.Files.Written()); n > manyFiles {
		add(File, "files", "%s writes %d files: more than %d are hard to review", c.name(i), n, manyFiles)
	}
}

// checkLevels holds levels against needs and looks for gaps.
func (c *checker) checkLevels() {
	for i := range c.plan.Tasks {
		for entry, id := range c.plan.Tasks[i].DependsOn {
			need, known := c.places[id]
			if known && slices.Contains(c.needs[i], need) && c.levels[need] > c.levels[i] {
				c.add(Level, Place{i, "depends_on", entry}, "%s is at level %d and needs %s of level %d", c.name(i), c.levels[i], id, c.levels[need])
			}
		}
	}
	last := c.ground.Deepest
	for _, level := range c.Levels() {
		if level > last+1 {
			i := slices.Index(c.levels, level)
			c.add(Level, Place{i, "level", -1}, "%s is at level %d, and no task is at level %d", c.name(i), level, last+1)
		}
		last = max(last, level)
	}
}

// checkRows holds a table of levels against the tasks.
func (c *checker) checkRows() {
	row := map[int]int{} // of each listed task, its level in the table
	for _, r := range c.plan.Said.Rows {
		key := "levels." + r.Key
		for _, id := range r.Tasks {
			i, known := c.places[id]
			other, twice := row[i]
			switch {
			case id == "":
			case !known:
				c.add(NotFound, Place{-1, key, -1}, "level %d lists %s, which does not exist", r.Level, id)
			case twice:
				c.add(Level, Place{-1, key, -1}, "level %d lists %s, and so does level %d", r.Level, id, other)
			case c.levels[i] != r.Level:
				c.add(Level, Place{-1, key, -1}, "level %d lists %s, which is at level %d", r.Level, id, c.levels[i])
			}
			if known {
				row[i] = r.Level
			}
		}
	}
	for i := range c.plan.Tasks {
		if _, listed := row[i]; !listed && len(row) > 0 {
			c.add(Level, Place{i, "", -1}, "no level of the table lists %s", c.name(i))
		}
	}
}

// checkTotals holds what the file says of all tasks against them. Sums of estimates
// are compared only if every task has one.
func (c *checker) checkTotals() {
	said := c.plan.Said
	if n := len(c.plan.Tasks); said.Tasks != nil && *said.Tasks != n {
		c.warnOf(Total, Place{-1, "total_tasks", -1}, "the file says %d tasks and has %d", *said.Tasks, n)
	}
	if slices.ContainsFunc(c.plan.Tasks, func(t Task) bool { return t.Estimate == 0 }) {
		return
	}
	if sum := c.Work() / 60; said.Minutes != nil && int64(*said.Minutes) != sum {
		c.warnOf(Total, Place{-1, "estimated_duration_minutes", -1}, "the file says %d minutes, and the estimates make %d", *said.Minutes, sum)
	}
	if _, seconds := c.Longest(); said.Critical != nil && int64(*said.Critical) != seconds/60 {
		c.warnOf(Total, Place{-1, "critical_path_minutes", -1}, "the file says that the longest chain takes %d minutes, and it takes %d", *said.Critical, seconds/60)
	}
}

// checkConsumers holds consumers against what they depend on.
func (c *checker) checkConsumers() {
	var pairs []pair
	var at []Place
	for i := range c.plan.Tasks {
		t := &c.plan.Tasks[i]
		for entry, id := range t.Consumers {
			j, known := c.places[id]
			switch {
			case id == "":
			case known:
				pairs, at = append(pairs, pair{i, j}), append(at, Place{i, "consumers", entry})
			case c.ground.OnBoard == nil || !c.ground.OnBoard(id):
				c.add(NotFound, Place{i, "consumers", entry}, "%s has the consumer %s, which does not exist", c.name(i), id)
			}
		}
		if len(t.Consumers) > 0 && t.IntegrationTest == "" {
			c.add(Consumer, Place{i, "consumers", -1}, "%s has consumers and no integration_test", c.name(i))
		}
	}
	for n, depends := range c.precede(pairs) {
		if !depends {
			c.add(Consumer, at[n], "%s is a consumer of %s and does not depend on it", c.name(pairs[n].then), c.name(pairs[n].first))
		}
	}
}

// checkSpecs looks for the files of specs, each once.
func (c *checker) checkSpecs() {
	seen := map[string]bool{}
	for i := range c.plan.Tasks {
		path, _, _ := strings.Cut(c.plan.Tasks[i].Spec, "#")
		if path == "" || seen[path] || c.ground.Find == nil || c.plan.Tasks[i].Draft {
			continue
		}
		seen[path] = true
		if reason := pathFault(path); reason != "" {
			c.add(Spec, Place{i, "spec", -1}, "the spec %s of %s %s", strconv.Quote(path), c.name(i), reason)
		} else if c.ground.Find(clean(path)) != Blob {
			c.add(Spec, Place{i, "spec", -1}, "the spec %s of %s is no file of the tree", path, c.name(i))
		}
	}
}

// mostTools is how many programs this machine is asked for.
const mostTools = 50

// checkVerify looks for the programs that verify commands begin with, each once.
func (c *checker) checkVerify() {
	seen := map[string]bool{}
	for i := range c.plan.Tasks {
		program := shell.Program(c.plan.Tasks[i].Verify) // a script of the repository may be a task's work
		if c.ground.HasTool == nil || program == "" || seen[program] || len(seen) == mostTools {
			continue
		}
		seen[program] = true
		if !c.ground.HasTool(program) {
			c.warnOf(Verify, Place{i, "verify", -1}, "%s is verified by %s, which is not installed here", c.name(i), program)
		}
	}
}

// warnOfShape warns of tasks that stand apart, and of one that all others wait for.
func (c *checker) warnOfShape() {
	if len(c.plan.Tasks) < 3 {
		return
	}
	var roots []int
	for i := range c.plan.Tasks {
		if len(c.needs[i]) == 0 {
			roots = append(roots, i)
		}
		if len(c.needs[i])+len(c.feeds[i]) == 0 && c.plan.Tasks[i].ID != "" {
			c.warnOf(Orphan, Place{i, "", -1}, "%s needs no task, and no task needs it", c.name(i))
		}
	}
	if len(roots) == 1 {
		c.warnOf(Bottleneck, Place{roots[0], "", -1}, "all other tasks wait for %s", c.name(roots[0]))
	}
}
