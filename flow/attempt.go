package flow

// Attempt says what a claim of the task by the actor would do with the work
// that is there: fresh begins at the integration tip, and replaces means that
// another coder's attempt, or one that was not kept, ends with the claim and
// must be saved first.
func (b *Board) Attempt(id TaskID, by Actor) (fresh, replaces bool) {
	t := b.Task(id)
	if t == nil {
		return true, false
	}
	p := &play{Board: b, task: t, from: t.Status, move: &Move{By: by}}
	same, carries := p.resumes()
	return !same && !carries, !same && t.Attempt != nil
}
