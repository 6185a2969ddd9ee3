package supervise

import (
	"context"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// pauseInterval is how often a supervisor checks whether its provider may work again: a
// user may resume it early.
const pauseInterval = 500 * time.Millisecond

// maxPausedHold is how long a coder keeps its task while its provider pauses. Given back, the
// task could be begun afresh by another one.
const maxPausedHold = 2 * time.Minute

// pauseProvider pauses a provider that is in trouble. The agent gives back what it
// holds, or keeps it if the pause is short. The task is not the cause, so nothing is
// counted.
func (w *worker) pauseProvider(ctx context.Context, a *assignment, t provider.Trouble) (result, error) {
	p, err := provider.PauseFor(w.clone.Repo.CommonDir(), w.provider.Name, t, time.Now())
	if err != nil {
		return failed(t.Text), err // without a recorded pause the provider would be started again at once
	}
	w.say("%s: the session on %s has ended: %s is paused, %s%s", w.id, a.subject(), w.provider.Name, p, w.loginHint(p))
	w.rush.pauses.put(p.Provider, p.String())
	if a.capacity == board.Does && !p.Until.IsZero() && time.Until(p.Until) <= maxPausedHold {
		w.presence.setDoing(paused, a.taskID(), w.provider.Name+": "+p.String())
		st := w.waitHolding(ctx, a, time.Until(p.Until))
		w.currentPause()
		if (st == held || st == handed) && ctx.Err() == nil {
			return goOn(), nil
		}
		return failed(t.Text), nil
	}
	if a.task == nil {
		return failed(t.Text), nil
	}
	return failed(t.Text), w.giveBack(ctx, a.taskID(), flow.ReleaseMove{})
}

// currentPause returns the pause of the supervisor's provider, nil if the provider may
// work. The rush says once when a pause begins and when it ends.
func (reg *registration) currentPause() *provider.Pause {
	p := provider.Paused(reg.clone.Repo.CommonDir(), reg.provider.Name, time.Now())
	switch {
	case p != nil && reg.rush.pauses.put(p.Provider, p.String()) != p.String():
		reg.ask("%s is paused, %s; %s", reg.provider.Name, p, reg.resumeCommand(*p))
	case p == nil && reg.rush.pauses.drop(reg.provider.Name) != "":
		reg.say("%s is tried again", reg.provider.Name)
	}
	return p
}

// waitPaused is the result of a look while the provider is paused. The supervisor
// counts as busy if the pause soon ends by itself.
func (s *supervisor) waitPaused(p provider.Pause, t lookResult) lookResult {
	t.doing, t.why = paused, s.provider.Name+": "+p.String()
	next := time.Now().Add(pauseInterval)
	if soon := time.Now().Add(s.rush.Limits.Patience); !p.Until.IsZero() && p.Until.Before(soon) {
		if p.Until.Before(next) {
			next = p.Until
		}
		t.lookBy(next)
	} else {
		t.wakeBy(next)
	}
	return t
}

// pauseStall says why and until when a pause of its provider keeps the supervisor from
// work; why is "" if there is no pause.
func (reg *registration) pauseStall() (why, hint string) {
	p := provider.Paused(reg.clone.Repo.CommonDir(), reg.provider.Name, time.Now())
	if p == nil {
		return "", ""
	}
	return fmt.Sprintf("%s is paused, %s", reg.provider.Name, p), reg.resumeCommand(*p)
}

// resumeCommand returns the command that lets the supervisor's provider work again. If
// the login is missing, the command to log in precedes it.
func (reg *registration) resumeCommand(p provider.Pause) string {
	command := "git liza providers resume " + reg.provider.Name
	if entry := reg.provider.LoginCommand(); p.Kind == provider.Login && entry != "" {
		command = entry + " && " + command
	}
	return command
}

// loginHint returns the command to log in, "" if the login is not missing.
func (reg *registration) loginHint(p provider.Pause) string {
	if p.Kind != provider.Login {
		return ""
	}
	return "; " + reg.resumeCommand(p)
}
