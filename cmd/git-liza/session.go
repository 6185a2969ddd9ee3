package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
)

// A session is one run of the program: where it runs, on whose behalf, and
// where it prints. Commands print through it and nowhere else.
type session struct {
	ctx     context.Context
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	environ []string
	now     func() time.Time
	dir     string
	sole    string // the provider that was taken because it is the only one
	as      string // --as or LIZA_AGENT_ID, "" for the human
	json    bool
	color   bool
	call    *call // of a tool, which takes what else is printed
}

func (s *session) getenv(key string) string {
	for i := len(s.environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(s.environ[i], key+"="); ok {
			return value
		}
	}
	return ""
}

// clone opens the repository for moves: it needs somebody who makes them.
func (s *session) clone() (*work.Clone, error) {
	c, err := s.reader()
	if err != nil {
		return nil, err
	}
	by, g, err := s.actor(c.Repo)
	if err != nil {
		return nil, err
	}
	c.Distant = s.call != nil
	return c, c.Identify(s.ctx, by, g)
}

// repo opens the repository. What a command waits for is told to whoever waits.
func (s *session) repo() (*git.Repo, error) {
	repo, err := git.Open(s.ctx, s.dir)
	if err != nil {
		return nil, err
	}
	repo.Notice = func(line string) {
		if s.call != nil {
			s.call.tell(line)
		}
		fmt.Fprintln(s.stderr, line)
	}
	repo.Background = s.background
	return repo, nil
}

// reader opens the repository for looking only; as which principal it would
// act is known all the same.
func (s *session) reader() (*work.Clone, error) {
	repo, err := s.repo()
	if err != nil {
		return nil, err
	}
	c, err := work.Open(s.ctx, repo, s.now, s.environ)
	if err != nil {
		return nil, err
	}
	c.Dir = s.dir
	c.Principal, err = repo.Config(s.ctx, "liza.principal")
	return c, err
}

// actor is who makes the moves: [session.claimed], held against whom this
// process descends from.
func (s *session) actor(repo *git.Repo) (flow.Actor, flow.Generation, error) {
	by, g, err := s.claimed(repo)
	if wrong := work.Acts(repo, "", by, g); wrong != nil {
		return "", "", wrong
	}
	return by, g, err
}

// operator refuses an agent in its session what is for the human of this
// machine alone: what it runs, and what becomes of history. That goes for each
// clone of the board that its session is on.
func (s *session) operator(repo *git.Repo, what string) error {
	board := ""
	if store, err := gitstore.OpenStore(s.ctx, repo, s.now); err == nil {
		if b, _, err := store.Board(s.ctx); err == nil {
			board = b.Settings().Board
		}
	}
	by, g, err := s.claimed(repo)
	if wrong := work.Acts(repo, board, by, g); wrong != nil {
		return wrong
	}
	if err == nil && g.Spawned() {
		err = &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza help block", Reason: what + " is for a human on this machine, not for an agent in its session: ask"}
	}
	return err
}

// claimed is who the command line and the environment say makes the moves:
// --as or LIZA_AGENT_ID, else the human. Inside a task's worktree nobody is taken
// for the human by mistake, and an agent that was spawned is not taken for
// another, who could approve what it wrote.
func (s *session) claimed(repo *git.Repo) (flow.Actor, flow.Generation, error) {
	var by flow.Actor
	var g flow.Generation
	own := s.getenv("LIZA_AGENT_ID")
	if spawned := flow.Generation(s.getenv("LIZA_GENERATION")).Spawned(); spawned && (s.as == "" || s.as != own) {
		return "", "", &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza help",
			Reason: fmt.Sprintf("a process that a supervisor spawned for an agent acts as that agent (%s) and as nobody else", cmp.Or(own, "LIZA_AGENT_ID"))}
	}
	if s.as != "" {
		if err := by.UnmarshalText([]byte(s.as)); err != nil {
			return "", "", usagef("git liza agents", "--as: %v", err)
		}
		if text := s.getenv("LIZA_GENERATION"); text != "" && own == s.as {
			if err := g.UnmarshalText([]byte(text)); err != nil {
				return "", "", usagef("git liza help", "LIZA_GENERATION: %v", err)
			}
		}
		return by, g, nil
	}
	if inTask(repo) {
		return "", "", &flow.Refusal{Rule: flow.RuleIdentity, Hint: "export LIZA_AGENT_ID=" + string(s.holder(repo)),
			Reason: "inside a task's worktree a move needs --as ID or LIZA_AGENT_ID"}
	}
	name, err := repo.Config(s.ctx, "user.name")
	if err != nil {
		return "", "", err
	}
	if name == "" {
		if name, _, err = repo.Identity(s.ctx); err != nil {
			return "", "", err
		}
	}
	return flow.Human(name), "", nil
}

