package flow

import "time"

// DismissMove takes one open blocker of a rejection back.
type DismissMove struct {
	Role    Role   `yaml:"role"`
	Blocker int    `yaml:"blocker"` // from 1
	Issue   string `yaml:"issue"`   // of that blocker, so that a lost race dismisses no other
	Reason  string `yaml:"reason"`
}

// A Dismissed is a blocker that a person took back.
type Dismissed struct {
	Finding Finding   `yaml:"finding"`
	Reason  string    `yaml:"reason"`
	By      Actor     `yaml:"by"`
	At      time.Time `yaml:"at"`
}

func (d *DismissMove) check(*play) *Refusal { return unbuilt() }

func (d *DismissMove) apply(*effect) {}
