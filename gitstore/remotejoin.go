package gitstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
)

// What one push of a board that is published may hold: the length of a command
// line bounds the refs, a server's judge the moves.
const (
	maxPublishRefs  = 1000
	maxPublishMoves = 4000
)

// publishOption tells a server that moves were made before they came to it.
const publishOption = "liza-publish"

// Join makes a remote the authority of this clone: a remote without a board
// gets this one, a clone without a board gets the remote's, and of two boards
// one of which continues the other the longer stands; where that is this
// clone's, only with publish. Errors are *flow.Refusal or *Breach, or wrap
// ErrOffline, ErrDiverged or ErrForeignRef; the setting is as it was then.
func (s *Store) Join(ctx context.Context, remote string, publish bool) (Synced, error) {
	done := Synced{Remote: remote}
	url, err := s.Repo.Config(ctx, "remote."+remote+".url")
	if err != nil {
		return done, err
	}
	if url == "" {
		return done, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git remote add " + flow.Excerpt(remote, 80) + " URL",
			Reason: fmt.Sprintf("there is no remote %q", flow.Excerpt(remote, 80))}
	}
	release, err := s.Repo.pushTurn(ctx)
	if err != nil {
		return done, err
	}
	defer release()
	found, err := s.fetch(ctx, remote)
	if err != nil {
		return done, err
	}
	if done, err = s.join(ctx, remote, found, publish); err != nil {
		return done, err
	}
	return done, s.Repo.setConfig(ctx, remoteKey, remote)
}

// join brings one of the two boards to the other side.
func (s *Store) join(ctx context.Context, remote string, found heads, publish bool) (Synced, error) {
	done := Synced{Remote: remote}
	mirror, err := s.Repo.Resolve(ctx, StateRef)
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
		if longer, err = s.continues(mirror, found.state); err != nil {
			return done, err
		}
	}
	if !longer {
		step, news, err := s.pull(ctx, remote, found)
		return Synced{Remote: remote, Before: step.from, After: step.to, Moves: len(news), Behind: step.behind}, err
	}
	if found.state != "" && !publish {
		return done, &flow.Refusal{Rule: flow.RuleState, Hint: "git liza sync --set " + remote + " --publish",
			Reason: fmt.Sprintf("this clone's board, at %s, goes on from that of %s, at %s", mirror.Short(), remote, found.state.Short())}
	}
	done.Moves, err = s.publish(ctx, remote, found, mirror)
	done.Published = err == nil
	return done, err
}

// continues reports whether one state comes after another.
func (s *Store) continues(tip, earlier ID) (bool, error) {
	chain, breach := s.chain(tip, earlier)
	if breach != nil {
		return false, breach
	}
	e, err := s.Event(chain[0])
	return e.Parent == earlier, err
}

// A part of a board is what one push brings of it.
type part struct {
	tip   ID
	moves int
	refs  []RefUpdate
}

// publish pushes the moves that a remote lacks, with the refs that they need.
func (s *Store) publish(ctx context.Context, remote string, found heads, tip ID) (int, error) {
	parts, err := s.parts(ctx, tip, found.state)
	if err != nil {
		return 0, err
	}
	moves := 0
	for i, p := range parts {
		b, err := s.BoardAt(p.tip)
		if err != nil {
			return moves, err
		}
		branch := RefUpdate{Name: integrationRef(b), Old: found.integration, New: b.Settings().Integration.Tip}
		if err := s.extends(ctx, remote, branch); err != nil {
			return moves, err
		}
		updates := append([]RefUpdate{{Name: StateRef, Old: found.state, New: p.tip}, branch}, p.refs...)
		if i == len(parts)-1 {
			open, err := s.openBranches(ctx, b)
			if err != nil {
				return moves, err
			}
			updates = append(updates, open...)
		}
		if err := s.pushPublished(ctx, remote, updates, found.state == ""); err != nil {
			return moves, err
		}
		moves += p.moves
		found = heads{p.tip, branch.New}
		if err := s.saw(ctx, remote, found); err != nil {
			return moves, err
		}
	}
	return moves, nil
}

