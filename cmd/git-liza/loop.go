package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/stories"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type loopCommands struct {
	Run    loopRunCommand    `cmd:"" default:"withargs" help:"Open a loop, or go on with it, until every story has passed or a bound is reached; the default."`
	Export loopExportCommand `cmd:"" help:"Print the file of stories with what came of them; nothing else in it changes."`
}

type loopRunCommand struct {
	File       string         `arg:"" placeholder:"FILE" help:"The stories, as they are on integration; of a folder its prd.json."`
	Iterations int            `placeholder:"N" help:"How many claims agents have; a new loop needs it."`
	Tokens     int64          `placeholder:"N" help:"How many tokens all sessions may use; default: no bound."`
	Cost       board.Cost     `placeholder:"DOLLARS" help:"What all sessions may cost; default: no bound."`
	Wall       board.Duration `placeholder:"8h" help:"How long after its beginning agents may claim; default: no bound."`
	Owns       []string       `placeholder:"GLOB,…" help:"Paths that the work may change, in place of those of the file; repeatable."`
	Denies     []string       `placeholder:"GLOB,…" help:"Paths that it may not change, in place of those of the file; repeatable."`
	Verify     string         `placeholder:"CMD" help:"Shell command that must succeed at submit, in place of those of the file."`
	Judge      board.Role     `placeholder:"gates" help:"The role whose verdict a story needs."`

	Provider []string `sep:"none" placeholder:"[ROLE=]P" help:"As git liza rush takes it."`
	Agents   []string `placeholder:"ROLE=N,…" help:"More agents beside one coder and one of the role that judges."`
	Follow   followed `placeholder:"AGENT|all" help:"Show the output of this agent, or of all, too."`
	Quiet    bool     `short:"q" help:"Print only what needs a person, and the summary."`
}

func (c *loopRunCommand) Run(inv *invocation, clone *work.Clone, b *board.Board) error {
	if info, err := os.Stat(c.File); err == nil && info.IsDir() {
		c.File = filepath.Join(c.File, "prd.json")
	}
	path, err := rootedFile(inv, clone, c.File)
	if err != nil {
		return err
	}
	l := looping{invocation: inv, clone: clone, said: c.File, path: path}
	if err := l.find(b); err != nil {
		return err
	}
	if l.goal != "" {
		err = l.widen(b, c)
	} else {
		err = l.open(b, c)
	}
	if err != nil || l.goal == "" {
		return err
	}
	if l.clone, err = openGoal(inv, l.goal); err != nil {
		return err
	}
	return l.work(c)
}

// A looping leads a loop from its file to its end.
type looping struct {
	*invocation
	clone *work.Clone
	said  string       // the file, as the user names it
	path  string       // of the stories, from the root of the repository
	goal  board.GoalID // "" until there is one
	file  *stories.File
}

// find finds the goal of the loop that works on the file, if there is one.
func (l *looping) find(b *board.Board) error {
	for _, g := range board.All[*board.Goal](b, board.Goals) {
		if g.Status.IsInProgress() && g.Loop != nil && g.Loop.Path == l.path {
			l.goal = g.ID
		}
	}
	return b.Err()
}

// widen gives a loop that goes on the bounds that flags say. Nothing else of it changes.
func (l *looping) widen(b *board.Board, c *loopRunCommand) error {
	g := b.Goal(l.goal)
	if len(c.Owns)+len(c.Denies)+len(c.Verify)+len(c.Judge) > 0 {
		return usagef("git liza loop "+shell.Quote(c.File), "%s goes on as it began: only --iterations, --tokens, --cost and --wall change", g.ID)
	}
	if blob, err := l.clone.Repo.BlobAt(l.ctx, b.Settings().Integration.Tip, l.path); err == nil && blob != g.Loop.Blob {
		l.progress("warning: %s has changed since %s began, which goes on with its stories as they were; to begin anew: git liza goal abort %[2]s --reason R", git.Visible(l.path), g.ID)
	}
	bounds := *g.Loop
	bounds.Iterations, bounds.Tokens = cmp.Or(c.Iterations, bounds.Iterations), cmp.Or(c.Tokens, bounds.Tokens)
	bounds.Cost, bounds.Wall = cmp.Or(c.Cost, bounds.Cost), cmp.Or(c.Wall, bounds.Wall)
	if bounds.Iterations == g.Loop.Iterations && bounds.Tokens == g.Loop.Tokens && bounds.Cost == g.Loop.Cost && bounds.Wall == g.Loop.Wall {
		return nil
	}
	if err := l.checkAgents(b, c, bounds.Judge); err != nil {
		return err
	}
	_, _, err := l.goalMove(g.ID, board.ActAmend, func(_ *work.Clone, b *board.Board) flow.Detail {
		now := *b.Goal(g.ID)
		bounds.Used = now.Loop.Used
		now.Loop = &bounds
		return &flow.AmendMove{Goal: &now}
	})
	return err
}