// holder is who works in the checkout below .worktrees/ that the command runs in.
func (s *session) holder(repo *git.Repo) flow.Actor {
	const unknown = "coder-1"
	store, err := gitstore.OpenStore(s.ctx, repo, s.now)
	if err != nil {
		return unknown
	}
	b, _, err := store.Board(s.ctx)
	if err != nil {
		return unknown
	}
	name, review := strings.CutPrefix(filepath.Base(repo.WorkTree()), "review@")
	name, _, _ = strings.Cut(name, "@")
	switch t := b.Task(flow.TaskID(name)); {
	case t == nil:
	case review && t.Review != nil:
		return t.Review.By
	case review:
		return "code-reviewer-1"
	case t.Claim != nil:
		return t.Claim.By
	case t.Attempt != nil: // it waits for a verdict, or goes on after one
		return t.Attempt.Coder
	}
	return unknown
}

// inTask reports whether the command runs in a checkout below .worktrees/.
func inTask(repo *git.Repo) bool {
	if repo.WorkTree() == "" || repo.MainWorkTree() == "" {
		return false
	}
	rel, err := filepath.Rel(filepath.Join(repo.MainWorkTree(), ".worktrees"), repo.WorkTree())
	return err == nil && rel != "." && !strings.HasPrefix(rel, "..")
}

// result prints what a move did: outcome and data as JSON, or the line for
// people.
func (s *session) result(r gitstore.Result, data any, format string, args ...any) error {
	outcome := "changed"
	if r.Already {
		outcome = "already"
	}
	return s.answer(outcome, data, fmt.Sprintf(format, args...))
}

// answer prints one JSON object, or the text for people.
func (s *session) answer(outcome string, data any, text string) error {
	if data == nil {
		data = struct{}{}
	}
	if s.call != nil {
		s.call.data, s.call.text = data, text
		return nil
	}
	if !s.json {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		_, err := io.WriteString(s.stdout, text)
		return err
	}
	return s.encode(struct {
		OK      bool   `json:"ok"`
		Outcome string `json:"outcome,omitempty"`
		Data    any    `json:"data"`
	}{true, outcome, data})
}

func (s *session) encode(v any) error {
	e := json.NewEncoder(s.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// fail prints an error and returns the exit code.
func (s *session) fail(err error) int {
	var rejection *hooks.Rejection
	if errors.As(err, &rejection) && !s.json {
		fmt.Fprintln(s.stderr, s.suited(rejection))
		return exitRefused
	}
	f := s.explain(err)
	f.reason = flow.Clean(f.reason) // git repeats what hooks print, which may steer a terminal
	if !s.json {
		f.reason = strings.ReplaceAll(f.reason, "\n", "\n  ") // and shall not pass for a hint
		fmt.Fprintf(s.stderr, "git-liza: %s\n", f.reason)
		if f.rule != "" && f.code != exitUsage {
			fmt.Fprintf(s.stderr, "rule: %s\n", f.rule)
		}
		if f.hint != "" {
			fmt.Fprintf(s.stderr, "hint: %s\n", f.hint)
		}
		return f.code
	}
	type problem struct {
		Rule   string `json:"rule"`
		Reason string `json:"reason"`
		Hint   string `json:"hint"`
	}
	report := s.encode(struct {
		OK      bool    `json:"ok"`
		Outcome string  `json:"outcome"`
		Error   problem `json:"error"`
		Data    any     `json:"data,omitempty"`
	}{false, f.outcome, problem{f.rule, f.reason, f.hint}, f.data})
	if report != nil {
		fmt.Fprintln(s.stderr, "git-liza:", report)
	}
	return f.code
}

// progress prints a line about long work, on stderr and only for people.
func (s *session) progress(format string, args ...any) {
	if s.call != nil {
		s.call.tell(fmt.Sprintf(format, args...))
	}
	if !s.json {
		fmt.Fprintf(s.stderr, format+"\n", args...)
	}
}