// saw notes what a remote has now.
func (s *Store) saw(ctx context.Context, remote string, found heads) error {
	return s.Repo.MoveRefs(ctx, []RefUpdate{{Name: tracking(remote, "state"), New: found.state, Any: true},
		{Name: tracking(remote, "integration"), New: found.integration, Any: true}}, "liza: published to "+remote)
}

// extends refuses to publish over an integration branch of the remote that has
// something else.
func (s *Store) extends(ctx context.Context, remote string, branch RefUpdate) error {
	if branch.Old == "" || branch.Old == branch.New {
		return nil
	}
	contains, err := s.Repo.IsAncestor(ctx, branch.Old, branch.New)
	if err != nil || contains {
		return err
	}
	name := branch.Name[len("refs/heads/"):]
	return fmt.Errorf("%w: %w", ErrForeignRef, &flow.Refusal{Rule: flow.RuleTip,
		Hint:   fmt.Sprintf("git log %s..%s", branch.New.Short(), tracking(remote, "integration")),
		Reason: fmt.Sprintf("%s of %s is at %s, which the board's %s does not contain", name, remote, branch.Old.Short(), branch.New.Short())})
}

// pushPublished pushes a part of a board. A server that takes no options gets
// none.
func (s *Store) pushPublished(ctx context.Context, remote string, updates []RefUpdate, first bool) error {
	var err error
	if !first {
		if err = s.push(ctx, remote, updates, publishOption); exitCode(err) != 128 {
			return published(remote, err)
		}
	}
	err = s.push(ctx, remote, updates)
	return published(remote, err)
}

func published(remote string, err error) error {
	var r *rejection
	switch {
	case err == nil:
		return nil
	case errors.As(err, &r) && len(r.refused) > 0:
		return r.refused[0].refusal
	case errors.As(err, &r):
		return fmt.Errorf("remote %s: %w", remote, err)
	}
	return offline(remote, err)
}

// parts cuts the moves after a state into pushes, each with the refs of its
// moves.
func (s *Store) parts(ctx context.Context, tip, since ID) ([]part, error) {
	chain, breach := s.chain(tip, since)
	if breach != nil {
		return nil, breach
	}
	list := []part{{}}
	for _, id := range chain {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, err := s.Event(id)
		if err != nil {
			return nil, err
		}
		refs, err := s.keptRefs(e)
		if err != nil {
			return nil, err
		}
		p := &list[len(list)-1]
		if p.moves == maxPublishMoves || p.moves > 0 && len(p.refs)+len(refs) > maxPublishRefs {
			list = append(list, part{})
			p = &list[len(list)-1]
		}
		p.tip, p.moves, p.refs = id, p.moves+1, append(p.refs, refs...)
	}
	return list, nil
}

// keptRefs are the refs of a move that stay: saved commits that are here, and
// marks.
func (s *Store) keptRefs(e Event) ([]RefUpdate, error) {
	all, err := s.refsOf(e)
	if err != nil {
		return nil, err
	}
	var list []RefUpdate
	for _, u := range all {
		if u.Old != "" || !kept(u.Name) {
			continue
		}
		if _, here, err := s.commit(u.New); err != nil {
			return nil, err
		} else if here {
			list = append(list, u)
		}
	}
	return list, nil
}

// openBranches are the branches of tasks that are worked on or wait for a
// verdict or a merge.
func (s *Store) openBranches(ctx context.Context, b *flow.Board) ([]RefUpdate, error) {
	var list []RefUpdate
	for _, id := range b.IDs(flow.Tasks) {
		t := b.Task(flow.TaskID(id))
		if t == nil || t.Status.Final() || t.Attempt == nil {
			continue
		}
		ref, tip := "refs/heads/"+t.ID.Branch(), ID("")
		switch {
		case t.Status == flow.Claimed:
			var err error
			if tip, err = s.Repo.Resolve(ctx, ref); err != nil {
				return nil, err
			}
		case t.Submission != nil:
			tip = t.Submission.Commit
		}
		if tip == "" {
			continue
		}
		if _, here, err := s.commit(tip); err != nil {
			return nil, err
		} else if here {
			list = append(list, RefUpdate{Name: ref, New: tip, Any: true})
		}
	}
	return list, b.Err()
}