// open opens the goal of a new loop. Where every story has passed there is none, and it
// says so.
func (l *looping) open(b *board.Board, c *loopRunCommand) error {
	blob, err := l.read(b)
	if err != nil {
		return err
	}
	if g := b.Goal(lastLoop(b)); g != nil && !g.Status.IsInProgress() && g.Loop.Path == l.path && g.Loop.Blob == blob {
		report, err := readLoop(l.invocation, l.clone, g.ID)
		if err != nil {
			return err
		}
		if len(report.Left()) == 0 {
			return l.answer("already", report, report.Text(l.width())+"it has ended: git liza loop export "+string(g.ID))
		}
	}
	if !slices.ContainsFunc(l.file.Stories, func(s stories.Story) bool { return !s.Passes }) {
		return l.answer("already", map[string]any{"path": l.path, "stories": []any{}}, "every story of "+l.path+" has passed")
	}
	bounds, err := c.bounds(l.invocation, l.path, l.file)
	if err != nil {
		return err
	}
	bounds.Blob = blob
	w, err := readWorkflow(l.invocation, l.clone, "loop")
	if err != nil {
		return err
	}
	if err := l.checkAgents(b, c, bounds.Judge); err != nil {
		return err
	}
	if err := l.clone.Trust.AllowTasks(l.ctx, c.tasks("", bounds, l.file)); err != nil {
		return err
	}
	_, r, err := l.goalMove("", board.ActGoal, func(_ *work.Clone, b *board.Board) flow.Detail {
		id := board.GoalID("goal-" + strconv.Itoa(b.Settings().Next.Goal))
		return &flow.GoalMove{ID: id, Title: cmp.Or(l.file.Title, "Loop: "+l.path), Spec: l.path, Workflow: w, Loop: bounds, Tasks: c.tasks(id, bounds, l.file)}
	})
	if err != nil {
		return err
	}
	l.goal = movedGoal(r)
	l.progress("%s is the loop of %s: git liza goal show %[1]s", l.goal, git.Visible(l.path))
	if caution := r.After.Tracked(l.path).Caution(); caution != "" {
		l.progress("caution: %s", caution)
	}
	return nil
}

// read reads the stories as they are on integration, and returns their blob.
func (l *looping) read(b *board.Board) (blob board.ObjectID, err error) {
	on := b.Settings().Integration
	if blob, err = l.clone.Repo.BlobAt(l.ctx, on.Tip, l.path); err != nil {
		return "", err
	}
	if blob == "" {
		hint := "git liza adopt HEAD --reason R"
		if !l.isCommitted() {
			hint = "git add " + shell.Quote(l.said) + " && git commit -m stories && " + hint
		}
		return "", &flow.Refusal{Rule: flow.RuleSpec, Hint: hint, Reason: fmt.Sprintf("%s is not on %s", git.Visible(l.path), on.Name)}
	}
	if data, err := l.readInput(l.said); err == nil && l.clone.Repo.Hash("blob", data) != blob {
		return "", &flow.Refusal{Rule: flow.RuleSpec, Hint: "git diff " + git.ShortBranch(l.ctx, l.clone.Repo, on.Name) + " -- " + shell.Quote(l.said), Reason: git.Visible(l.path) + " is not as it is on " + on.Name}
	}
	l.file, err = readStories(l.invocation, l.clone, l.path, blob)
	return blob, err
}

// isCommitted reports whether the current commit has the file.
func (l *looping) isCommitted() bool {
	head, err := work.ParseCommit(l.ctx, l.clone, "HEAD")
	if err != nil {
		return false
	}
	blob, err := l.clone.Repo.BlobAt(l.ctx, head, l.path)
	return err == nil && blob != ""
}

// readStories reads stories from a blob.
func readStories(inv *invocation, clone *work.Clone, path string, blob board.ObjectID) (*stories.File, error) {
	data, err := clone.Repo.Objects(inv.ctx).ReadKind(blob, "blob", stories.MaxFile)
	if err != nil {
		return nil, usagef("git liza help loop", "%s: %v", git.Visible(path), err)
	}
	file, err := stories.Read(path, data)
	if err != nil {
		return nil, usagef("git liza help loop", "%v", err)
	}
	return file, nil
}

// bounds are what the flags and the file say of the loop.
func (c *loopRunCommand) bounds(inv *invocation, path string, file *stories.File) (*board.Loop, error) {
	missing := ""
	for _, need := range []struct {
		lacks bool
		flag  string
	}{
		{c.Iterations == 0, " --iterations N"},
		{len(c.owns(file)) == 0, " --owns GLOB"},
		{len(c.denies(file)) == 0, " --denies GLOB"},
		{c.verify(file) == "", " --verify CMD"},
	} {
		if need.lacks {
			missing += need.flag
		}
	}
	if missing != "" {
		return nil, usagef("git liza "+shell.Join(inv.args...)+missing, "neither the file nor a flag says%s", missing)
	}
	return &board.Loop{Path: path, Iterations: c.Iterations, Tokens: c.Tokens, Cost: c.Cost, Wall: c.Wall, Denies: c.denies(file), Judge: cmp.Or(c.Judge, "gates")}, nil
}

