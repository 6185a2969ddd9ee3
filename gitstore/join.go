package gitstore

import (
	"context"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Join makes a remote the authority of this clone: a remote without a board
// gets this one, a clone without a board gets the remote's, and of two boards
// one of which continues the other the longer stands; where that is this
// clone's, only with publish. Errors are *flow.Refusal or *Breach, or wrap
// ErrOffline, ErrDiverged or ErrForeignRef; the setting is as it was then.
func (m *Mirror) Join(ctx context.Context, remote string, publish bool) (Synced, error) {
	done := Synced{Remote: remote}
	err := m.choose(ctx, remote, func(found heads) (err error) {
		done, err = m.join(ctx, remote, found, publish)
		return err
	})
	return done, err
}

// choose makes a remote the authority, once its board and this clone's were
// brought together.
func (m *Mirror) choose(ctx context.Context, remote string, bring func(heads) error) error {
	if err := m.knownRemote(ctx, remote); err != nil {
		return err
	}
	release, err := m.repo.PushTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	found, err := m.fetch(ctx, remote)
	if err != nil {
		return err
	}
	if err := bring(found); err != nil {
		return err
	}
	return m.repo.WriteConfig(ctx, remoteKey, remote)
}

// knownRemote refuses a name that this repository has no remote of.
func (m *Mirror) knownRemote(ctx context.Context, remote string) error {
	url, err := m.repo.Config(ctx, "remote."+remote+".url")
	if err != nil || url != "" {
		return err
	}
	return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git remote add " + flow.Excerpt(remote, 80) + " URL",
		Reason: fmt.Sprintf("there is no remote %q", flow.Excerpt(remote, 80))}
}

// join brings one of the two boards to the other side.
func (m *Mirror) join(ctx context.Context, remote string, found heads, publish bool) (Synced, error) {
	done := Synced{Remote: remote}
	mirror, err := m.repo.Resolve(ctx, git.StateRef)
	if err != nil {
		return done, err
	}
	done.Before, done.After = mirror, mirror
	if mirror == "" && found.state == "" {
		return done, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza init --remote " + remote,
			Reason: "neither this clone nor " + remote + " has a board"}
	}
	longer := found.state == ""
	if mirror != "" && found.state != "" && mirror != found.state {
		if longer, err = m.continues(mirror, found.state); err != nil {
			return done, err
		}
	}
	if !longer {
		step, news, err := m.pull(ctx, remote, found)
		return Synced{Remote: remote, Before: step.from, After: step.to, Moves: len(news), Behind: step.behind}, err
	}
	if found.state != "" && !publish {
		return done, &flow.Refusal{Rule: flow.RuleState, Hint: "git liza sync --set " + remote + " --publish",
			Reason: fmt.Sprintf("this clone's board, at %s, goes on from that of %s, at %s", mirror.Short(), remote, found.state.Short())}
	}
	done.Moves, err = m.publisher.publish(ctx, remote, found, mirror)
	done.Published = err == nil
	return done, err
}

// continues reports whether one state comes after another.
func (m *Mirror) continues(tip, earlier git.ID) (bool, error) {
	chain, breach := m.history.chain(tip, earlier)
	if breach != nil {
		return false, breach
	}
	e, err := m.history.Event(chain[0])
	return e.Parent == earlier, err
}
