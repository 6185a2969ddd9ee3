package view

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// large is the number of live tasks of the boards that are measured.
const large = 10_000

// A shelf is a source of a large board that costs little itself: it keeps summaries as a
// store does.
type shelf struct {
	flow.Documents
	short []*flow.Summary
	ids   map[flow.Folder][]string
}

func (s shelf) Summaries() ([]*flow.Summary, error) { return s.short, nil }

func (s shelf) InWork() (list []*flow.Summary, err error) {
	for _, t := range s.short {
		if t.IsInWork() {
			list = append(list, t)
		}
	}
	return list, nil
}

func (s shelf) List(f flow.Folder) ([]string, error) { return s.ids[f], nil }

// newShelf has tasks in every stage of work, each hundredth of them in work or under
// review, and agents that beat.
func newShelf(b *testing.B) (shelf, Local) {
	f := &follower{Rand: rand.New(rand.NewPCG(1, 1)), at: noon, now: noon}
	edits := []flow.Edit{f.text()}
	settings := &flow.Settings{Format: flow.NewestFormat, Board: "b", Goal: "goal-1", Config: flow.DefaultConfig(), Control: flow.ControlState{State: flow.Running}, Next: flow.Counters{Goal: 2, Sprint: 2}}
	goal := &flow.Goal{ID: "goal-1", Title: "G", Status: flow.InProgress, Sprint: "sprint-1", Added: large, Created: noon, Priority: 3}
	edits = append(edits, flow.Edit{Key: flow.Key{Folder: flow.SettingsDoc}, Document: settings}, flow.Edit{Key: flow.Key{Folder: flow.Goals, ID: "goal-1"}, Document: goal},
		flow.Edit{Key: flow.Key{Folder: flow.Sprints, ID: "sprint-1"}, Document: &flow.Sprint{ID: "sprint-1", Goal: "goal-1", Status: flow.InProgress, Started: noon}})
	local := Local{Presences: map[flow.AgentID]gitstore.Presence{}}
	s := shelf{}
	for n := range large {
		t := largeTask(n)
		edits = append(edits, flow.Edit{Key: flow.Key{Folder: flow.Tasks, ID: string(t.ID)}, Document: t})
		short := t.Summary()
		s.short = append(s.short, &short)
		if t.Claim != nil {
			id := flow.AgentID(t.Claim.By)
			edits = append(edits, flow.Edit{Key: flow.Key{Folder: flow.Agents, ID: string(id)}, Document: &flow.Agent{ID: id, Role: flow.Coder, Task: t.ID, Registered: noon, Generation: "0123456789abcdef"}})
			local.Presences[id] = gitstore.Presence{Agent: id, At: noon, Every: flow.Duration(time.Minute), Doing: "coding"}
		}
	}
	s.Documents = s.Documents.With(edits)
	s.ids = map[flow.Folder][]string{}
	for f := flow.SettingsDoc; f <= flow.MarkDocs; f++ {
		s.ids[f], _ = s.Documents.List(f)
	}
	require.NoError(b, flow.Open(s, noon).Err())
	return s, local
}

func largeTask(n int) *flow.Task {
	t := &flow.Task{ID: flow.TaskID(fmt.Sprint("task-", n)), Title: fmt.Sprint("Do part ", n, " of the work"), Kind: flow.Code, Goal: "goal-1", Sprint: "sprint-1", Spec: "spec.md",
		Status: flow.Unclaimed, Priority: 3, Created: noon.Add(time.Duration(n) * time.Second), Changed: noon}
	if n > 0 && n%3 == 0 {
		t.DependsOn = []flow.TaskID{flow.TaskID(fmt.Sprint("task-", n-1))}
	}
	switch {
	case n%100 == 1:
		t.Status, t.Attempt = flow.Claimed, &flow.Attempt{Number: 1, Coder: flow.Actor(fmt.Sprint("coder-", n))}
		t.Claim = &flow.Claim{By: t.Attempt.Coder, Since: noon, Lease: noon.Add(time.Hour)}
	case n%200 == 2:
		t.Status, t.Attempt = flow.ReadyForReview, &flow.Attempt{Number: 1, Coder: "coder-1"}
		t.Submission = &flow.Submission{Number: 1, ReviewBy: []flow.Role{flow.CodeReviewer}}
	case n%500 == 4:
		t.Status, t.Block = flow.Blocked, &flow.Block{Reason: "stuck", At: noon}
	case n%4 == 0:
		t.Status, t.Merge = flow.Merged, &flow.Merge{At: noon}
	}
	return t
}

// BenchmarkPicture measures what a move costs on a large board: a picture made anew, one
// that advances, and each answer of that. `go test ./cmd/git-liza/internal/view -run - -bench Picture`.
func BenchmarkPicture(b *testing.B) {
	s, local := newShelf(b)
	reading := Reading{Board: flow.Open(s, noon), At: noon, Person: flow.Caller{By: "human:ann"}, Local: local}
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			r := reading
			r.Board = flow.Open(s, noon)
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
		key := flow.Key{Folder: flow.Tasks, ID: string(t.ID)}
		board := flow.Open(changed{s, key, &t}, t.Changed)
		p.Advance(board, "", gitstore.Delta{From: "a", To: "b", Keys: []flow.Key{key}}, noon)
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
	key flow.Key
	doc flow.Document
}

func (c changed) Load(k flow.Key) (flow.Document, error) {
	if k == c.key {
		return c.doc, nil
	}
	return c.shelf.Load(k)
}
