package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// gateTimeout is the limit of a gate or verify that names none.
const gateTimeout = flow.Duration(10 * time.Minute)

// excerpt is how much of a gate's output is kept, in bytes.
const excerpt = 4096

// run runs a gate's command in a folder whose tree is checked out there, and
// returns the evidence. Its environment is filtered: what a board supplies
// never sees more than an agent does, and makes no moves.
func (c *Clone) run(ctx context.Context, g flow.Gate, dir string, tree flow.ObjectID) (flow.Receipt, error) {
	mark, err := c.Mark(ctx, "", "")
	if err != nil {
		return flow.Receipt{}, err
	}
	path, args := proc.Shell(g.Command)
	r, err := proc.Run(ctx, proc.Command{Path: path, Args: args, Dir: dir, Wall: time.Duration(g.Timeout), Excerpt: excerpt - 64,
		Env: proc.Environment(c.environ, nil), Bound: !c.Generation.Spawned(), // a session ends its own
		Mark: mark, Records: Records(c.Repo)})
	if err != nil {
		return flow.Receipt{}, err
	}
	if err := ctx.Err(); err != nil {
		return flow.Receipt{}, err
	}
	receipt := flow.Receipt{Gate: g.Name, Command: g.Command, Tree: tree, Exit: r.Code, By: c.By,
		Duration: r.Duration.Round(time.Millisecond).String(), Output: flow.Excerpt(r.Excerpt, excerpt)}
	if how := fate(r, g); how != "" {
		receipt.Output = flow.Excerpt(r.Excerpt+"\n"+how, excerpt)
	}
	if !r.Passed() && receipt.Exit == 0 {
		receipt.Exit = 1
	}
	return receipt, nil
}

// fate says how a command ended that came to no result of its own, "" if it did.
func fate(r proc.Result, g flow.Gate) string {
	switch {
	case r.Reason == proc.WallLimit:
		return "timed out after " + g.Timeout.String()
	case r.Reason == proc.Signaled:
		return fmt.Sprintf("was killed by signal %d", r.Code-128)
	case r.Code == 126 || r.Code == 127: // of a shell that finds no program, or none that runs
		return fmt.Sprintf("could not run (exit %d)", r.Code)
	}
	return ""
}

// trustKey holds the hashes of commands that this machine runs for a board.
const trustKey = "liza.trust.allow"

// ShownHash is how many digits of a command's hash stand in hints, and how many
// are needed to name it: two commands whose hashes begin alike can be found for
// a few dozen bits.
const ShownHash = 40

// CommandHash is the content hash by which a command is trusted.
func CommandHash(command string) string {
	sum := sha256.Sum256([]byte(command))
	return hex.EncodeToString(sum[:])
}

// Trusted refuses a command from the board that nobody on this machine has
// allowed to run here.
func (c *Clone) Trusted(ctx context.Context, command string) error {
	list, err := c.TrustedHashes(ctx)
	if err != nil {
		return err
	}
	hash := CommandHash(command)
	for _, known := range list {
		if known == hash {
			return nil
		}
	}
	refusal := &flow.Refusal{Rule: flow.RuleTrust, Hint: "git liza trust " + hash[:ShownHash],
		Reason: "the board wants this machine to run a command that nobody here has allowed: " + Visible(command)}
	if len(refusal.Reason) > maxShown { // nobody allows what was not shown
		refusal.Reason, refusal.Hint = flow.Excerpt(refusal.Reason, maxShown), "git liza trust --list"
	}
	return refusal
}

// maxShown bounds a refusal that shows a command, in bytes.
const maxShown = 300

// Visible is the whole of a command as a person reads it: one that holds what
// does not print, or turns the direction of what follows, is quoted, with that
// escaped.
func Visible(command string) string {
	for _, r := range command {
		if !strconv.IsPrint(r) {
			return strconv.Quote(command)
		}
	}
	return command
}

// Untrusted are the commands of the board that nobody here has allowed.
func (c *Clone) Untrusted(ctx context.Context, b *flow.Board) ([]BoardCommand, error) {
	allowed, err := c.TrustedHashes(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(BoardCommands(b), func(k BoardCommand) bool { return slices.Contains(allowed, CommandHash(k.Command)) }), b.Err()
}

// TrustedHashes are the hashes of the commands that this machine may run.
func (c *Clone) TrustedHashes(ctx context.Context) ([]string, error) {
	out, err := c.Repo.Git(ctx, "config", "--get-all", trustKey)
	var gitErr *git.Error
	if errors.As(err, &gitErr) && gitErr.Code == 1 {
		return nil, nil
	}
	return strings.Fields(string(out)), err
}

// Trust allows commands to run on this machine.
func (c *Clone) Trust(ctx context.Context, commands ...string) error {
	for _, command := range commands {
		if command == "" || c.Trusted(ctx, command) == nil {
			continue
		}
		if err := c.Repo.WriteConfig(ctx, "--add", trustKey, CommandHash(command)); err != nil {
			return err
		}
	}
	return nil
}

// TrustOwn allows commands that this machine's own human puts on the board,
// or its planner where liza.trust.planner is on. It asks before the move, so
// that a command is never on the board and refused on the machine it is from.
// A human's commands that a model gave, which may have no shell otherwise, are
// none of these. Those of a planner in a session are for its supervisor to allow:
// a sandbox may keep git's configuration from the planner, and it could turn the
// setting on there itself.
func (c *Clone) TrustOwn(ctx context.Context, commands ...string) error {
	if c.Generation.Spawned() {
		return nil
	}
	c.Repo.Renew()
	planner, err := c.Repo.Config(ctx, TrustPlanner)
	if err != nil {
		return err
	}
	if c.By.IsHuman() && !c.Distant || c.By.Role() == flow.Planner && on(planner) {
		err = c.Trust(ctx, commands...)
	}
	return err
}

// TrustPlanner is the key that lets the commands of this machine's planners run
// here.
const TrustPlanner = "liza.trust.planner"

// on reports whether the value of a switch is yes.
func on(value string) bool { return slices.Contains([]string{"true", "1", "yes", "on"}, value) }
