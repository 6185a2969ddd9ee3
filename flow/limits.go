package flow

import "strconv"

// The names of the limits, as the block of a task has them.
const (
	LimitIterations = "iteration_limit"
	LimitCycles     = "review_deadlock"
	LimitMergeFails = "integration_failures"
	LimitNoVerdicts = "review_exhaustion"
)

// sprint is the open sprint, or the one that will be opened next.
func (b *Board) sprint() SprintID {
	s := b.Settings()
	if s.Sprint != "" {
		return s.Sprint
	}
	return SprintID("sprint-" + strconv.Itoa(s.Next.Sprint))
}
