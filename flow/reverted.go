package flow

import (
	"slices"
	"time"
)

// Reverted says by what a merged task was taken back.
type Reverted struct {
	By     Actor     `yaml:"by"`
	Task   TaskID    `yaml:"task"` // "" of an adoption
	Commit ObjectID  `yaml:"commit"`
	At     time.Time `yaml:"at"`
}

// checkReverts are the demands on tasks that take work back, or were taken back,
// and on what questions leave of the state of their task.
func checkReverts(b *Board, t *Task) []demand {
	unknown := func(id TaskID) bool { return b.Task(id) == nil }
	return []demand{
		{t.Reverted != nil && t.Status != Merged, "was reverted without being MERGED"},
		{slices.ContainsFunc(t.Reverts, unknown), "reverts a task that does not exist"},
		{t.Block != nil && t.Block.From != 0 && (t.Block.Limit != "" || len(t.Block.Asked) == 0), "waits for answers without questions"},
		{t.Block != nil && t.Block.From != 0 && !in(Unclaimed, Rejected, IntegrationFailed).has(t.Block.From), "returns to a state that no work is taken from"},
	}
}
