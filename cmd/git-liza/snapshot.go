package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"golang.org/x/crypto/ssh"
)

// snapshotCommand signs a statement about the board as it is.
type snapshotCommand struct {
	Key string `placeholder:"FILE" help:"The SSH key that signs; of a .pub file, or one with a passphrase, ssh-agent has the other part. Default: that of this clone's principal."`
}

// Help says what it is for.
func (c *snapshotCommand) Help() string {
	return `A snapshot says which state the board has and how many moves lead to it, signed
by whoever has replayed them. A new clone whose user trusts the key (git config
liza.join.key) and sets git config liza.join snapshot begins with that state, and
verifies the history behind it afterwards.

What this clone has not verified yet is replayed first. The snapshot goes to the
remote that holds the board, in the place of the key's earlier one.`
}

func (c *snapshotCommand) Run(inv *invocation) error {
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	if err := inv.operator(clone.Repo, "a snapshot"); err != nil {
		return err
	}
	if err := clone.Store.Verification.RequireVerified(inv.ctx, "a snapshot"); err != nil {
		return err
	}
	if _, err := clone.Fresh(inv.ctx); err != nil {
		return err
	}
	path := keyPath(inv, c.Key)
	if _, err := os.Stat(path); path != "" && errors.Is(err, fs.ErrNotExist) {
		return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no key " + c.Key, Hint: "git liza help snapshot"}
	}
	done, err := clone.Store.PublishSnapshot(inv.ctx, clone.Principal, path)
	if err != nil {
		return err
	}
	fingerprint := ssh.FingerprintSHA256(done.Key)
	data := map[string]any{"board": done.Board, "state": done.State, "tree": done.Tree, "moves": done.Moves, "at": view.TimeValue(done.At),
		"commit": done.Commit, "key": strings.TrimSpace(string(ssh.MarshalAuthorizedKey(done.Key))), "fingerprint": fingerprint}
	return inv.answer("changed", data, fmt.Sprintf("snapshot of %s at %s, signed with %s", view.Count(done.Moves, "move"), done.State.Short(), fingerprint))
}

// keyPath is the file that a user names, from the folder of the invocation.
func keyPath(inv *invocation, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(inv.dir, name)
}

// tellFrozen says that the history behind a snapshot does not replay, if that is so.
func tellFrozen(inv *invocation, v *gitstore.Verification) {
	if u, err := v.Unverified(inv.ctx); err == nil && u != nil && u.Breach != "" {
		inv.progress("warning: this clone makes no more moves; its board is kept under %s", layout.RescueRefs)
	}
}

// verificationOf says in a line how far the history behind a snapshot is verified, "" where
// there is none; the command goes on with it, or mends what it found.
func verificationOf(u *gitstore.Unverified) (text, command string) {
	switch {
	case u == nil:
		return "", ""
	case u.Breach != "":
		return fmt.Sprintf("the history behind the snapshot of %s does not replay, from state commit %s on", u.Statement.State.Short(), u.Breach.Short()), "git liza fsck --repair"
	}
	return fmt.Sprintf("the history behind the snapshot of %s is not verified yet: %s", u.Statement.State.Short(), u.Progress()), gitstore.VerifyHistory
}
