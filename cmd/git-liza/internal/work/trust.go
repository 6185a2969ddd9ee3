package work

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Trust decides which of a board's commands this machine runs: those that its
// user has allowed.
type Trust struct {
	repo  *git.Repo
	mover *mover
}

// Check refuses commands from the board of which one is not allowed on this machine.
func (t *Trust) Check(ctx context.Context, commands ...string) error {
	if len(commands) == 0 {
		return nil
	}
	allowed, err := t.Allowed(ctx)
	for _, command := range commands {
		err = cmp.Or(err, allowed.Check(command))
	}
	return err
}

// Allowed are the hashes of the commands that a machine may run.
type Allowed []string

// Check refuses a command from the board that is not allowed.
func (a Allowed) Check(command string) error {
	hash := CommandHash(command)
	if slices.Contains(a, hash) {
		return nil
	}
	refusal := &flow.Refusal{Rule: flow.RuleTrust, Hint: "git liza trust " + hash[:ShownHash],
		Reason: "the board wants this machine to run a command that nobody here has allowed: " + git.Visible(command)}
	if len(refusal.Reason) > maxShown { // a command that was not shown cannot be allowed
		refusal.Reason, refusal.Hint = board.Excerpt(refusal.Reason, maxShown), "git liza trust --list"
	}
	return refusal
}

// Untrusted returns the commands of the board that are not allowed here.
func (t *Trust) Untrusted(ctx context.Context, b *board.Board) ([]BoardCommand, error) {
	list, err := t.Commands(ctx, b)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	allowed, err := t.Allowed(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(k BoardCommand) bool { return slices.Contains(allowed, CommandHash(k.Command)) }), nil
}

// Allowed returns the hashes of the commands that this machine may run, as its
// configuration has them now.
func (t *Trust) Allowed(ctx context.Context) (Allowed, error) {
	values, err := t.repo.Config.Values(ctx, TrustKey)
	return strings.Fields(strings.Join(values, "\n")), err
}

// Allow allows commands to run on this machine.
func (t *Trust) Allow(ctx context.Context, commands ...string) error {
	if !slices.ContainsFunc(commands, func(c string) bool { return c != "" }) {
		return nil
	}
	allowed, err := t.Allowed(ctx)
	if err != nil {
		return err
	}
	var hashes []string
	for _, command := range commands {
		if hash := CommandHash(command); command != "" && !slices.Contains(allowed, hash) {
			allowed, hashes = append(allowed, hash), append(hashes, hash)
		}
	}
	return t.repo.Config.AddValues(ctx, TrustKey, hashes...)
}

// AllowOwn allows commands that this machine's own human puts on the board, or
// its planner where liza.trust.planner is on. It asks before the move, so that a
// command is never on the board and refused on the machine it is from. It does
// not allow commands that a model gave as the human, because the model may have
// no shell otherwise. Commands of a planner in a session are allowed by its
// supervisor: a sandbox may hide git's configuration from the planner, and the
// planner could turn on the setting there itself.
func (t *Trust) AllowOwn(ctx context.Context, commands ...string) error {
	if len(commands) == 0 || t.mover.Generation.Spawned() {
		return nil
	}
	t.repo.Config.Renew()
	planner, err := t.repo.Config.Config(ctx, TrustPlanner)
	if err != nil {
		return err
	}
	own := t.mover.By.IsHuman() && !t.mover.Distant
	if !own && git.IsTrue(planner) {
		b, _, err := t.mover.Store.Board(ctx)
		if err != nil {
			return err
		}
		own = b.CapacityOf(t.mover.By) == board.Plans
	}
	if !own {
		return nil
	}
	return t.Allow(ctx, commands...)
}

// AllowTasks allows the commands that verify tasks, as [Trust.AllowOwn] does.
func (t *Trust) AllowTasks(ctx context.Context, list []board.TaskInput) error {
	return t.AllowOwn(ctx, Verifying(list)...)
}

// AllowPlanned allows the commands that verify the tasks of an approved plan which a
// supervisor imports, where liza.trust.planner is on.
func (t *Trust) AllowPlanned(ctx context.Context, list []board.TaskInput) error {
	t.repo.Config.Renew()
	if planner, err := t.repo.Config.Config(ctx, TrustPlanner); err != nil || !git.IsTrue(planner) {
		return err
	}
	return t.Allow(ctx, Verifying(list)...)
}

// Verifying are the commands that verify tasks, nil if there are none.
func Verifying(list []board.TaskInput) []string {
	return lists.Where(lists.Of(list, func(t board.TaskInput) string { return t.Verify }), func(command string) bool { return command != "" })
}

// TrustKey holds the hashes of commands that this machine runs for a board.
const TrustKey = "liza.trust.allow"

// ShownHash is the number of digits of a command's hash in hints, and the
// minimum to name it. With a few dozen bits an attacker could find two commands
// whose hashes begin alike.
const ShownHash = 40

// CommandHash is the content hash by which a command is trusted.
func CommandHash(command string) string {
	sum := sha256.Sum256([]byte(command))
	return hex.EncodeToString(sum[:])
}

// maxShown bounds a refusal that shows a command, in bytes.
const maxShown = 300

// TrustPlanner is the key that lets the commands of this machine's planners, and of
// approved plans that its supervisors import, run here.
const TrustPlanner = "liza.trust.planner"

// A BoardCommand is a shell command that stands on the board, or an extension of which
// something runs.
type BoardCommand struct {
	Where, Command string
	Before         board.Stage // the stage that no task passes without it; 0 if some do

	extension bool // no work waits for it
}

// BoardCommands are the commands that a board may ask a machine to run.
func BoardCommands(b *board.Board) []BoardCommand {
	return slices.Concat(configCommands(b.Settings().Config), taskCommands(b))
}

// taskCommands are those that verify tasks which are not over.
func taskCommands(b *board.Board) (list []BoardCommand) {
	for _, s := range b.Tasks() {
		if s.Verify != "" && !s.Status.Final() {
			list = append(list, BoardCommand{Where: string(s.ID), Command: s.Verify})
		}
	}
	return list
}

// configCommands are those of the configuration, which belong to no task.
func configCommands(config board.Config) (list []BoardCommand) {
	if config.PostWorktree != "" {
		list = append(list, BoardCommand{Where: "post_worktree", Command: config.PostWorktree, Before: board.AtSubmit})
	}
	for _, g := range config.Gates {
		one := BoardCommand{Where: "gate " + g.Name, Command: g.Command}
		if at := g.Stage(); g.Required && (at == board.AtSubmit || at == board.AtMerge) {
			one.Before = at
		}
		list = append(list, one)
	}
	return list
}
