package supervise

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// register enters the agent with a generation of its own, under the post's id
// or the first number that is free.
func (s *supervisor) register(ctx context.Context) error {
	random, err := gitstore.RandomID()
	if err != nil {
		return err
	}
	s.generation = flow.Generation(random)
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	base := s.rush.Clone
	store, err := gitstore.OpenStore(ctx, base.Repo, base.Store.Now)
	if err != nil {
		return err
	}
	r, err := store.Do(ctx, func(b *flow.Board, _ time.Time) (flow.Move, []gitstore.RefUpdate, error) {
		if b.Settings().Control.State == flow.Stopped {
			return flow.Move{}, nil, &flow.Refusal{Rule: flow.RuleControl, Hint: "git liza resume --reason R",
				Reason: fmt.Sprintf("the board is STOPPED (%s), no agent begins", b.Settings().Control.Reason)}
		}
		id := s.post.ID
		if id == "" {
			id = free(b, s.post.Role)
		}
		return flow.Move{Act: flow.ActRegister, By: flow.Actor(id), Principal: base.Principal,
			Detail: &flow.RegisterMove{Agent: id, Provider: s.provider.Name, Host: host, Generation: s.generation}}, nil, nil
	})
	if err != nil {
		return err
	}
	s.id = r.Move.By.Agent()
	other := *base
	other.Store, other.By, other.Generation = store, r.Move.By, s.generation
	s.clone = &other
	return nil
}

// free is the id of the role with the lowest number that nobody has.
func free(b *flow.Board, role flow.Role) flow.AgentID {
	for n := 1; ; n++ {
		id := flow.AgentID(role.String() + "-" + strconv.Itoa(n))
		if b.Agent(id) == nil {
			return id
		}
	}
}

// farewell is how long giving everything back may take.
const farewell = 20 * time.Second

// leave gives back what the agent holds and ends its registration, also when
// ctx is done. What does not work out ends with the lease.
func (s *supervisor) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	b, _, err := s.clone.Store.Board(ctx)
	if err != nil {
		s.say("%s could not leave: %v", s.id, err)
		return
	}
	a := b.Agent(s.id)
	if a == nil || a.Generation != s.generation {
		return
	}
	for _, id := range []flow.TaskID{a.Task, a.Review} {
		if id == "" {
			continue
		}
		if _, err := s.clone.Release(ctx, id, false); err != nil {
			s.say("%s could not release %s: %v", s.id, id, err)
		}
	}
	if _, err := s.clone.Make(ctx, flow.ActUnregister, "", &flow.UnregisterMove{Agent: s.id}); err != nil {
		s.say("%s could not leave: %v", s.id, err)
	}
}
