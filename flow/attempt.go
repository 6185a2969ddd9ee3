package flow

// Replaces reports whether a claim of the task by the actor ends an earlier
// attempt whose work must be saved first: one of another coder, or one that was
// not kept.
func (b *Board) Replaces(id TaskID, by Actor) bool {
	t := b.Task(id)
	if t == nil {
		return false
	}
	p := &play{board: b, task: t, from: t.Status, move: &Move{By: by}}
	same, _ := p.resumes()
	return !same && t.Attempt != nil
}
