package view

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// large is the number of live tasks of the boards that are measured.
const large = 10_000

// A shelf is a source of a large board that costs little itself: it keeps summaries as a
// store does.
type shelf struct {
	board.Documents
	short []*board.Summary
	ids   map[board.Folder][]string
}

func (s shelf) Summaries() ([]*board.Summary, error) { return s.short, nil }

func (s shelf) InWork() (list []*board.Summary, err error) {
	for _, t := range s.short {
		if t.IsInWork() {
			list = append(list, t)
		}
	}
	return list, nil
}

func (s shelf) List(f board.Folder) ([]string, error) { return s.ids[f], nil }

// newShelf has tasks in every stage of work, each hundredth of them in work or under
// review, and agents that beat.
func newShelf(b *testing.B) (shelf, Local) {
	f := &follower{Rand: rand.New(rand.NewPCG(1, 1)), at: noon, now: noon}
	edits := []board.Edit{f.text()}
	settings := &board.Settings{Format: board.NewestFormat, Board: "b", Goal: "goal-1", Config: board.DefaultConfig(), Control: board.ControlState{State: board.Running}, Next: board.Counters{Goal: 2, Sprint: 2}}
	goal := &board.Goal{ID: "goal-1", Title: "G", Status: board.InProgress, Sprint: "sprint-1", Added: large, Created: noon, Priority: 3}
	edits = append(edits, board.Edit{Key: board.Key{Folder: board.SettingsDoc}, Document: settings}, board.Edit{Key: board.Key{Folder: board.Goals, ID: "goal-1"}, Document: goal},
		board.Edit{Key: board.Key{Folder: board.Sprints, ID: "sprint-1"}, Document: &board.Sprint{ID: "sprint-1", Goal: "goal-1", Status: board.InProgress, Started: noon}})
	local := Local{Presences: map[board.AgentID]gitstore.Presence{}}
	s := shelf{}
	for n := range large {
		t := largeTask(n)
		edits = append(edits, board.Edit{Key: board.Key{Folder: board.Tasks, ID: string(t.ID)}, Document: t})
		short := t.Summary()
		s.short = append(s.short, &short)
		if t.Claim != nil {
			id := board.AgentID(t.Claim.By)
			edits = append(edits, board.Edit{Key: board.Key{Folder: board.Agents, ID: string(id)}, Document: &board.Agent{ID: id, Role: board.Coder, Task: t.ID, Registered: noon, Generation: "0123456789abcdef"}})
			local.Presences[id] = gitstore.Presence{Agent: id, At: noon, Every: board.Duration(time.Minute), Doing: "coding"}
		}
	}
	s.Documents = s.Documents.With(edits)
	s.ids = map[board.Folder][]string{}
	for f := board.SettingsDoc; f <= board.MarkDocs; f++ {
		s.ids[f], _ = s.Documents.List(f)
	}
	require.NoError(b, board.Open(s, noon).Err())
	return s, local
}

func largeTask(n int) *board.Task {
	t := &board.Task{ID: board.TaskID(fmt.Sprint("task-", n)), Title: fmt.Sprint("Do part ", n, " of the work"), Kind: board.Code, Goal: "goal-1", Sprint: "sprint-1", Spec: "spec.md",
		Status: board.Unclaimed, Priority: 3, Created: noon.Add(time.Duration(n) * time.Second), Changed: noon}
	if n > 0 && n%3 == 0 {
		t.DependsOn = []board.TaskID{board.TaskID(fmt.Sprint("task-", n-1))}
	}
	switch {
	case n%100 == 1:
		t.Status, t.Attempt = board.Claimed, &board.Attempt{Number: 1, Coder: board.Actor(fmt.Sprint("coder-", n))}
		t.Claim = &board.Claim{By: t.Attempt.Coder, Since: noon, Lease: noon.Add(time.Hour)}
	case n%200 == 2:
		t.Status, t.Attempt = board.ReadyForReview, &board.Attempt{Number: 1, Coder: "coder-1"}
		t.Submission = &board.Submission{Number: 1, ReviewBy: []board.Role{board.CodeReviewer}}
	case n%500 == 4:
		t.Status, t.Block = board.Blocked, &board.Block{Reason: "stuck", At: noon}
	case n%4 == 0:
		t.Status, t.Merge = board.Merged, &board.Merge{At: noon}
	}
	return t
}

// BenchmarkPicture measures what a move costs on a large board: a picture made anew, one
// that advances, and each answer of that. `go test ./cmd/git-liza/internal/view -run - -bench Picture`.
func BenchmarkPicture(b *testing.B) {
	s, local := newShelf(b)
	reading := Reading{Board: board.Open(s, noon), At: noon, Person: flow.Caller{By: "human:ann"}, Local: local}
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			r := reading
			r.Board = board.Open(s, noon)
			NewPicture(r).Flow()
		}
	})
	p := NewPicture(reading)
	p.Flow()
	moves := 0
	advance := func() {
		moves++
		t := *largeTask(moves * 7 % large)
		t.Changed = noon.Add(time.Duration(moves) * time.Millisecond)
		key := board.Key{Folder: board.Tasks, ID: string(t.ID)}
		now := board.Open(changed{s, key, &t}, t.Changed)
		p.Advance(now, "", gitstore.Delta{From: "a", To: "b", Keys: []board.Key{key}}, noon)
	}
	b.Run("advance", func(b *testing.B) {
		for b.Loop() {
			advance()
		}
	})
	for _, view := range []struct {
		name string
		ask  func()
	}{
		{"flow", func() { p.Flow() }}, {"inbox", func() { p.Inbox() }}, {"agents", func() { p.Agents() }}, {"alarms", func() { p.Alarms() }},
		{"status", func() { p.Status() }}, {"due", func() { p.Due() }}, {"local", func() { p.SetLocal(local) }},
	} {
		b.Run("advance+"+view.name, func(b *testing.B) {
			for b.Loop() {
				advance()
				view.ask()
			}
		})
	}
}

// changed is a source with one document changed.
type changed struct {
	shelf
	key board.Key
	doc board.Document
}

func (c changed) Load(k board.Key) (board.Document, error) {
	if k == c.key {
		return c.doc, nil
	}
	return c.shelf.Load(k)
}
