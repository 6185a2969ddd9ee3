package flow

import "strconv"

// The names of the limits, as they stand in a task's block.
const (
	LimitIterations = "iteration_limit"
	LimitCycles     = "review_deadlock"
	LimitMergeFails = "integration_failures"
	LimitNoVerdicts = "review_exhaustion"
)

// exceed blocks the subject in the same move that reached a limit, with one
// standard question.
func (p *play) exceed(limit, question string) {
	t := p.task
	coder := p.lastCoder()
	p.unclaim()
	t.Status = Blocked
	t.Block = &Block{Reason: limit, Limit: limit, Questions: []string{question}, By: p.move.By, At: p.move.At}
	if limit == LimitIterations || limit == LimitCycles {
		p.failed(coder, limit)
	}
}

// failed counts a coder's failure; when that exhausts the hypothesis the
// anomaly is recorded in the same move.
func (p *play) failed(coder Actor, reason string) {
	t := p.task
	if coder == "" || len(t.Failures) >= MaxList {
		return
	}
	t.Failures = append(t.Failures[:len(t.Failures):len(t.Failures)], Failure{Coder: coder, Reason: reason, At: p.move.At})
	if !t.exhausted(p.limits()) {
		return
	}
	p.record(Anomalies, func(id RecordID) Document {
		return &Anomaly{ID: id, Type: HypothesisExhaustion, Task: t.ID, By: p.move.By, At: p.move.At,
			Details: map[string]string{"failures": strconv.Itoa(len(t.Failures)), "last_reason": Clean(clip(reason))}}
	})
}

// lastCoder is who holds the task or last worked on it.
func (p *play) lastCoder() Actor {
	if p.task.Claim != nil {
		return p.task.Claim.By
	}
	if p.task.Attempt != nil {
		return p.task.Attempt.Coder
	}
	return ""
}

// unclaim drops claim and review, whoever has them.
func (p *play) unclaim() {
	t := p.task
	if t.Claim != nil {
		p.free(t.Claim.By)
		t.Claim = nil
	}
	if t.Review != nil {
		p.freeReview(t.Review.By)
		t.Review = nil
	}
}

func (p *play) freeReview(by Actor) { p.agent(by, func(a *Agent) { a.Review = "" }) }

// record writes a small document under the open sprint's, or the next one's,
// folder with the next number.
func (p *play) record(folder Folder, make func(RecordID) Document) {
	s := p.Settings()
	id := RecordID(string(p.sprint()) + "/" + strconv.Itoa(s.Next.Record))
	p.put(Key{folder, string(id)}, make(id))
	p.change(func(s *Settings) { s.Next.Record++ })
}

// sprint is the open sprint, else the one that will be opened next.
func (b *Board) sprint() SprintID {
	s := b.Settings()
	if s.Sprint != "" {
		return s.Sprint
	}
	return SprintID("sprint-" + strconv.Itoa(s.Next.Sprint))
}
