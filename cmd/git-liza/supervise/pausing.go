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

// pauseProvider pauses a provider that is in trouble. What the agent holds it gives
// back, or keeps where that is over soon. The task is not to blame, so nothing is
// counted.
func (w *worker) pauseProvider(ctx context.Context, a *assignment, t provider.Trouble) (result, error) {
	p, err := provider.PauseFor(w.clone.Repo.CommonDir(), w.provider.Name, t, time.Now())
	if err != nil {
		return failed(t.Text), err // without the pause it would be spawned again at once
	}
	w.say("%s: the session on %s has ended: %s is paused, %s%s", w.id, a.subject(), w.provider.Name, p, w.loginHint(p))
	w.rush.pauses.note(p)
	if a.role == flow.Coder && !p.Until.IsZero() && time.Until(p.Until) <= maxHeld {
		w.presence.setDoing(paused, a.taskID(), w.provider.Name+": "+p.String())
		st := w.waitHolding(ctx, a, time.Until(p.Until))
		_, err := w.currentPause()
		if (st == held || st == handed) && ctx.Err() == nil {
			return goOn(), err
		}
		return failed(t.Text), err
	}
	if a.task == nil {
		return failed(t.Text), nil
	}
	_, err = w.clone.Release(ctx, a.taskID(), false)
	var refusal *flow.Refusal
	if errors.As(err, &refusal) {
		err = nil // somebody else has taken it since
	}
	return failed(t.Text), err
}

// currentPause is the pause of the supervisor's provider, nil if it may work. The
// rush says when one begins and ends, once.
func (reg *registration) currentPause() (*provider.Pause, error) {
	p, err := provider.Paused(reg.clone.Repo.CommonDir(), reg.provider.Name, time.Now())
	if err != nil {
		return nil, err
	}
	switch {
	case p != nil && reg.rush.pauses.note(*p):
		reg.say("%s is paused, %s; %s", reg.provider.Name, p, reg.resumeCommand(*p))
	case p == nil && reg.rush.pauses.forget(reg.provider.Name):
		reg.say("%s is tried again", reg.provider.Name)
	}
	return p, nil
}

// waitPaused is the turn of a supervisor whose provider is paused. It is at work
// as long as the pause ends by itself soon.
func (s *supervisor) waitPaused(p provider.Pause, t lookResult) lookResult {
	t.doing, t.why = paused, s.provider.Name+": "+p.String()
	next := time.Now().Add(pauseLook)
	if soon := time.Now().Add(s.rush.Limits.Patience); !p.Until.IsZero() && p.Until.Before(soon) {
		if p.Until.Before(next) {
			next = p.Until
		}
		t.lookBy(next)
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

// note notes a pause; it is true if the rush has not spoken of it.
func (l *pauses) note(p provider.Pause) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.said[p.Provider]
	l.said[p.Provider] = p.String()
	return old != p.String()
}

// forget forgets a provider's pause; it is true if the rush has spoken of one.
func (l *pauses) forget(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, said := l.said[name]
	delete(l.said, name)
	return said
}

// clearPauses ends the row of a provider's pauses once it has worked again.
func (rec *recorder) clearPauses(ending provider.Ending) error {
	if ending.Outcome != provider.Ended {
		return nil
	}
	return provider.Recover(rec.clone.Repo.CommonDir(), rec.provider.Name, time.Now())
}

// pauseStall is why and until when the supervisor's provider keeps it from its
// work, "" if it does not.
func (reg *registration) pauseStall() (why, hint string) {
	p, err := provider.Paused(reg.clone.Repo.CommonDir(), reg.provider.Name, time.Now())
	if err != nil || p == nil {
		return "", ""
	}
	return fmt.Sprintf("%s is paused, %s", reg.provider.Name, p), reg.resumeCommand(*p)
}

// resumeCommand is the command that lets the supervisor's provider work again: where
// nobody is logged in, behind the one that logs somebody in.
func (reg *registration) resumeCommand(p provider.Pause) string {
	command := "git liza providers resume " + reg.provider.Name
	if entry := reg.provider.LoginCommand(); p.Kind == provider.Login && entry != "" {
		command = entry + " && " + command
	}
	return command
}

// loginHint says how to log in, "" where that is not what is missing.
func (reg *registration) loginHint(p provider.Pause) string {
	if p.Kind != provider.Login {
		return ""
	}
	return "; " + reg.resumeCommand(p)
}
