package flow

import "time"

// An Agent is a registered identity, the document agents/<NN>/<id>.yaml.
type Agent struct {
	ID         AgentID    `yaml:"id"`
	Role       Role       `yaml:"role"`
	Provider   string     `yaml:"provider"`
	Host       string     `yaml:"host"`
	Generation Generation `yaml:"generation"` // "" if registered by hand
	Registered time.Time  `yaml:"registered"`
	Task       TaskID     `yaml:"task"`   // the CLAIMED task that it holds
	Review     TaskID     `yaml:"review"` // the task whose review it holds
	Degraded   string     `yaml:"degraded"`
}

// A Principal is a human or machine account that may act as given agents.
type Principal struct {
	Name   string   `yaml:"name"`
	Kind   string   `yaml:"kind"` // human or machine
	Keys   []string `yaml:"keys"` // SSH public keys
	Users  []string `yaml:"users"`
	Agents []string `yaml:"agents"` // globs over agent ids
	Roles  []Role   `yaml:"roles"`
	Rights []string `yaml:"rights"` // admin, merge
}

// Principals is the document principals.yaml.
type Principals struct {
	List []Principal `yaml:"principals"`
}

// may reports whether the named principal has a right.
func (p *Principals) may(name, right string) bool {
	for _, one := range p.List {
		if one.Name == name && contains(one.Rights, right) {
			return true
		}
	}
	return false
}

// anybody reports whether some principal has a right.
func (p *Principals) anybody(right string) bool {
	for _, one := range p.List {
		if contains(one.Rights, right) {
			return true
		}
	}
	return false
}
