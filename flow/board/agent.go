package board

import (
	"time"
)

// Work is the task that an agent holds, or reviews; "" if it does neither.
func (a *Agent) Work() TaskID {
	switch {
	case a == nil:
		return ""
	case a.Task != "":
		return a.Task
	}
	return a.Review
}

// An Agent is a registered identity, the document agents/<NN>/<id>.yaml.
type Agent struct {
	ID         AgentID    `yaml:"id"`
	Role       Role       `yaml:"role"`
	Principal  string     `yaml:"principal"` // the account that registered it; no other acts as it
	Provider   string     `yaml:"provider"`
	Host       string     `yaml:"host"`
	Generation Generation `yaml:"generation"` // "" if registered by hand
	Registered time.Time  `yaml:"registered"`
	Task       TaskID     `yaml:"task"`   // the CLAIMED task that it holds
	Review     TaskID     `yaml:"review"` // the task whose review it holds
	Degraded   string     `yaml:"degraded"`
	Format     int        `yaml:"format"` // the newest that its program knows; 0 if it did not say
}
