package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// A sign of life is what an agent's supervisor last said of it.
type sign struct {
	gitstore.Presence
	at time.Time // when it is looked at
}

// MarshalJSON writes the presence with its keys, and whether the agent is
// silent.
func (s sign) MarshalJSON() ([]byte, error) {
	o, _ := viewOf(s.Presence).(object)
	return append(o, member{"tokens", s.Usage.Tokens()}, member{"silent", s.Silent(s.at)}).MarshalJSON()
}

// roster is the agents with what they last said of themselves.
func (l look) roster(s *session, tasks []flow.Summary) ([]agentView, error) {
	list := roster(l.board, tasks, l.at)
	known, err := l.Store.Presences(s.ctx, l.board)
	for i := range list {
		if p, ok := known[list[i].ID]; ok {
			list[i].Presence = &sign{p, l.at}
		}
		if a := l.board.Agent(list[i].ID); a != nil {
			list[i].Dead = work.Deserted(l.Repo, a.Generation)
		}
	}
	return list, err
}

// live says what the agent does and when it was heard of.
func (v agentView) live() string {
	p := v.Presence
	if p == nil {
		return ""
	}
	what := p.Doing
	if p.Task != "" && p.Task != v.Task {
		what += " " + string(p.Task)
	}
	if p.Silent(p.at) {
		return fmt.Sprintf("silent for %s, was %s", ago(p.at, p.At), what)
	}
	what += " for " + ago(p.at, p.Since)
	if p.Note != "" && p.Note != v.Degraded {
		what += " (" + p.Note + ")"
	}
	return what + ", heard " + ago(p.at, p.At) + " ago"
}

// ago is how long ago something was; the clock of another host may be ahead.
func ago(now, then time.Time) string { return span(max(now.Sub(then), 0)) }

// more is who the agent is, where, and what it spends: what a glance leaves out.
func (v agentView) more() string {
	p := v.Presence
	if p == nil {
		return ""
	}
	var parts []string
	if n, cost := p.Usage.Tokens(), p.Usage.Cost; n != 0 || cost != 0 {
		parts = append(parts, fmt.Sprintf("%d tokens, %s dollars so far", n, cost))
	}
	who := p.Provider
	if p.Model != "" {
		who += ":" + p.Model
	}
	return strings.Join(append(parts, fmt.Sprintf("%s on %s, process %d", who, p.Host, p.PID)), ", ")
}
