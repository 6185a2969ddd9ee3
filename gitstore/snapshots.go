package gitstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Snapshots are signed statements about states of a board: those that this clone signs, and
// the one that it joins with.
type Snapshots struct {
	repo    *git.Repo
	history *history
	remotes *Remotes
}

// PublishSnapshot signs a statement about the board of this clone, after it has replayed what it
// had not verified before. It puts the statement in the ref of the key, here and at the
// remote that holds the board. Errors are *Breach, *flow.Refusal in a clone that has not
// verified the history itself or that the remote's judge refuses, or those of a push, or wrap
// ErrClock.
func (s *Store) PublishSnapshot(ctx context.Context, principal, keyFile string) (SignedStatement, error) {
	signer, err := s.snapshotSigner(ctx, principal, keyFile)
	if err != nil {
		return SignedStatement{}, err
	}
	if _, breach, err := s.Audit.Fsck(ctx, false); err != nil {
		return SignedStatement{}, err
	} else if breach != nil {
		return SignedStatement{}, breach
	}
	return s.Snapshots.publish(ctx, signer)
}

// snapshotSigner is the signer with the key in a file, or else with that of a principal.
func (s *Store) snapshotSigner(ctx context.Context, principal, keyFile string) (ssh.Signer, error) {
	if keyFile == "" {
		signer, err := s.findSigner(ctx, principal)
		if err == nil && signer == nil {
			err = unsignedRefusal("git liza snapshot --key ~/.ssh/id_ed25519", "this clone signs as no principal: name the key that signs the snapshot")
		}
		return signer, err
	}
	key, signer, err := readKey(keyFile)
	if err == nil && signer == nil {
		signer, err = agentSigner(key, keyFile)
	}
	return signer, err
}

func (ss *Snapshots) publish(ctx context.Context, signer ssh.Signer) (SignedStatement, error) {
	done, err := ss.write(ctx, signer)
	if err != nil {
		return done, err
	}
	ref := git.RefUpdate{Name: layout.SnapshotRefs + KeyName(done.Key), New: done.Commit, Any: true}
	if err := ss.repo.Refs.MoveRefs(ctx, []git.RefUpdate{ref}, "liza: snapshot"); err != nil {
		return done, err
	}
	remote, err := ss.history.Authority(ctx)
	if err != nil || remote == "" {
		return done, err
	}
	return done, publishError(remote, ss.remotes.push(ctx, remote, []git.RefUpdate{ref}))
}

// write writes the commit of a statement about the board as it is. It is one object, like
// that of a presence.
func (ss *Snapshots) write(ctx context.Context, signer ssh.Signer) (SignedStatement, error) {
	done := SignedStatement{Key: signer.PublicKey()}
	tip, err := ss.history.Tip(ctx)
	if err != nil {
		return done, err
	}
	if done.Statement, err = ss.describe(ctx, tip); err != nil {
		return done, err
	}
	text, err := signStatement(done.Statement, signer)
	if err != nil {
		return done, err
	}
	name, email, err := ss.repo.Config.Identity(ctx)
	if err != nil {
		return done, err
	}
	who, err := identLine(name, email, done.At)
	if err != nil {
		return done, err
	}
	o := ss.history.objects
	tree, err := o.WriteTree(nil)
	if err != nil {
		return done, err
	}
	if done.Commit, err = o.WriteCommit(fmt.Appendf(nil, "tree %s\nauthor %s\ncommitter %s\n\n%s", tree, who, who, text)); err != nil {
		return done, err
	}
	return done, o.Flush()
}

// describe is what a statement about a state says now. It is never older than the move that
// made the state; the error wraps ErrClock where that is too far ahead.
func (ss *Snapshots) describe(ctx context.Context, state git.ID) (Statement, error) {
	c, err := ss.history.readStateCommit(state)
	if err != nil {
		return Statement{}, err
	}
	b, err := ss.history.BoardAt(state)
	if err != nil {
		return Statement{}, err
	}
	chain, err := ss.Chain(ctx, state)
	if err != nil {
		return Statement{}, err
	}
	at, err := ss.history.after(b.At())
	return Statement{Board: b.Settings().Board, State: state, Tree: c.Tree, Moves: len(chain), At: at}, err
}

// Chain lists the state commits of the board up to a tip, oldest first. The error is a
// *Breach where one of them cannot be read.
func (ss *Snapshots) Chain(ctx context.Context, tip git.ID) ([]git.ID, error) {
	// To read all commits in this process takes four times as long.
	out, err := ss.repo.Git(ctx, "rev-list", "--first-parent", "--reverse", string(tip), "--")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		chain, breach := ss.history.listChain(tip, "")
		if breach != nil {
			return nil, breach
		}
		return chain, nil
	}
	var chain []git.ID
	for line := range strings.Lines(string(out)) {
		chain = append(chain, git.ID(strings.TrimSuffix(line, "\n")))
	}
	return chain, nil
}

// A Flaw is what of a statement is not so of a board. It says nothing about whether the
// board replays.
type Flaw struct {
	Reason string
	Absent bool // the state that it is about is not in the board's history
}

// FindFlaw compares a statement with the chain of a board's state commits, as far as can be
// seen without replaying it; nil if all of it is so. The error is that of reading the board.
func (ss *Snapshots) FindFlaw(s SignedStatement, chain []git.ID) (*Flaw, error) {
	place := slices.Index(chain, s.State)
	if place < 0 {
		tip := git.ID("")
		if len(chain) > 0 {
			tip = chain[len(chain)-1]
		}
		return &Flaw{fmt.Sprintf("%s is not in the history of the board, which is at %s", s.State.Short(), git.ShortOrNone(tip)), true}, nil
	}
	flaw := func(format string, args ...any) (*Flaw, error) {
		return &Flaw{Reason: fmt.Sprintf(format, args...)}, nil
	}
	if s.Moves != place+1 {
		return flaw("it counts %d moves up to %s, which is move %d", s.Moves, s.State.Short(), place+1)
	}
	c, err := ss.history.readStateCommit(s.State)
	if err != nil {
		return nil, err
	}
	if s.Tree != c.Tree {
		return flaw("it names the tree %s for %s, which has %s", s.Tree.Short(), s.State.Short(), c.Tree.Short())
	}
	b, err := ss.history.BoardAt(s.State)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Board != b.Settings().Board:
		return flaw("it is about the board %s, and this is %s", flow.Excerpt(s.Board, 40), b.Settings().Board)
	case s.At.Before(c.AuthorTime):
		return flaw("it is dated %s, which is older than the move that it is about, %s: the clock of the machine that signed it is behind",
			s.At.Format(time.RFC3339), c.AuthorTime.UTC().Format(time.RFC3339))
	}
	return nil, nil
}