// owns are the globs of paths that the work may change.
func (c *loopRunCommand) owns(file *stories.File) []string { return globs(c.Owns, file.Allowed) }

// denies are the globs of paths that the work may not change.
func (c *loopRunCommand) denies(file *stories.File) []string { return globs(c.Denies, file.Excluded) }

// globs are those that flags say, else those of a file. A folder is all that it holds.
func globs(said, written []string) (list []string) {
	if len(said) == 0 {
		said = written
	}
	for _, glob := range said {
		if strings.HasSuffix(glob, "/") {
			glob += "**"
		}
		list = append(list, strings.TrimPrefix(glob, "./"))
	}
	return list
}

// verify is the command that must succeed at a submission.
func (c *loopRunCommand) verify(file *stories.File) string {
	switch {
	case c.Verify != "":
		return c.Verify
	case len(file.Verify) == 1:
		return file.Verify[0]
	case len(file.Verify) == 0:
		return ""
	}
	return "(" + strings.Join(file.Verify, ") && (") + ")"
}

// tasks are those of the stories that have not passed.
func (c *loopRunCommand) tasks(goal board.GoalID, l *board.Loop, file *stories.File) (list []board.TaskInput) {
	order := file.Order()
	for n, s := range order {
		if s.Passes {
			continue
		}
		list = append(list, board.TaskInput{ID: storyTask(goal, n), Title: s.ID + ": " + s.Title, DoneWhen: "every criterion of the story holds, and verify succeeds",
			Spec: l.Path, Scope: "the story " + s.ID + ", and nothing else", Priority: 1 + n*5/len(order), Owns: c.owns(file), Verify: c.verify(file),
			Acceptance: s.Acceptance, Context: board.LongText(s.Text())})
	}
	return list
}

// storyTask is the id of the task of a story, by its place in the order.
func storyTask(goal board.GoalID, n int) board.TaskID {
	return board.TaskID(fmt.Sprintf("%s-%d", goal, n+1))
}

// rush are the agents of a loop with a judge.
func (c *loopRunCommand) rush(b *board.Board, judge board.Role) rushCommand {
	none, one := 0, 1
	rush := rushCommand{Planners: &none, Reviewers: &none, Coders: &one, Provider: c.Provider, Agents: c.Agents, UntilIdle: true, Follow: c.Follow, Quiet: c.Quiet}
	if judge == board.CodeReviewer {
		rush.Reviewers = &one
	} else if row := b.Role(judge); row != nil && row.Capacity == board.Judges && judge != board.HumanRole {
		rush.Agents = append(slices.Clone(rush.Agents), string(judge)+"=1")
	}
	return rush
}

// checkAgents refuses, before a move is made for them, what would keep the agents of a loop
// from beginning: those that do the stories, and those that judge them.
func (l *looping) checkAgents(b *board.Board, c *loopRunCommand, judge board.Role) error {
	rush := c.rush(b, judge)
	team, slots, _, err := rush.team(l.invocation)
	for _, role := range []board.Role{board.Coder, judge} {
		of := slices.DeleteFunc(slices.Clone(slots), func(s supervise.Slot) bool { return s.Role != role })
		if err == nil && len(of) > 0 {
			_, err = team.fitPrograms(of)
		}
	}
	return err
}

// work lets agents work on the stories until all have passed or nothing can move.
func (l *looping) work(c *loopRunCommand) error {
	b, _, err := l.clone.Store.Board(l.ctx)
	if err != nil {
		return err
	}
	rush := c.rush(b, b.Goal(l.goal).Loop.Judge)
	rush.Goal = l.goal
	own := *l.invocation
	if l.json {
		own.stdout = io.Discard // the report is the one answer
	}
	return l.end(rush.Run(&own))
}

// end says what came of the loop whose agents have ended.
func (l *looping) end(ended error) error {
	report, err := readLoop(l.invocation, l.clone, l.goal)
	if err != nil {
		return errors.Join(ended, err)
	}
	left := report.Left()
	if len(left) == 0 {
		return l.complete(report)
	}
	if ended == nil {
		return l.answer("changed", report, report.Text(l.width()))
	}
	f := classify(ended)
	if f.rule == flow.RuleStuck && report.Limit.Reached != "" {
		f.rule, f.hint = flow.RuleBudget, "git liza loop "+shell.Quote(l.said)+" "+report.Limit.Widened()
		f.reason = fmt.Sprintf("the loop of %s has reached its bound of %s; not passed: %s", l.goal, report.Limit.Reached, strings.Join(left, ", "))
	}
	return &partial{f, report}
}

// complete ends the goal of a loop whose stories have all passed.
func (l *looping) complete(report view.LoopReport) error {
	m := &flow.CompleteMove{Reason: "every story has passed"}
	if err := (work.Stages{Clone: l.clone}).PassGoal(l.ctx, m); err != nil {
		return err
	}
	if _, err := l.clone.For(l.goal).Make(l.ctx, board.ActComplete, "", m); err != nil {
		return err
	}
	return l.answer("changed", report, report.Text(l.width()))
}
