package view

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/document"
)

// wholeBoard is the document that `git liza board show` prints, as a program with
// a strict reader would declare it.
type wholeBoard struct {
	Head       stateHead         `yaml:",inline"`
	Goals      []*flow.Goal      `yaml:"goals"`
	Sprints    []*flow.Sprint    `yaml:"sprints"`
	Tasks      []*flow.Task      `yaml:"tasks"`
	Archive    []*flow.Task      `yaml:"archive"`
	Agents     []*flow.Agent     `yaml:"agents"`
	Anomalies  []*flow.Anomaly   `yaml:"anomalies"`
	Discovered []*flow.Discovery `yaml:"discovered"`
	Notes      []*flow.Note      `yaml:"notes"`
}

// The pieces make one document that reads back as what is on the board,
// whatever texts stand in it.
func TestStateIsOneDocument(t *testing.T) {
	t.Parallel()
	texts := []string{"plain", "- not: a list", "first\n\n  second\n\nthird", "tabs\tand\n\ttabs", "---\n...\n- x", "# no comment\nat: all", "漢字\u00a0\nnext", "x: |\n  y"}
	var edits []flow.Edit
	put := func(folder flow.Folder, id string, doc flow.Document) {
		edits = append(edits, flow.Edit{Key: flow.Key{Folder: folder, ID: id}, Document: doc})
	}
	settings := &flow.Settings{Format: flow.NewestFormat, Board: "b", Goal: "goal-1", Integration: flow.Branch{Name: "integration"},
		Control: flow.ControlState{State: flow.Running, Reason: texts[2]}, Config: flow.DefaultConfig()}
	want := wholeBoard{Head: stateHead{State: "0123456789012345678901234567890123456789", At: noon, Settings: settings,
		Principals: &flow.Principals{List: []flow.Principal{{Name: "ann", Kind: "human"}}}, Breaker: &flow.Breaker{Report: texts[2]}}}
	for i, text := range texts {
		id := string(rune('a' + i))
		task := &flow.Task{ID: flow.TaskID(id), Title: text, Status: flow.Rejected, Kind: flow.Code, Scope: text, Owns: texts[:i+1], Created: noon,
			Judgements: []flow.Judgement{{Role: flow.CodeReviewer, Rejection: &flow.Rejection{Blockers: []flow.Finding{{Issue: text}}, Overall: text}}}}
		want.Tasks = append(want.Tasks, task)
		put(flow.Tasks, id, task)
		old := &flow.Task{ID: flow.TaskID("old-" + id), Title: text, Status: flow.Abandoned, Kind: flow.Docs, Abandoned: text}
		want.Archive = append(want.Archive, old)
		put(flow.Archive, "old-"+id, old)
	}
	goal, note := &flow.Goal{ID: "goal-1", Title: texts[2], Status: flow.InProgress}, &flow.Note{ID: "sprint-1/1", For: "all", Text: texts[2]}
	anomaly := &flow.Anomaly{ID: "sprint-1/2", Type: flow.SpecGap, Details: map[string]string{"q": texts[2]}}
	want.Goals, want.Notes, want.Anomalies = []*flow.Goal{goal}, []*flow.Note{note}, []*flow.Anomaly{anomaly}
	put(flow.Goals, "goal-1", goal)
	put(flow.Notes, "sprint-1/1", note)
	put(flow.Anomalies, "sprint-1/2", anomaly)

	var out bytes.Buffer
	put(flow.SettingsDoc, "", settings)
	put(flow.PrincipalsDoc, "", want.Head.Principals)
	put(flow.BreakerDoc, "", want.Head.Breaker)
	reading := Reading{Board: flow.Open(flow.Documents{}.With(edits), noon), Tip: want.Head.State}
	require.NoError(t, reading.WriteState(&out))
	doc, err := document.Parse("state.yaml", out.Bytes(), 1<<20)
	require.NoError(t, err, out.String())
	got := wholeBoard{Head: stateHead{Settings: new(flow.Settings), Principals: new(flow.Principals)}}
	require.NoError(t, doc.Decode(&got), out.String())
	require.Equal(t, want, got)
}
