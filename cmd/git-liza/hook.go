package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
)

// hookCommand has the hooks under the names that git gives them.
type hookCommand struct {
	PreReceive           preReceiveCommand           `cmd:"" help:"Judge a push."`
	PostReceive          postReceiveCommand          `cmd:"" help:"Bring refs to what the board says after a push."`
	ReferenceTransaction referenceTransactionCommand `cmd:"" help:"Judge a ref transaction."`
	PreCommit            preCommitCommand            `cmd:"" help:"Judge what an agent commits."`
}

// hookEnv are the variables that git's processes in a hook need. No other
// variable of a server's front end is passed on, because it may hold a
// password. A prefix ends in _.
var hookEnv = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "USER", "LOGNAME", "LANG", "TZ",
	"GIT_DIR", "GIT_EXEC_PATH", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH",
	"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT",
	"GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_ALLOW_PROTOCOL",
}

// hook opens the repository that a hook runs in and bounds its memory and
// time. git's processes get only the variables in hookEnv.
func (inv *invocation) hook(limit time.Duration) (*gitstore.Store, func(), error) {
	os.Clearenv()
	for _, kv := range inv.environ {
		name, value, _ := strings.Cut(kv, "=")
		for _, keep := range hookEnv {
			if name == keep || strings.HasSuffix(keep, "_") && strings.HasPrefix(name, keep) {
				os.Setenv(name, value)
			}
		}
	}
	ctx, cancel := context.WithTimeout(inv.ctx, limit)
	inv.ctx = ctx
	repo, err := git.Open(ctx, inv.dir)
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
		err = repo.Config.ShareFiles(ctx)
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	store := gitstore.OpenStore(ctx, repo, inv.now)
	store.Commits.Judge = judgeArtifacts
	return store, end, nil
}

type preReceiveCommand struct{}

func (c *preReceiveCommand) Run(inv *invocation) error {
	updates, err := hooks.ReadUpdates(inv.stdin)
	if err != nil {
		return hooks.Unjudged(inv.ctx, err)
	}
	store, end, err := inv.hook(hooks.Limit)
	if err != nil {
		return hooks.Unjudged(inv.ctx, err)
	}
	defer end()
	defer c.startTimeout(inv, hooks.Limit+5*time.Second).Stop()
	push, err := hooks.ReadPush(inv.ctx, store.Repo, updates, inv.now(), inv.getenv)
	if err != nil {
		return hooks.Unjudged(inv.ctx, err)
	}
	return hooks.JudgePush(inv.ctx, store, push)
}

// startTimeout ends a judgement that does not stop at its time limit.
func (c *preReceiveCommand) startTimeout(inv *invocation, after time.Duration) *time.Timer {
	return time.AfterFunc(after, func() {
		fmt.Fprintln(inv.stderr, hooks.Unjudged(inv.ctx, context.DeadlineExceeded))
		os.Exit(exitRefused)
	})
}

type referenceTransactionCommand struct {
	State  string `arg:"" help:"The state of the transaction: git can only be refused at prepared."`
	Server bool   `help:"The repository is a shared remote; default: if it is bare."`
	Fsync  string `default:"all" help:"How the refs of a shared remote are synced: its liza.fsync when the hooks were installed."`
}

func (c *referenceTransactionCommand) Run(inv *invocation) error {
	updates, err := hooks.ReadUpdates(inv.stdin)
	if c.State != "prepared" && c.State != "committed" {
		return nil
	}
	if err != nil {
		return hooks.Unjudged(inv.ctx, err)
	}
	if c.State == "committed" {
		return hooks.Committed(inv.getenv("GIT_DIR"), c.Fsync, updates)
	}
	store, end, err := inv.hook(hooks.Limit)
	if err != nil {
		return hooks.Unjudged(inv.ctx, err)
	}
	defer end()
	server := c.Server || store.Repo.MainWorkTree() == ""
	return hooks.Transaction(inv.ctx, store, updates, server, func(m flow.Move) *flow.Refusal {
		err := work.CheckActor(store.Repo, "", m.By, m.Generation)
		refusal, is := errors.AsType[*flow.Refusal](err)
		if err != nil && !is {
			refusal = &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza doctor", Reason: err.Error()}
		}
		return refusal
	})
}

type postReceiveCommand struct{}

func (c *postReceiveCommand) Run(inv *invocation) error {
	store, end, err := inv.hook(hooks.Limit)
	if err != nil {
		return err
	}
	defer end()
	return hooks.Settle(inv.ctx, store)
}

type preCommitCommand struct{}

func (c *preCommitCommand) Run(inv *invocation) error {
	store, end, err := inv.hook(hooks.Limit)
	if err != nil {
		return err
	}
	defer end()
	agent, err := inv.hookAgent(store.Repo)
	if work.IsGate(err) { // a supervisor commits for its agent, below a guard
		agent, err = board.AgentID(inv.getenv("LIZA_AGENT_ID")), nil
	}
	if err != nil || agent == "" {
		return err
	}
	return hooks.Commit(inv.ctx, store, agent, inv.getenv("GIT_INDEX_FILE"))
}

// hookAgent returns the agent that a hook of a clone runs for, "" for people. It
// checks the agent or human that the environment names against the sessions
// that this process descends from.
func (inv *invocation) hookAgent(repo *git.Repo) (board.AgentID, error) {
	id := inv.getenv("LIZA_AGENT_ID")
	if err := work.CheckActor(repo, "", board.Actor(id), board.Generation(inv.getenv("LIZA_GENERATION"))); err != nil || id == "" {
		return "", err
	}
	var by board.Actor
	if err := by.UnmarshalText([]byte(id)); err != nil {
		return "", usagef("git liza help", "LIZA_AGENT_ID: %v", err)
	}
	return by.Agent(), nil
}
