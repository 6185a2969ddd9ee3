package flow

import (
	"cmp"
	"reflect"
	"slices"
)

// A Schedule says in which order the tasks of a goal may be begun.
type Schedule struct {
	Barrier Barrier  `yaml:"barrier"` // zero is that of the configuration
	Levels  []string `yaml:"levels"`  // names of the levels, that of level 1 first
}

// A Barrier says what holds back tasks beside what they depend on.
type Barrier uint8

// The barriers.
const (
	NoBarrier    Barrier = iota + 1 // nothing does
	LevelBarrier                    // a level begins when the levels below have passed
)

var barrierNames = names{"barrier", "none", "level"}

// String is the barrier's name, that of [NoBarrier] for the zero value.
func (b Barrier) String() string { return barrierNames.name(uint8(cmp.Or(b, NoBarrier))) }

// MarshalText writes the name; the zero value is an error.
func (b Barrier) MarshalText() ([]byte, error) { return barrierNames.marshal(uint8(b)) }

// UnmarshalText accepts exactly the names of [Barrier.String].
func (b *Barrier) UnmarshalText(text []byte) error { return unmarshalName(b, text, barrierNames) }

// BarrierOf is the barrier of a goal: its own, else that of the configuration.
func BarrierOf(b *Board, goal GoalID) Barrier {
	if g := b.Goal(goal); g != nil && g.Schedule != nil && g.Schedule.Barrier != 0 {
		return g.Schedule.Barrier
	}
	if own := b.Settings().Config.Schedule.Barrier; own != 0 {
		return own
	}
	return NoBarrier
}

// check refuses names of levels that cannot be told apart.
func (s *Schedule) check(*play) *Refusal {
	for i, name := range s.Levels {
		if name == "" || len(name) > maxLabel || slices.Contains(s.Levels[:i], name) {
			return refuse(RuleForm, "git liza help goal schedule", "the name %q of level %d is empty, long, or that of another level", clip(name), i+1)
		}
	}
	return nil
}

// ScheduleMove schedules a goal anew.
type ScheduleMove struct {
	Schedule Schedule `yaml:"schedule"`
}

func (s *ScheduleMove) subject() string { return "goal" }

func (s *ScheduleMove) check(p *play) *Refusal { return s.Schedule.check(p) }

func (s *ScheduleMove) already(p *play) bool {
	g := p.board.Goal(p.goalID())
	return g != nil && g.Schedule != nil && reflect.DeepEqual(*g.Schedule, s.Schedule)
}

func (s *ScheduleMove) apply(p *effect) {
	to := s.Schedule
	editGoal(p, func(g *Goal) { g.Schedule = &to })
}
