package gitstore

import (
	"context"
	"fmt"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Join makes a remote the authority of this clone. A remote without a board
// gets this clone's, a clone without a board gets the remote's. If one board
// continues the other, the longer one wins; if that is this clone's, only with
// publish. Errors are *flow.Refusal or *Breach, or wrap ErrOffline, ErrDiverged or ErrForeignRef;
// the setting is then unchanged.
func (m *Mirror) Join(ctx context.Context, remote string, publish bool) (Synced, error) {
	done := Synced{Remote: remote}
	err := m.chooseAuthority(ctx, remote, func(found heads) (err error) {
		done, err = m.joinBoard(ctx, remote, found, publish)
		return err
	})
	return done, err
}

// chooseAuthority makes a remote the authority after bring has made the two
// boards one.
func (m *Mirror) chooseAuthority(ctx context.Context, remote string, bring func(heads) error) error {
	if err := m.checkRemote(ctx, remote); err != nil {
		return err
	}
	release, err := m.repo.Turns.PushTurn(ctx)
	if err != nil {
		return err
	}
	defer release()
	found, err := m.fetchHeads(ctx, remote)
	if err != nil {
		return err
	}
	if err := bring(found); err != nil {
		return err
	}
	return m.repo.Config.WriteConfig(ctx, remoteKey, remote)
}

// checkRemote refuses a name that no remote of this repository has.
func (m *Mirror) checkRemote(ctx context.Context, remote string) error {
	url, err := m.repo.Config.Config(ctx, "remote."+remote+".url")
	if err != nil || url != "" {
		return err
	}
	return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git remote add " + board.Excerpt(remote, 80) + " URL",
		Reason: fmt.Sprintf("there is no remote %q", board.Excerpt(remote, 80))}
}

// joinBoard copies the moves of one board to the other side.
func (m *Mirror) joinBoard(ctx context.Context, remote string, found heads, publish bool) (Synced, error) {
	done := Synced{Remote: remote}
	mirror, err := m.repo.Refs.Resolve(ctx, layout.State)
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
		if longer, err = m.continuesBoard(mirror, found.state); err != nil {
			return done, err
		}
	}
	if !longer {
		step, news, err := m.pull(ctx, remote, found)
		return Synced{Remote: remote, Before: step.from, After: step.to, Moves: len(news), Behind: step.behind}, err
	}
	if found.state != "" && !publish {
		return done, &flow.Refusal{Rule: flow.RuleState, Hint: "git liza sync --set " + remote + " --publish",
			Reason: fmt.Sprintf("this clone's board, at %s, continues that of %s, at %s", mirror.Short(), remote, found.state.Short())}
	}
	if m.CheckSaves != nil {
		if err := m.CheckSaves(ctx, remote, publish); err != nil {
			return done, err
		}
	}
	done.Moves, err = m.publisher.publishBoard(ctx, remote, found, mirror)
	done.Published = err == nil
	return done, err
}

// continuesBoard reports whether the state tip descends from the earlier one by
// moves alone.
func (m *Mirror) continuesBoard(tip, earlier git.ID) (bool, error) {
	chain, breach := m.history.listChain(tip, earlier)
	if breach != nil {
		return false, breach
	}
	e, err := m.history.ReadEvent(chain[0])
	return e.Parent == earlier, err
}
