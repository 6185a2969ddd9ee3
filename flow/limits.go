package flow

// The names of the limits, as the block of a task has them.
const (
	LimitIterations = "iteration_limit"
	LimitCycles     = "review_deadlock"
	LimitMergeFails = "integration_failures"
	LimitNoVerdicts = "review_exhaustion"
	LimitRetries    = "retries"
)
