package board

import (
	"time"
)

// A Retry says that claims of a task ended without a submission, a question or a handoff,
// and when agents may claim it again.
type Retry struct {
	Count     int       `yaml:"count"` // since the task was last submitted or unblocked
	NotBefore time.Time `yaml:"not_before"`
	Error     string    `yaml:"error"` // of the last one
}

// A RetryPolicy says how often work is tried and how long agents wait in between.
type RetryPolicy struct {
	Attempts int      `yaml:"attempts,keep"` // claims; when so many have failed the task is BLOCKED; 0 is never
	Strategy Strategy `yaml:"strategy"`
	Base     Duration `yaml:"base"`
	Max      Duration `yaml:"max"`
}

// A Strategy says how waits grow with the number of failures. The zero value is none.
type Strategy uint8

// The strategies of waits.
const (
	Exponential Strategy = iota + 1 // each is twice as long as the one before
	Linear                          // each is longer by the first
	Fixed                           // all are equal
)

var strategyNames = names{"strategy of waits", "exponential", "linear", "fixed"}

// String is the strategy's name.
func (s Strategy) String() string { return strategyNames.name(uint8(s)) }

// MarshalText writes the name; the zero value is an error.
func (s Strategy) MarshalText() ([]byte, error) { return strategyNames.marshal(uint8(s)) }

// UnmarshalText accepts exactly the names of [Strategy.String].
func (s *Strategy) UnmarshalText(text []byte) error { return unmarshalName(s, text, strategyNames) }

// Wait is how long agents wait after so many failures.
func (r RetryPolicy) Wait(failures int) time.Duration {
	wait := time.Duration(r.Base)
	switch r.Strategy {
	case Exponential:
		for range min(failures, 64) - 1 {
			if wait *= 2; wait >= time.Duration(r.Max) {
				break
			}
		}
	case Linear:
		wait *= time.Duration(min(failures, 1<<20))
	}
	return min(wait, time.Duration(r.Max))
}

// Outages are the gates that could not run, the document outages.yaml. It is there while
// it lists any.
type Outages struct {
	List []Outage `yaml:"outages"`
}

// An Outage says that a gate could not run on a host: its program is missing, or the
// disk is full. That blames no task.
type Outage struct {
	Gate  string    `yaml:"gate"`
	Host  string    `yaml:"host"`
	Error string    `yaml:"error"`
	By    Actor     `yaml:"by"`
	At    time.Time `yaml:"at"`
}

// OutagesOf are the gates that could not run and have not run since, the oldest first.
func OutagesOf(b *Board) []Outage {
	if doc, ok := b.Load(Key{Folder: OutagesDoc}).(*Outages); ok {
		return doc.List
	}
	return nil
}
