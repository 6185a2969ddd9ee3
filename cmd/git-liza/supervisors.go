package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks/stubs"
)

// supervisors are the supervisors of one process, with the provider of each
// agent.
type supervisors struct {
	*invocation
	rush    *supervise.Rush
	out     *rushOutput
	board   *board.Board // as it was when the process began
	choices providerChoice
	isRush  bool // they are for all open tasks, and one agent is not
}

// newSupervisors opens the repository for supervisors, with this machine's limits.
func newSupervisors(inv *invocation) (*supervisors, error) {
	clone, err := inv.reader()
	if err != nil {
		return nil, err
	}
	b, _, err := clone.Store.Board(inv.ctx)
	if err != nil {
		return nil, err // before anything is printed about providers
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &supervise.Rush{Clone: clone, Self: self, Environ: inv.environ, Limits: supervise.DefaultLimits()}
	out := &rushOutput{invocation: inv}
	r.Tell = out.tell
	lines, err := settingLines(inv, clone)
	if err == nil {
		err = checkKeys(b, lines)
	}
	if err != nil {
		return nil, err
	}
	conf := &clone.Repo.Config.Configuration
	if err := readLimits(inv.ctx, conf, &r.Limits); err != nil {
		return nil, err
	}
	if r.NoTrips, err = readBreaker(inv.ctx, conf); err != nil {
		return nil, err
	}
	if r.Engine, err = conf.Config(inv.ctx, "liza.container.engine"); err != nil {
		return nil, err
	}
	choices := providerChoice{inv, conf}
	if r.Known, err = choices.catalogue(); err != nil {
		return nil, err
	}
	before, err := stubs.Remember(inv.ctx, clone.Repo)
	if err != nil {
		return nil, err
	}
	r.Planted = func() []string { return before.Planted(inv.ctx, clone.Repo) }
	clone.Repo.Planted = func() bool { return len(r.Planted()) > 0 }
	r.Bounds, err = readBounds(inv.ctx, conf)
	return &supervisors{inv, r, out, b, choices, false}, err
}

// serve restricts the supervisors to the work of one goal, if one is named.
func (v *supervisors) serve(goal board.GoalID) error {
	if err := checkGoal(v.board, goal); err != nil {
		return err
	}
	if g := v.board.Goal(goal); g != nil && !g.Status.IsInProgress() {
		return &flow.Refusal{Rule: flow.RuleGoal, Hint: "git liza goal reopen " + string(goal) + " --reason R", Reason: fmt.Sprintf("the goal %s is %s", goal, g.Status)}
	}
	v.rush.Goal = goal
	v.out.layout.Goals = goal == "" && len(v.board.IDs(board.Goals)) > 1
	return nil
}

// provider returns the provider that runs agents of a role.
func (v *supervisors) provider(role board.Role, asked string) (provider.Provider, error) {
	if err := checkRole(v.board, role); err != nil {
		return provider.Provider{}, err
	}
	return v.choices.provider(v.rush.Self, v.board.Role(role), asked)
}

// checkRole refuses a role that the board lacks.
func checkRole(b *board.Board, role board.Role) error {
	if b.Role(role) != nil {
		return b.Err()
	}
	names := lists.Of(b.Roles(), func(row *board.RoleRow) board.Role { return row.Name })
	return cmp.Or(b.Err(), usagef("git liza role list", "%q is no role; there are %s", role, view.JoinIDs(names)))
}

// readBounds reads liza.task.sessions, liza.task.minutes, liza.rush.sessions and
// liza.rush.minutes.
func readBounds(ctx context.Context, conf *git.Configuration) (b supervise.Bounds, err error) {
	for key, n := range map[string]*int{"liza.task.sessions": &b.TaskSessions, "liza.task.minutes": &b.TaskMinutes,
		"liza.rush.sessions": &b.RushSessions, "liza.rush.minutes": &b.RushMinutes} {
		if err := readCount(ctx, conf, key, n); err != nil {
			return b, err
		}
	}
	return b, nil
}

// readCount reads the number from 1 on that a key has, if it has one.
func readCount(ctx context.Context, conf *git.Configuration, key string, n *int) error {
	text, err := conf.Config(ctx, key)
	if err != nil || text == "" {
		return err
	}
	if *n, err = strconv.Atoi(text); err != nil || *n < 1 {
		return usagef("git config --unset-all "+key, "%s is %q, no number from 1 on", key, text)
	}
	return nil
}

// readSpan reads the span of time that a key has, if it has one; right is a span for it.
func readSpan(ctx context.Context, conf *git.Configuration, key, right string, set func(time.Duration)) error {
	text, err := conf.Config(ctx, key)
	if err != nil || text == "" {
		return err
	}
	var d duration
	if err := d.UnmarshalText([]byte(text)); err != nil {
		return usagef("git config "+key+" "+right, "%s is %q, no span of time (%s)", key, text, gitstore.SpanForms)
	}
	set(time.Duration(d))
	return nil
}

// readBreaker reads liza.breaker; off is true if it is switched off.
func readBreaker(ctx context.Context, conf *git.Configuration) (off bool, err error) {
	text, err := conf.Config(ctx, "liza.breaker")
	if err != nil || text == "" {
		return false, err
	}
	on, known := git.ParseBool(text)
	if !known {
		return false, usagef("git config --unset-all liza.breaker", "liza.breaker is %q, neither true nor false", text)
	}
	return !on, nil
}

// readLimits reads liza.idle, liza.wall, liza.backoff, liza.await, liza.learnt and liza.context.handoff.
func readLimits(ctx context.Context, conf *git.Configuration, l *supervise.Limits) error {
	for key, set := range map[string]func(time.Duration){
		"liza.idle":    func(d time.Duration) { l.Idle = d },
		"liza.wall":    func(d time.Duration) { l.Wall, l.PlannerWall = d, 2*d },
		"liza.backoff": func(d time.Duration) { l.Pause = d },
		"liza.await":   func(d time.Duration) { l.Await = min(d, time.Duration(longestAwait)) },
	} {
		if err := readSpan(ctx, conf, key, "15m", set); err != nil {
			return err
		}
	}
	if err := readLearnt(ctx, conf, l); err != nil {
		return err
	}
	return readContext(ctx, conf, l)
}

// mostLearnt bounds what prompts tell of what was learnt, in bytes.
const mostLearnt = 64 << 10

// readLearnt reads liza.learnt.
func readLearnt(ctx context.Context, conf *git.Configuration, l *supervise.Limits) error {
	text, err := conf.Config(ctx, "liza.learnt")
	if err != nil || text == "" {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostLearnt {
		return usagef("git config liza.learnt 4096", "liza.learnt is %q, no number of bytes from 0 to %d", text, mostLearnt)
	}
	l.Learnt = n
	return nil
}

// readContext reads liza.context.handoff.
func readContext(ctx context.Context, conf *git.Configuration, l *supervise.Limits) error {
	const key = "liza.context.handoff"
	text, err := conf.Config(ctx, key)
	if err != nil || text == "" {
		return err
	}
	if l.Context, err = strconv.ParseFloat(text, 64); err != nil || !(l.Context >= 0 && l.Context <= 1) {
		return usagef("git config "+key+" 0.7", "%s is %q, no part of a context from 0 to 1", key, text)
	}
	return nil
}

// fitPrograms returns the programs of agents. Where none of them can be used it is an
// error.
func (v *supervisors) fitPrograms(slots []supervise.Slot) ([]supervise.Program, error) {
	programs := v.rush.Programs(v.ctx, v.board, slots)
	fit := func(p supervise.Program) bool { return p.Unfit == (supervise.Unfit{}) }
	if !slices.ContainsFunc(programs, fit) && v.ctx.Err() == nil {
		why := programs[0].Unfit
		return nil, usagef(cmp.Or(why.Hint, why.Override, "git liza providers"), "%s", why.Reason)
	}
	return programs, v.checkPlaybook(slots)
}

// work runs the supervisors. An interrupt is no error. It refuses to start if
// no supervisor has a usable provider, because all of them would only wait.
func (v *supervisors) work(slots []supervise.Slot) error {
	if err := v.specGone(); err != nil {
		return err
	}
	programs, err := v.fitPrograms(slots)
	if err != nil {
		return err
	}
	if err := offerTrust(v.invocation, v.rush.Clone); err != nil {
		return err
	}
	if err := v.passPreflight(programs); err != nil {
		return err
	}
	defer surviveReader()()
	finish, err := keepAlarms(v.invocation)
	if err != nil {
		return err
	}
	begun := time.Now()
	err = v.runRush(slots)
	if errors.Is(err, errEndedAtOnce) {
		return err
	}
	defer finish(v.ctx.Err() == nil)
	after := context.WithoutCancel(v.ctx)
	b, _, unread := v.rush.Clone.Store.Board(after)
	if unread != nil {
		return errors.Join(err, unread)
	}
	var stuck *supervise.Stuck
	var open []supervise.Stall
	if !errors.As(err, &stuck) {
		open = v.rush.LeftOpen(b) // what is stuck is in the error
	}
	sum := v.summary(b, open, time.Since(begun))
	if stuck == nil {
		sum.Untrusted = untrustedCommands(after, v.rush.Clone, b)
	}
	v.out.print(sum)
	if stuck != nil {
		return v.stuckFailure(stuck)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	merged, left := 0, 0
	for _, t := range b.Tasks() {
		switch {
		case t.Status.IsMerged():
			merged++
		case !t.Status.Final():
			left++
		}
	}
	data := map[string]any{"merged": merged, "open": left, "control": b.Settings().Control.State,
		"merged_now": len(sum.Merged), "merged_tasks": append([]board.TaskID{}, v.rush.Total().Merged...), "open_tasks": sum.Open, "usage": view.ValueOf(sum.Used.Usage), "uncounted": sum.Used.Uncounted,
		"seconds": int(sum.Took.Seconds()), "next": sum.Next, "untrusted": sum.Untrusted}
	if v.isRush && len(open) > 0 {
		return v.endedEarly(len(open), data)
	}
	err = v.answer("changed", data, "")
	if v.out.unread {
		return nil // the work is done, whoever reads of it
	}
	return err
}

// specGone refuses to start where no goal that the supervisors serve has its spec.
func (v *supervisors) specGone() (gone error) {
	for _, g := range v.board.GoalsInProgress() {
		if r := flow.SpecGone(v.board, g.ID); v.rush.Goal != "" && v.rush.Goal != g.ID {
			continue
		} else if r == nil {
			return nil
		} else {
			gone = r
		}
	}
	return gone
}

// endedEarly is the error of a rush that ended while tasks were open: what waits for its
// exit code, such as make, must not go on as if they were done.
func (v *supervisors) endedEarly(open int, data map[string]any) error {
	f := failure{code: exitFailed, outcome: "failed", rule: flow.RuleInterrupted, hint: "git liza rush", reason: "ended with " + view.Count(open, "open task")}
	if errors.Is(context.Cause(v.ctx), errInterrupt) {
		f.code = exitInterrupted
	}
	return &partial{f, data}
}

// checkPlaybook refuses to start the built-in script agents without a playbook: each of
// their sessions would fail, until the limits block the tasks.
func (v *supervisors) checkPlaybook(slots []supervise.Slot) error {
	c := v.rush.Clone
	scripted := slices.ContainsFunc(slots, func(s supervise.Slot) bool { return s.Provider.Name == "script" })
	if !scripted || c.Checkouts.Trees == nil || !v.board.Settings().Control.State.IsRunning() {
		return nil // the supervisors say why they do not begin
	}
	name, err := c.Repo.Config.Config(v.ctx, playbook.ConfigKey)
	if err != nil {
		return err
	}
	name = cmp.Or(name, playbook.DefaultPath)
	if filepath.IsAbs(name) {
		_, err = os.Stat(name)
	} else {
		_, err = c.Repo.Git(v.ctx, "cat-file", "-e", string(v.board.Settings().Integration.Tip)+":"+name)
	}
	if err == nil || v.ctx.Err() != nil {
		return nil
	}
	return &flow.Refusal{Rule: flow.RulePlaybook, Hint: "git config " + playbook.ConfigKey + " PATH",
		Reason: fmt.Sprintf("the provider script follows a playbook, and %s has no %s", v.board.Settings().Integration.Name, git.Visible(name))}
}

// errEndedAtOnce is the error of a rush that was interrupted twice.
var errEndedAtOnce error = &partial{failure{exitFailed, "failed", flow.RuleInterrupted,
	"ended at once: the sessions are over, and what agents held is given back by the next rush, or when its lease ends", "git liza rush", nil}, nil}

// runRush runs the supervisors. They end with the first interrupt, and give back what
// agents hold; the second one does not wait for that: the guards of the sessions end them
// with this process.
func (v *supervisors) runRush(slots []supervise.Slot) error {
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, endSignals()...)
	defer signal.Stop(interrupts)
	ended := make(chan error, 1)
	go func() { ended <- v.rush.Run(v.ctx, slots) }()
	var first time.Time
	for {
		select {
		case err := <-ended:
			return err
		case <-interrupts:
			switch {
			case first.IsZero():
				first = time.Now()
				if !v.json {
					v.out.warn("sessions end and claims are given back; to end at once, interrupt again")
				}
			case time.Since(first) > sameInterrupt:
				return errEndedAtOnce
			}
		}
	}
}

// sameInterrupt is within which time interrupts count as one: timeout(1) and shells send
// theirs to the process and to its group.
const sameInterrupt = 500 * time.Millisecond

// stuckFailure is the failure of a rush that nothing but a human can move.
func (v *supervisors) stuckFailure(stuck *supervise.Stuck) error {
	waits, err := untrustedText(v.ctx, v.rush.Clone)
	if err != nil {
		return err
	}
	f := failure{exitFailed, "failed", flow.RuleStuck, stuck.Error() + waits, stuck.Stalls[0].Hint, nil}
	if waits != "" && strings.HasPrefix(f.hint, "git liza trust ") {
		f.hint = "git liza trust --all # or, for whatever the planners here add: git config liza.trust.planner true"
	}
	return &partial{f, map[string]any{"tasks": stuck.Stalls}}
}

// takeCommand returns the command that brings merged work into the branch that is
// checked out here. It is "" if that is the integration branch or already has all
// of it, for an agent, whose branch must not get it, and where nothing is checked out.
func takeCommand(inv *invocation, repo *git.Repo, b *board.Board) string {
	i := b.Settings().Integration
	if inv.as != "" || repo.WorkTree() == "" {
		return ""
	}
	ctx := context.WithoutCancel(inv.ctx)
	_, err := repo.Git(ctx, "merge-base", "--is-ancestor", string(i.Tip), "HEAD")
	if err == nil {
		return ""
	}
	return "git merge " + git.ShortBranch(ctx, repo, i.Name)
}
