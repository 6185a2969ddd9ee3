package supervise

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// registerAgent registers the agent with a new generation, under the slot's id or the
// first number that is free.
func (s *supervisor) registerAgent(ctx context.Context) error {
	if s.generation == "" { // a registration that may have landed is not made twice
		random, err := gitstore.RandomID()
		if err != nil {
			return err
		}
		release, err := work.Supervise(s.rush.Clone.Repo, board.Generation(random))
		if err != nil {
			return err
		}
		s.generation, s.release = board.Generation(random), release
	}
	host, _ := os.Hostname() // "" if it is not known
	clone, err := s.rush.Clone.As(ctx, s.rush.Clone.By, s.generation)
	if err != nil {
		return err
	}
	r, err := clone.Store.Do(ctx, func(b *board.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		if b.Settings().Control.State.IsStopped() {
			return flow.Move{}, nil, &flow.Refusal{Rule: flow.RuleControl, Hint: "git liza resume --reason R",
				Reason: fmt.Sprintf("the board is STOPPED (%s), no agent begins", b.Settings().Control.Reason)}
		}
		id, err := s.chooseID(ctx, b)
		if err != nil {
			return flow.Move{}, nil, err
		}
		principal, err := work.PrincipalOf(ctx, clone.Repo, board.Actor(id))
		return flow.Move{Act: board.ActRegister, By: board.Actor(id), Principal: principal,
			Detail: &flow.RegisterMove{Agent: id, Provider: s.provider.Name, Host: host, Generation: s.generation, Format: board.NewestFormat}}, nil, err
	})
	if err != nil {
		return err
	}
	s.id, s.clone = r.Move.By.Agent(), clone
	s.rush.own.put(board.Actor(s.id), true)
	return clone.Identify(ctx, r.Move.By, s.generation)
}

// maxNumber is the highest number that a supervisor gives its agent itself.
const maxNumber = 1000

// chooseID returns the slot's id, else the id of the role with the lowest free number
// that this machine's principal may act as.
func (s *supervisor) chooseID(ctx context.Context, b *board.Board) (board.AgentID, error) {
	if s.slot.ID != "" {
		return s.slot.ID, nil
	}
	who := b.Principals()
	free := board.AgentID("")
	name := ""
	for n := 1; n <= maxNumber; n++ {
		id := board.AgentID(s.slot.Role.String() + "-" + strconv.Itoa(n))
		a := b.Agent(id)
		if a != nil && a.Generation == s.generation {
			return id, nil
		}
		if a != nil || free != "" {
			continue
		}
		var err error
		if name, err = work.PrincipalOf(ctx, s.rush.Clone.Repo, board.Actor(id)); err != nil {
			return "", err
		}
		// The rules refuse a principal that the board does not know, and say why.
		if p := who.Find(name); p == nil || p.MayAct(board.Actor(id)) {
			free = id
		}
	}
	if free == "" {
		return "", &flow.Refusal{Rule: flow.RulePrincipal, Hint: "git liza principal list", Reason: fmt.Sprintf("%s may act as no %s that is free", name, s.slot.Role)}
	}
	return free, nil
}

// enterBoard registers the agent, and waits while the remote does not answer. It is
// false if ctx is done first.
func (s *supervisor) enterBoard(ctx context.Context) (bool, error) {
	for try := 0; ; try++ {
		err := s.registerAgent(ctx)
		if ctx.Err() != nil && err != nil {
			withdrawRegistration(ctx, s)
			return false, nil
		}
		if !s.rush.noteOffline(err) {
			return err == nil, err
		}
		if git.Wait(ctx, max(s.rush.Limits.pause(try), work.QuickLook)) != nil {
			return false, nil
		}
	}
}

// withdrawRegistration ends a registration that was interrupted, if it has landed all the
// same. A failure is not said: the next rush of this machine releases it.
func withdrawRegistration(ctx context.Context, s *supervisor) {
	if s.generation == "" || s.rush.link.isDown() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxLeave)
	defer cancel()
	clone, err := s.rush.Clone.As(ctx, s.rush.Clone.By, s.generation)
	if err != nil {
		return
	}
	b, err := clone.Fresh(ctx)
	if err != nil {
		return
	}
	for _, a := range board.All[*board.Agent](b, board.Agents) {
		if a.Generation != s.generation {
			continue
		}
		s.id, s.clone = a.ID, clone
		if clone.Identify(ctx, board.Actor(a.ID), s.generation) == nil {
			s.leaveBoard(ctx)
		}
		return
	}
}

// dropPresence withdraws the presence of the agent. It does so even if the agent is
// registered anew, since the new supervisor has its own.
func (s *supervisor) dropPresence(ctx context.Context) {
	shared, err := s.presence.end(ctx)
	if err != nil {
		s.sayOnce("%s: %v", s.id, err)
	}
	if shared {
		s.rush.presences.forgetAgents(s.id)
	}
}

// maxLeave is how long the release of what the agent holds and its unregistration may
// take together.
const maxLeave = 20 * time.Second

// leaveBoard releases what the agent holds and ends its registration, even if ctx is
// done. What fails is left to who gives back what dead supervisors hold, or ends with the lease.
func (s *supervisor) leaveBoard(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxLeave)
	defer cancel()
	defer s.dropPresence(ctx)
	err := unregisterAgent(ctx, s)
	if flow.IsRefused(err, flow.RuleHeld) {
		// An interrupted move may have reached the remote and not this clone. The refusal
		// rests on the board of the remote, and the clone has that board now.
		err = unregisterAgent(ctx, s)
	}
	if s.stays = err != nil; s.stays {
		s.ask("%s could not leave: %v", s.id, err)
	}
}

// unregisterAgent records the agent's sessions, releases what it holds on the board that
// the clone knows, and ends its registration, unless a newer one has replaced it.
func unregisterAgent(ctx context.Context, s *supervisor) error {
	b, _, err := s.clone.Store.Board(ctx)
	if err != nil {
		return err
	}
	a := b.Agent(s.id)
	if a == nil || a.Generation != s.generation {
		return b.Err()
	}
	_ = s.worker.recorder.recordPending(ctx) // which said why
	for _, id := range []board.TaskID{a.Task, a.Review} {
		if id == "" {
			continue
		}
		if _, err := s.clone.Release(ctx, id, flow.ReleaseMove{}); err != nil {
			s.sayOnce("%s could not release %s: %v", s.id, id, err)
		}
	}
	_, err = s.clone.Make(ctx, board.ActUnregister, "", &flow.UnregisterMove{Agent: s.id})
	return err
}
