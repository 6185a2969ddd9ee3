package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// agentCommands run the supervisors and what they spawn.
type agentCommands struct {
	Agent     agentCommand     `cmd:"" group:"Agents" help:"Supervise one agent: claim, spawn its program, watch, merge."`
	Rush      rushCommand      `cmd:"" group:"Agents" help:"Supervise several agents in one process."`
	Providers providersCommand `cmd:"" group:"Agents" help:"The programs that agents can be."`
	MCP       mcpCommand       `cmd:"" name:"mcp" group:"Agents" help:"Serve the moves of your role as tools, over standard input and output."`
}

type agentCommand struct {
	Role     flow.Role    `arg:"" help:"planner, coder or code-reviewer."`
	ID       flow.AgentID `placeholder:"ID" help:"Default: the first number that is free."`
	Provider string       `placeholder:"P" help:"NAME or NAME:MODEL of git liza providers list; default: git config liza.ROLE.provider, liza.provider."`
	Once     bool         `help:"End after one piece of work."`
	MaxWait  duration     `placeholder:"D" help:"End after so long without work."`
}

func (c *agentCommand) Run(s *session) error {
	if c.ID != "" && c.ID.Role() != c.Role {
		return usagef("git liza help agent", "%s is not the id of a %s", c.ID, c.Role)
	}
	rush, err := s.rush()
	if err != nil {
		return err
	}
	p, err := s.provider(rush, c.Role, c.Provider)
	if err != nil {
		return err
	}
	return s.supervise(rush, []supervise.Post{{Role: c.Role, ID: c.ID, Provider: p, Once: c.Once, MaxWait: time.Duration(c.MaxWait)}})
}

type rushCommand struct {
	Planners  int          `default:"1" help:"How many planners."`
	Coders    int          `default:"2" help:"How many coders."`
	Reviewers int          `default:"1" help:"How many code-reviewers."`
	Provider  []string     `sep:"none" placeholder:"[ROLE=]P" help:"NAME or NAME:MODEL of git liza providers list, for all or one role; repeatable; default: git config liza.ROLE.provider, liza.provider."`
	UntilIdle bool         `help:"End when every task is final (0), or nothing can move without a human (1)."`
	Follow    flow.AgentID `placeholder:"AGENT" help:"Show this agent's output too."`
}

func (c *rushCommand) Run(s *session) error {
	rush, err := s.rush()
	if err != nil {
		return err
	}
	rush.UntilIdle, rush.Follow = c.UntilIdle, c.Follow
	chosen := map[flow.Role]string{}
	for _, text := range c.Provider {
		role, text, err := splitProvider(text)
		if err != nil {
			return err
		}
		chosen[role] = text
	}
	var posts []supervise.Post
	for _, row := range []struct {
		role flow.Role
		n    int
	}{{flow.Planner, c.Planners}, {flow.Coder, c.Coders}, {flow.CodeReviewer, c.Reviewers}} {
		if row.n < 0 || row.n > maxAgents {
			return usagef("git liza help rush", "between 0 and %d agents of a role, not %d", maxAgents, row.n)
		}
		text := chosen[row.role]
		if text == "" {
			text = chosen[0]
		}
		for range row.n {
			p, err := s.provider(rush, row.role, text)
			if err != nil {
				return err
			}
			posts = append(posts, supervise.Post{Role: row.role, Provider: p})
		}
	}
	if len(posts) == 0 {
		return usagef("git liza help rush", "a rush needs at least one agent")
	}
	return s.supervise(rush, posts)
}

// maxAgents bounds the agents of a role in one process.
const maxAgents = 100

// splitProvider reads [ROLE=]P; role is 0 where P is for all.
func splitProvider(text string) (flow.Role, string, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok || strings.Contains(name, ":") {
		return 0, text, nil
	}
	var role flow.Role
	if err := role.UnmarshalText([]byte(name)); err != nil {
		return 0, "", usagef("git liza help rush", "--provider: %v", err)
	}
	return role, rest, nil
}

