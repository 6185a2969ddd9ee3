package supervise

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/flow"
)

// pauseLook is how often a supervisor looks whether its provider may work
// again: somebody may have resumed it.
const pauseLook = 500 * time.Millisecond

// maxHeld is how long a coder keeps its task while its provider pauses: given
// back, another one could begin it afresh.
const maxHeld = 2 * time.Minute

// yield pauses a provider that is in trouble. What the agent holds it gives
// back, or keeps where that is over soon: more says so. The task is not to
// blame, so nothing is counted.
func (s *supervisor) yield(ctx context.Context, e *errand, t provider.Trouble) (more bool, err error) {
	p, err := provider.PauseFor(s.clone.Repo.CommonDir(), s.provider.Name, t, time.Now())
	if err != nil {
		return false, err // without the pause it would be spawned again at once
	}
	s.say("%s: the session on %s has ended: %s is paused, %s%s", s.id, e.subject(), s.provider.Name, p, s.entry(p))
	s.rush.pauses.news(p)
	if e.role == flow.Coder && !p.Until.IsZero() && time.Until(p.Until) <= maxHeld {
		s.presence.doing(paused, e.id(), s.provider.Name+": "+p.String())
		st := s.rest(ctx, e, time.Until(p.Until))
		_, err := s.paused()
		return (st == held || st == handed) && ctx.Err() == nil, err
	}
	if e.task == nil {
		return false, nil
	}
	_, err = s.clone.Release(ctx, e.id(), false)
	var refusal *flow.Refusal
	if errors.As(err, &refusal) {
		err = nil // somebody else has taken it since
	}
	return false, err
}

// paused is the pause of the supervisor's provider, nil if it may work. The
// rush says when one begins and ends, once.
func (s *supervisor) paused() (*provider.Pause, error) {
	p, err := provider.Paused(s.clone.Repo.CommonDir(), s.provider.Name, time.Now())
	if err != nil {
		return nil, err
	}
	switch {
	case p != nil && s.rush.pauses.news(*p):
		s.say("%s is paused, %s; %s", s.provider.Name, p, s.resumption(*p))
	case p == nil && s.rush.pauses.ended(s.provider.Name):
		s.say("%s is tried again", s.provider.Name)
	}
	return p, nil
}

// pausing is the turn of a supervisor whose provider is paused. It is at work
// as long as the pause ends by itself soon.
func (s *supervisor) pausing(p provider.Pause, t turn) turn {
	t.lull, t.why = paused, s.provider.Name+": "+p.String()
	next := time.Now().Add(pauseLook)
	if soon := time.Now().Add(s.rush.Limits.Patience); !p.Until.IsZero() && p.Until.Before(soon) {
		if p.Until.Before(next) {
			next = p.Until
		}
		t.soon(next)
	} else if t.retry.IsZero() || next.Before(t.retry) {
		t.retry = next
	}
	return t
}

// pauses are those that the rush has spoken of.
type pauses struct {
	mu   sync.Mutex
	said map[string]string // provider → the pause in words
}

// news notes a pause; it is true if the rush has not spoken of it.
func (l *pauses) news(p provider.Pause) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.said[p.Provider]
	l.said[p.Provider] = p.String()
	return old != p.String()
}

// ended forgets a provider's pause; it is true if the rush has spoken of one.
func (l *pauses) ended(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, said := l.said[name]
	delete(l.said, name)
	return said
}

// recovered ends the row of a provider's pauses once it has worked again.
func (s *supervisor) recovered(ending provider.Ending) error {
	if ending.Outcome != provider.Ended {
		return nil
	}
	return provider.Recover(s.clone.Repo.CommonDir(), s.provider.Name, time.Now())
}

// pauseStall is why and until when the supervisor's provider keeps it from its
// work, "" if it does not.
func (s *supervisor) pauseStall() (why, hint string) {
	p, err := provider.Paused(s.clone.Repo.CommonDir(), s.provider.Name, time.Now())
	if err != nil || p == nil {
		return "", ""
	}
	return fmt.Sprintf("%s is paused, %s", s.provider.Name, p), s.resumption(*p)
}

// resumption is the command that lets the supervisor's provider work again: where
// nobody is logged in, behind the one that logs somebody in.
func (s *supervisor) resumption(p provider.Pause) string {
	command := "git liza providers resume " + s.provider.Name
	if entry := s.provider.Entry(); p.Kind == provider.Login && entry != "" {
		command = entry + " && " + command
	}
	return command
}

// entry says how to log in, "" where that is not what is missing.
func (s *supervisor) entry(p provider.Pause) string {
	if p.Kind != provider.Login {
		return ""
	}
	return "; " + s.resumption(p)
}
