package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// An agentView is a registered agent as lists show it.
type agentView struct {
	ID         flow.AgentID `json:"id"`
	Role       flow.Role    `json:"role"`
	State      string       `json:"state"`
	Task       flow.TaskID  `json:"task"` // that it works on, reviews or waits for
	Lease      *time.Time   `json:"lease_expires"`
	Provider   string       `json:"provider"`
	Host       string       `json:"host"`
	Registered time.Time    `json:"registered"`
	Degraded   string       `json:"degraded"`
	Presence   *sign        `json:"presence"` // null where it said nothing
	Dead       int          `json:"dead"`     // process of its supervisor if that died on this machine, else 0
}

// The states of agents, which nobody records: they follow from the board.
// STARTING cannot be told from IDLE by the board alone.
const (
	agentIdle      = "IDLE"
	agentWorking   = "WORKING"
	agentReviewing = "REVIEWING"
	agentWaiting   = "WAITING" // its work is under review
	agentHandoff   = "HANDOFF" // it left word for whoever continues, nobody has continued
	agentGone      = "GONE"    // what it holds has outlived its lease
)

func agentID(role flow.Role, n int) flow.AgentID {
	return flow.AgentID(role.String() + "-" + strconv.Itoa(n))
}

// roster lists the registered agents with what they do at a time. tasks are
// the board's.
func roster(b *flow.Board, tasks []flow.Summary, at time.Time) []agentView {
	submitted := map[flow.Actor]flow.TaskID{}
	for _, t := range tasks {
		if _, known := submitted[t.Coder]; !known && t.Status == flow.ReadyForReview {
			submitted[t.Coder] = t.ID
		}
	}
	list := []agentView{}
	for _, id := range b.IDs(flow.Agents) {
		a := b.Agent(flow.AgentID(id))
		if a == nil {
			continue
		}
		v := agentView{ID: a.ID, Role: a.Role, State: agentIdle, Provider: a.Provider, Host: a.Host, Registered: a.Registered, Degraded: a.Degraded}
		switch {
		case a.Task != "":
			v.hold(b.Task(a.Task), at)
		case a.Review != "":
			v.judge(b.Task(a.Review), at)
		case submitted[flow.Actor(a.ID)] != "":
			v.State, v.Task = agentWaiting, submitted[flow.Actor(a.ID)]
		}
		list = append(list, v)
	}
	slices.SortStableFunc(list, func(x, y agentView) int {
		return cmp.Or(cmp.Compare(x.Role, y.Role), cmp.Compare(len(x.ID), len(y.ID)))
	})
	return list
}

// hold says of an agent that it holds a claim.
func (v *agentView) hold(t *flow.Task, at time.Time) {
	if t == nil || t.Claim == nil {
		return
	}
	v.Task, v.Lease, v.State = t.ID, &t.Claim.Lease, agentWorking
	if h := t.Handoff; h != nil && h.By == flow.Actor(v.ID) && h.At.Equal(t.Changed) {
		v.State = agentHandoff
	}
	if !t.Claim.Lease.After(at) {
		v.State = agentGone
	}
}

// judge says of an agent that it holds a review.
func (v *agentView) judge(t *flow.Task, at time.Time) {
	if t == nil || t.Review == nil {
		return
	}
	v.Task, v.Lease, v.State = t.ID, &t.Review.Lease, agentReviewing
	if !t.Review.Lease.After(at) {
		v.State = agentGone
	}
}

// row is the agent for people.
func (v agentView) row(at time.Time) []string {
	last := []string{}
	if v.Lease != nil {
		last = append(last, lease(*v.Lease, at))
	}
	if v.Degraded != "" {
		last = append(last, "degraded: "+v.Degraded)
	}
	if v.Dead != 0 {
		last = append(last, fmt.Sprintf("process %d of its supervisor is dead", v.Dead))
	}
	if text := v.live(); text != "" {
		last = append(last, text)
	}
	return []string{string(v.ID), v.State, string(v.Task), strings.Join(last, ", ")}
}

type agentsCommand struct{}

func (c *agentsCommand) Run(s *session) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	list, err := l.roster(s, l.board.Tasks())
	if err != nil {
		return err
	}
	var rows table
	for _, a := range list {
		row := a.row(l.at)
		if more := a.more(); more != "" {
			row[len(row)-1] += ", " + more
		}
		rows.add(row...)
	}
	if len(list) == 0 {
		s.progress("no agent is registered; one is by its first move, or by git liza register coder-1")
	}
	rows.wrap(s.width())
	return s.answer("", map[string]any{"agents": list}, rows.text(0))
}
