package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// An Agent is a registered agent in the form that lists show.
type Agent struct {
	ID         board.AgentID `json:"id"`
	Role       board.Role    `json:"role"`
	State      string        `json:"state"`
	Task       board.TaskID  `json:"task"` // the task that it works on, reviews or waits for
	Lease      *time.Time    `json:"lease_expires"`
	Provider   string        `json:"provider"`
	Host       string        `json:"host"`
	Registered time.Time     `json:"registered"`
	Degraded   string        `json:"degraded"`
	Presence   *Heartbeat    `json:"presence"` // null if it has none
	Dead       int           `json:"dead"`     // process id of its supervisor if that died on this machine, else 0
}

// The states of agents, which nobody records: they follow from the board.
// The board alone does not distinguish STARTING from IDLE.
const (
	agentIdle      = "IDLE"
	agentWorking   = "WORKING"
	agentReviewing = "REVIEWING"
	agentWaiting   = "WAITING" // its work is under review
	agentHandoff   = "HANDOFF" // it handed its task off, and no agent has taken the task yet
	agentGone      = "GONE"    // the lease of what it holds has ended
)

// Agents returns the registered agents with what they do: those that plan, that
// do tasks, that judge, each role by number.
func (p *Picture) Agents() []Agent {
	if p.agents == nil {
		p.agents = agentsOf(p)
	}
	return p.agents
}

func agentsOf(p *Picture) []Agent {
	r := &p.reading
	submitted := map[board.Actor]board.TaskID{}
	for t := range p.rows.with(func(s board.Status) bool { return flow.Allows(s, board.ActReview) }) {
		if _, known := submitted[t.Coder]; !known {
			submitted[t.Coder] = t.ID
		}
	}
	list := []Agent{}
	for _, a := range board.All[*board.Agent](r.Board, board.Agents) {
		v := Agent{ID: a.ID, Role: a.Role, State: agentIdle, Provider: a.Provider, Host: a.Host, Registered: a.Registered, Degraded: a.Degraded,
			Dead: r.Local.Dead[a.ID]}
		switch {
		case a.Task != "":
			v.showClaim(r.Board.Task(a.Task), r.At)
		case a.Review != "":
			v.showReview(r.Board.Task(a.Review), r.At)
		case submitted[board.Actor(a.ID)] != "":
			v.State, v.Task = agentWaiting, submitted[board.Actor(a.ID)]
		}
		if said, ok := r.Local.Presences[a.ID]; ok {
			v.Presence = &Heartbeat{said, r.At}
		}
		list = append(list, v)
	}
	place := placesOfRoles(r.Board)
	slices.SortStableFunc(list, func(x, y Agent) int {
		return cmp.Or(cmp.Compare(place[x.Role], place[y.Role]), cmp.Compare(len(x.ID), len(y.ID)))
	})
	return list
}

// BusyFirst returns the agents that are dead, then those that have or name a task, then the
// others, each in the order of the list.
func BusyFirst(list []Agent) []Agent {
	place := func(a *Agent) int {
		switch {
		case a.Dead != 0:
			return 0
		case a.Task != "" || a.Presence != nil && a.Presence.Task != "":
			return 1
		}
		return 2
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y Agent) int { return place(&x) - place(&y) })
	return list
}

// placesOfRoles has the place of each role in the board's order, from 1.
func placesOfRoles(b *board.Board) map[board.Role]int {
	place := map[board.Role]int{}
	for i, row := range b.Roles() {
		place[row.Name] = i + 1
	}
	return place
}

// OlderPrograms returns the agents that work, by their presence or a lease, and
// did not say, when they registered, that their program knows a
// format.
func (r Reading) OlderPrograms(format int) []board.AgentID {
	var list []board.AgentID
	for _, v := range NewPicture(r).Agents() {
		beats := v.Presence != nil && !v.Presence.Silent(r.At)
		holds := v.Presence == nil && v.Lease != nil && v.Lease.After(r.At)
		if a := r.Board.Agent(v.ID); a.Format < format && v.Dead == 0 && (beats || holds) {
			list = append(list, v.ID)
		}
	}
	return list
}

// showClaim adds the claim of a task to the agent that holds it.
func (v *Agent) showClaim(t *board.Task, at time.Time) {
	if t == nil || t.Claim == nil {
		return
	}
	v.Task, v.Lease, v.State = t.ID, &t.Claim.Lease, agentWorking
	if h := t.Handoff; h != nil && h.By == board.Actor(v.ID) && h.At.Equal(t.Changed) {
		v.State = agentHandoff
	}
	if !t.Claim.Lease.After(at) {
		v.State = agentGone
	}
}

// showReview adds the review of a task to the agent that holds it.
func (v *Agent) showReview(t *board.Task, at time.Time) {
	if t == nil {
		return
	}
	_, held := t.HeldReview(board.Actor(v.ID))
	if held == nil {
		return
	}
	v.Task, v.Lease, v.State = t.ID, &held.Lease, agentReviewing
	if !held.Lease.After(at) {
		v.State = agentGone
	}
}

// AgentTable lists agents for people with all details.
func (r Reading) AgentTable(list []Agent) *Table {
	var rows Table
	for _, a := range list {
		row := a.row(r.At)
		if more := a.origin(); more != "" {
			row[len(row)-1] += ", " + more
		}
		rows.Add(row...)
	}
	return &rows
}

// row returns the agent for people: id, state, task, and what it does.
func (v Agent) row(at time.Time) []string {
	last := []string{}
	if v.Lease != nil {
		last = append(last, leaseText(*v.Lease, at))
	}
	last = slices.DeleteFunc(append(last, v.Trouble(), v.activity()), func(text string) bool { return text == "" })
	return []string{string(v.ID), v.State, string(v.Task), strings.Join(last, ", ")}
}

// A Heartbeat is the last presence that a supervisor wrote for its agent.
type Heartbeat struct {
	gitstore.Presence
	at time.Time // the time of the reading
}

// MarshalJSON writes the presence with its keys, and whether the agent is
// silent. A context of which nobody knows how full it is is null.
func (h Heartbeat) MarshalJSON() ([]byte, error) {
	o := ObjectOf(h.Presence)
	for i := range o {
		if o[i].Key == "context" && h.Context == 0 {
			o[i].Value = nil // it is unknown
		}
	}
	return o.With("tokens", h.Usage.Tokens()).With("silent", h.Silent(h.at)).MarshalJSON()
}
