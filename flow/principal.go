package flow

import (
	"path"
	"slices"
	"strings"
)

// A Principal is a human or machine account that may act as given agents.
type Principal struct {
	Name   string   `yaml:"name"`
	Kind   string   `yaml:"kind"`   // human or machine
	Keys   []string `yaml:"keys"`   // SSH public keys: type and base64, without a comment
	Users  []string `yaml:"users"`  // names by which a server knows it
	Agents []string `yaml:"agents"` // globs over agent ids, and with human: before them over humans
	Roles  []Role   `yaml:"roles"`  // of the agents, all if empty
	Rights []string `yaml:"rights"` // admin, merge
}

// MayAct reports whether the principal may make moves by the actor: an agent
// of one of its roles that one of its globs over agents matches, if it has
// such globs; without roles, of any role as long as it has globs at all. As a
// human only a principal of that kind acts, where a glob that begins with
// human: matches the whole actor.
func (p *Principal) MayAct(by Actor) bool {
	agents, humans := p.globs()
	if by.IsHuman() {
		return p.Kind == "human" && matchesOne(humans, string(by))
	}
	role := by.Role()
	if role == 0 || len(p.Roles) == 0 && len(p.Agents) == 0 || len(p.Roles) > 0 && !slices.Contains(p.Roles, role) {
		return false
	}
	return len(agents) == 0 || matchesOne(agents, string(by))
}

// globs are the patterns over agents and those over humans.
func (p *Principal) globs() (agents, humans []string) {
	for _, glob := range p.Agents {
		if strings.HasPrefix(glob, "human:") {
			humans = append(humans, glob)
			continue
		}
		agents = append(agents, glob)
	}
	return agents, humans
}

func matchesOne(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := path.Match(glob, name)
		return ok && err == nil
	})
}

// Principals is the document principals.yaml.
type Principals struct {
	List []Principal `yaml:"principals"`
}

// Find is the principal of that name, nil if there is none.
func (p *Principals) Find(name string) *Principal {
	return p.first(func(one *Principal) bool { return one.Name == name })
}

// User is the principal that a server knows by that name, nil if there is
// none; nobody is known by "".
func (p *Principals) User(user string) *Principal {
	return p.first(func(one *Principal) bool { return user != "" && slices.Contains(one.Users, user) })
}

func (p *Principals) first(is func(*Principal) bool) *Principal {
	for i := range p.List {
		if is(&p.List[i]) {
			return &p.List[i]
		}
	}
	return nil
}

// May reports whether the named principal has a right.
func (p *Principals) May(name, right string) bool {
	one := p.Find(name)
	return one != nil && slices.Contains(one.Rights, right)
}

// anybody reports whether some principal has a right.
func (p *Principals) anybody(right string) bool {
	return p.first(func(one *Principal) bool { return slices.Contains(one.Rights, right) }) != nil
}

// principal refuses, on a board that has principals, what none of them may
// do. On one that has none a move may name anybody and nothing follows from
// it: a clone is told its principal before the first is entered.
func (p *play) principal() *Refusal {
	m, known := p.move, p.Principals()
	if len(known.List) == 0 {
		return nil
	}
	who := known.Find(m.Principal)
	switch {
	case m.Principal == "":
		return refuse(RulePrincipal, "git config liza.principal NAME", "the board has principals, and %s by %s names none", m.Act, m.By)
	case who == nil:
		return refuse(RulePrincipal, "git liza principal list", "there is no principal %s", clip(m.Principal))
	case !who.MayAct(m.By):
		return refuse(RulePrincipal, "git liza principal list", "%s does not act as %s", who.Name, m.By)
	}
	return nil
}
