package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
)

// hookCommand are the hooks, as git calls them.
type hookCommand struct {
	PreReceive           preReceiveCommand           `cmd:"" help:"Judge a push."`
	PostReceive          postReceiveCommand          `cmd:"" help:"Bring refs to what the board says after a push."`
	ReferenceTransaction referenceTransactionCommand `cmd:"" help:"Judge a ref transaction."`
	PreCommit            preCommitCommand            `cmd:"" help:"Judge what an agent commits."`
	PrePush              prePushCommand              `cmd:"" help:"Refuse an agent's push."`
}

// hookEnv are the variables that git's processes in a hook need; whatever else
// a front end has put there, passwords among it, stays with it. A prefix ends
// in _.
var hookEnv = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "USER", "LOGNAME", "LANG", "TZ",
	"GIT_DIR", "GIT_EXEC_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH",
	"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
	"GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_",
}

// hook opens the repository that a hook runs in, for git's processes to see
// nothing of the environment but what they need, and bounds what it takes.
func (s *session) hook(limit time.Duration) (*gitstore.Store, func(), error) {
	os.Clearenv()
	for _, kv := range s.environ {
		name, value, _ := strings.Cut(kv, "=")
		for _, keep := range hookEnv {
			if name == keep || strings.HasSuffix(keep, "_") && strings.HasPrefix(name, keep) {
				os.Setenv(name, value)
			}
		}
	}
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	s.ctx = ctx
	repo, err := git.Open(ctx, s.dir)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	end := func() { cancel(); repo.Close() }
	memory, err := hooks.Memory(ctx, repo)
	if err == nil {
		err = hooks.LimitMemory(memory)
	}
	if err == nil && repo.MainWorkTree() == "" {
		err = repo.ShareFiles(ctx)
	}
	var store *gitstore.Store
	if err == nil {
		store, err = gitstore.OpenStore(ctx, repo, s.now)
	}
	if err != nil {
		end()
	}
	return store, end, err
}

type preReceiveCommand struct{}

func (c *preReceiveCommand) Run(s *session) error {
	updates, err := hooks.ReadUpdates(s.stdin)
	if err != nil {
		return hooks.Unjudged(s.ctx, err)
	}
	store, end, err := s.hook(hooks.Limit)
	if err != nil {
		return hooks.Unjudged(s.ctx, err)
	}
	defer end()
	defer c.startTimeout(s, hooks.Limit+5*time.Second).Stop()
	push, err := hooks.ReadPush(s.ctx, store.Repo, updates, s.now(), s.getenv)
	if err != nil {
		return hooks.Unjudged(s.ctx, err)
	}
	return hooks.JudgePush(s.ctx, store, push)
}

// startTimeout ends a judgement that its time limit does not reach.
func (c *preReceiveCommand) startTimeout(s *session, after time.Duration) *time.Timer {
	return time.AfterFunc(after, func() {
		fmt.Fprintln(s.stderr, hooks.Unjudged(s.ctx, context.DeadlineExceeded))
		os.Exit(exitRefused)
	})
}

type referenceTransactionCommand struct {
	State  string `arg:"" help:"What git is about to do, or has done; only prepared can be refused."`
	Server bool   `help:"The repository is a shared remote; default: if it is bare."`
}

func (c *referenceTransactionCommand) Run(s *session) error {
	updates, err := hooks.ReadUpdates(s.stdin)
	if c.State != "prepared" && c.State != "committed" {
		return nil
	}
	if err != nil {
		return hooks.Unjudged(s.ctx, err)
	}
	store, end, err := s.hook(hooks.Limit)
	if err != nil {
		return hooks.Unjudged(s.ctx, err)
	}
	defer end()
	if c.State == "committed" {
		return hooks.Committed(s.ctx, store, updates)
	}
	server := c.Server || store.Repo.MainWorkTree() == ""
	return hooks.Transaction(s.ctx, store, updates, server, func(m flow.Move) *flow.Refusal {
		var refusal *flow.Refusal
		if err := work.CheckActor(store.Repo, "", m.By, m.Generation); err != nil && !errors.As(err, &refusal) {
			refusal = &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza doctor", Reason: err.Error()}
		}
		return refusal
	})
}

type postReceiveCommand struct{}

func (c *postReceiveCommand) Run(s *session) error {
	store, end, err := s.hook(hooks.Limit)
	if err != nil {
		return err
	}
	defer end()
	return hooks.Settle(s.ctx, store)
}

type preCommitCommand struct{}

func (c *preCommitCommand) Run(s *session) error {
	store, end, err := s.hook(hooks.Limit)
	if err != nil {
		return err
	}
	defer end()
	agent, err := s.asks(store.Repo)
	if err != nil || agent == "" {
		return err
	}
	return hooks.Commit(s.ctx, store, agent, s.getenv("GIT_INDEX_FILE"))
}

type prePushCommand struct {
	Remote string `arg:"" optional:"" help:"What is pushed to."`
	URL    string `arg:"" optional:"" help:"Where that is."`
}

// Run refuses whatever an agent pushes. git liza pushes without this hook.
func (c *prePushCommand) Run(s *session) error {
	repo, err := git.Open(s.ctx, s.dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	agent, err := s.asks(repo)
	if err != nil || agent == "" {
		return err
	}
	return &flow.Refusal{Rule: flow.RulePush, Hint: "git liza help submit",
		Reason: fmt.Sprintf("%s pushes nothing: what is submitted and approved reaches the remote by itself", agent)}
}

// asks is the agent that a hook of a clone runs for, "" for people: whom the
// environment names, a human or an agent, held against whom this process
// descends from.
func (s *session) asks(repo *git.Repo) (flow.AgentID, error) {
	id := s.getenv("LIZA_AGENT_ID")
	if err := work.CheckActor(repo, "", flow.Actor(id), flow.Generation(s.getenv("LIZA_GENERATION"))); err != nil || id == "" {
		return "", err
	}
	var by flow.Actor
	if err := by.UnmarshalText([]byte(id)); err != nil {
		return "", usagef("git liza help", "LIZA_AGENT_ID: %v", err)
	}
	return by.Agent(), nil
}
