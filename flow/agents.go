package flow

import (
	"cmp"

	"github.com/git-liza/git-liza/flow/board"
)

// RegisterMove enters an agent, or fences an earlier registration of its id.
type RegisterMove struct {
	Agent      board.AgentID    `yaml:"agent"`
	Provider   string           `yaml:"provider"`
	Host       string           `yaml:"host"`
	Generation board.Generation `yaml:"new_generation"` // "" registers by hand
	Takeover   bool             `yaml:"takeover"`
	Format     int              `yaml:"format"` // the newest that the program knows
}

func (r *RegisterMove) subject() string { return string(r.Agent) }

func (r *RegisterMove) check(p *play) *Refusal {
	hint := "git liza agents"
	m := p.move
	if r.Agent.Role() == "" || r.Generation.Spawned() {
		return refuse(RuleForm, hint, "%q is not an agent that can be registered", board.Clip(string(r.Agent)))
	}
	if p.board.Role(r.Agent.Role()) == nil {
		return refuse(RuleNotFound, "git liza role list", "the board has no role %s, which %s names", r.Agent.Role(), r.Agent)
	}
	if by := m.By.Agent(); by != "" && by != r.Agent {
		return refuse(RuleRole, hint, "%s does not register %s", by, r.Agent)
	}
	if r.Format < 0 {
		return refuse(RuleForm, hint, "there is no format %d", r.Format)
	}
	known := p.board.Principals()
	if who := known.Find(m.Principal); len(known.List) > 0 && !who.MayAct(board.Actor(r.Agent)) {
		return refuse(RulePrincipal, "git liza principal list", "%s does not act as %s", m.Principal, r.Agent)
	}
	old := p.board.Agent(r.Agent)
	if old == nil {
		return nil
	}
	held, lease := heldBy(p, old)
	if held != "" && !r.Takeover {
		return refuse(RuleHeld, "git liza agents add "+string(r.Agent)+" --takeover", "%s holds %s until %s", r.Agent, held, lease)
	}
	if t := p.board.Task(old.Task); t != nil {
		return checkCoders(t, r.worker(p))
	}
	return nil
}

func (r *RegisterMove) worker(p *play) board.Worker {
	return board.Worker{By: board.Actor(r.Agent), Principal: p.move.Principal}
}

func (r *RegisterMove) already(p *play) bool {
	a := p.board.Agent(r.Agent)
	return a != nil && a.Generation != "" && a.Generation == r.Generation && a.Degraded == ""
}

func (r *RegisterMove) apply(p *effect) {
	a := board.Agent{ID: r.Agent, Role: r.Agent.Role(), Principal: p.move.Principal, Provider: r.Provider, Host: r.Host, Generation: r.Generation, Registered: p.move.At, Format: r.Format}
	if old := p.board.Agent(r.Agent); old != nil {
		a.Task, a.Review = old.Task, old.Review
		r.inherit(p, old.Task)
	}
	p.put(board.Key{Folder: board.Agents, ID: string(a.ID)}, &a)
}

// inherit transfers the claim of the earlier registration to the principal of
// this one, which then counts among the coders.
func (r *RegisterMove) inherit(p *effect, id board.TaskID) {
	t := p.board.Task(id)
	if t == nil || t.Claim == nil || t.Claim.Principal == p.move.Principal {
		return
	}
	t = t.Clone()
	t.Claim.Principal = p.move.Principal
	t.AddCoder(r.worker(p.play))
	p.keep(t)
}

// UnregisterMove removes an agent that holds nothing.
type UnregisterMove struct {
	Agent board.AgentID `yaml:"agent"`
}

func (u *UnregisterMove) subject() string { return string(u.Agent) }

func (u *UnregisterMove) already(p *play) bool { return p.board.Agent(u.Agent) == nil }

func (u *UnregisterMove) check(p *play) *Refusal {
	a, r := ownAgent(p, u.Agent, "unregister")
	if r != nil {
		return r
	}
	held := cmp.Or(a.Task, a.Review)
	if held != "" {
		return refuse(RuleHeld, releaseHint(p, a, held), "%s holds %s", u.Agent, held)
	}
	return nil
}

func (u *UnregisterMove) apply(p *effect) {
	p.put(board.Key{Folder: board.Agents, ID: string(u.Agent)}, nil)
	giveQuestionsBack(p, board.Actor(u.Agent))
}

// DegradeMove takes an agent out of work until it is registered anew.
type DegradeMove struct {
	Agent  board.AgentID `yaml:"agent"`
	Reason string        `yaml:"reason"`
}

func (d *DegradeMove) subject() string { return string(d.Agent) }

func (d *DegradeMove) check(p *play) *Refusal {
	if _, r := ownAgent(p, d.Agent, "degrade"); r != nil {
		return r
	}
	return present("the reason", d.Reason, "git liza agents rest "+string(d.Agent)+" --reason R")
}

func (d *DegradeMove) already(p *play) bool {
	a := p.board.Agent(d.Agent)
	return a != nil && a.Degraded != "" && a.Degraded == d.Reason
}

func (d *DegradeMove) apply(p *effect) {
	editAgent(p, board.Actor(d.Agent), func(a *board.Agent) { a.Degraded = d.Reason })
}