// rush opens the repository for supervisors, with this machine's limits.
func (s *session) rush() (*supervise.Rush, error) {
	clone, err := s.reader()
	if err != nil {
		return nil, err
	}
	if _, _, err := clone.Store.Board(s.ctx); err != nil {
		return nil, err // before anything is said of what would work on it
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r := &supervise.Rush{Clone: clone, Self: self, Environ: s.environ, Limits: supervise.DefaultLimits(), Hooks: s.keepHooks,
		Layers: supervise.Layers(clone.Repo.MainWorkTree(), s.environ), Say: func(line string) {
			if s.json {
				return
			}
			// A closed pipe must not end the work that is under way.
			_ = s.answer("", nil, line)
		}}
	if err := s.limits(clone, &r.Limits); err != nil {
		return nil, err
	}
	r.Bounds, err = s.bounds(&clone.Repo.Configuration)
	return r, err
}

// bounds reads liza.task.sessions, liza.task.minutes, liza.rush.sessions and
// liza.rush.minutes.
func (s *session) bounds(conf *git.Configuration) (b supervise.Bounds, err error) {
	for key, n := range map[string]*int{"liza.task.sessions": &b.TaskSessions, "liza.task.minutes": &b.TaskMinutes,
		"liza.rush.sessions": &b.RushSessions, "liza.rush.minutes": &b.RushMinutes} {
		text, err := conf.Config(s.ctx, key)
		if err != nil {
			return b, err
		}
		if text == "" {
			continue
		}
		if *n, err = strconv.Atoi(text); err != nil || *n < 1 {
			return b, usagef("git config --unset-all "+key, "%s is %q, no number from 1 on", key, text)
		}
	}
	return b, nil
}

// limits reads liza.idle, liza.wall, liza.backoff and liza.await.
func (s *session) limits(c *work.Clone, l *supervise.Limits) error {
	for key, set := range map[string]func(time.Duration){
		"liza.idle":    func(d time.Duration) { l.Idle = d },
		"liza.wall":    func(d time.Duration) { l.Wall, l.PlannerWall = d, 2*d },
		"liza.backoff": func(d time.Duration) { l.Pause = d },
		"liza.await":   func(d time.Duration) { l.Await = min(d, time.Duration(longestAwait)) },
	} {
		text, err := c.Repo.Config(s.ctx, key)
		if err != nil {
			return err
		}
		var d duration
		if text == "" {
			continue
		}
		if err := d.UnmarshalText([]byte(text)); err != nil {
			return usagef("git config "+key+" 15m", "%s is %q, no span of time (%s)", key, text, spanForms)
		}
		set(time.Duration(d))
	}
	return nil
}

// supervise runs the supervisors; being interrupted is a good end. Where none of
// them has a program that can be used it would only wait, so that is refused.
func (s *session) supervise(r *supervise.Rush, posts []supervise.Post) error {
	if why := r.Unfit(s.ctx, posts); why != (supervise.Unfit{}) && s.ctx.Err() == nil {
		return usagef(cmp.Or(why.Hint, why.Anyhow, "git liza providers detect"), "%s", why.Reason)
	}
	s.preview(posts)
	err := r.Run(s.ctx, posts)
	s.conclude(r)
	var stuck *supervise.Stuck
	if errors.As(err, &stuck) {
		waits, err := s.untrusted(r.Clone)
		if err != nil {
			return err
		}
		f := failure{exitFailed, "failed", "stuck", stuck.Error() + waits, stuck.Stalls[0].Hint, nil}
		if waits != "" && strings.HasPrefix(f.hint, "git liza trust ") {
			f.hint = "git liza trust --all # or, for whatever the planners here add: git config liza.trust.planner true"
		}
		return &partial{f, map[string]any{"tasks": stuck.Stalls}}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	b, _, err := r.Clone.Store.Board(context.WithoutCancel(s.ctx))
	if err != nil {
		return err
	}
	merged, open := 0, 0
	for _, t := range b.Tasks() {
		switch {
		case t.Status == flow.Merged:
			merged++
		case !t.Status.Final():
			open++
		}
	}
	sum := r.Sum()
	return s.answer("changed", map[string]any{"merged": merged, "open": open, "control": b.Settings().Control.State,
		"merged_now": sum.Merged, "usage": view.ValueOf(sum.Used), "uncounted": sum.Uncounted}, "")
}

// preview says of which programs nobody seems to be logged in, before they are
// spawned for it.
func (s *session) preview(posts []supervise.Post) {
	said := map[string]bool{}
	for _, post := range posts {
		if in, told := post.Provider.LoggedIn(s.environ); told && !in && !said[post.Provider.Name] && !s.json {
			said[post.Provider.Name] = true
			_ = s.answer("", nil, post.Provider.Name+": "+noLogin(post.Provider.Row)+"; "+post.Provider.Entry())
		}
	}
}

// conclude says what came of a rush, and the command by which people get it.
func (s *session) conclude(r *supervise.Rush) {
	sum := r.Sum()
	if s.json || sum.Used.Sessions == 0 && sum.Merged == 0 {
		return
	}
	used := view.Spent{Usage: sum.Used, Uncounted: sum.Uncounted}
	line := fmt.Sprintf("%s merged, %s tokens, %s dollars", view.Count(sum.Merged, "task"), used.Tokens(), used.Dollars())
	if b, _, err := r.Clone.Store.Board(context.WithoutCancel(s.ctx)); err == nil && sum.Merged > 0 {
		if take := s.takes(r.Clone.Repo, b); take != "" {
			line += "; take it: " + take
		}
	}
	_ = s.answer("", nil, line) // a closed pipe is no reason to fail
}

// takes is the command by which people get what was merged into the branch on
// which they work, "" where that is the integration branch itself, or has all of
// it, and for an agent, whose branch is not to have it.
func (s *session) takes(repo *git.Repo, b *flow.Board) string {
	i := b.Settings().Integration
	_, err := repo.Git(context.WithoutCancel(s.ctx), "merge-base", "--is-ancestor", string(i.Tip), "HEAD")
	if err == nil || s.as != "" {
		return ""
	}
	return "git merge " + i.Name
}
