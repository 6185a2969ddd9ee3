package view

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// wholeBoard is the document that `git liza board show` prints, as a program with
// a strict reader would declare it.
type wholeBoard struct {
	Head       stateHead          `yaml:",inline"`
	Goals      []*board.Goal      `yaml:"goals"`
	Sprints    []*board.Sprint    `yaml:"sprints"`
	Tasks      []*board.Task      `yaml:"tasks"`
	Archive    []*board.Task      `yaml:"archive"`
	Agents     []*board.Agent     `yaml:"agents"`
	Anomalies  []*board.Anomaly   `yaml:"anomalies"`
	Discovered []*board.Discovery `yaml:"discovered"`
	Notes      []*board.Note      `yaml:"notes"`
}

// The pieces make one document that reads back as what is on the board,
// whatever texts stand in it.
func TestStateIsOneDocument(t *testing.T) {
	t.Parallel()
	texts := []string{"plain", "- not: a list", "first\n\n  second\n\nthird", "tabs\tand\n\ttabs", "---\n...\n- x", "# no comment\nat: all", "漢字\u00a0\nnext", "x: |\n  y"}
	var edits []board.Edit
	put := func(folder board.Folder, id string, doc board.Document) {
		edits = append(edits, board.Edit{Key: board.Key{Folder: folder, ID: id}, Document: doc})
	}
	settings := &board.Settings{Format: board.NewestFormat, Board: "b", Goal: "goal-1", Integration: board.Branch{Name: "integration"},
		Control: board.ControlState{State: board.Running, Reason: texts[2]}, Config: board.DefaultConfig()}
	want := wholeBoard{Head: stateHead{State: "0123456789012345678901234567890123456789", At: noon, Settings: settings,
		Principals: &board.Principals{List: []board.Principal{{Name: "ann", Kind: "human"}}}, Breaker: &board.Breaker{Report: texts[2]}}}
	for i, text := range texts {
		id := string(rune('a' + i))
		task := &board.Task{ID: board.TaskID(id), Title: text, Status: board.Rejected, Kind: board.Code, Scope: text, Owns: texts[:i+1], Created: noon,
			Judgements: []board.Judgement{{Role: board.CodeReviewer, Rejection: &board.Rejection{Blockers: []board.Finding{{Issue: text}}, Overall: text}}}}
		want.Tasks = append(want.Tasks, task)
		put(board.Tasks, id, task)
		old := &board.Task{ID: board.TaskID("old-" + id), Title: text, Status: board.Abandoned, Kind: board.Docs, Abandoned: text}
		want.Archive = append(want.Archive, old)
		put(board.Archive, "old-"+id, old)
	}
	goal, note := &board.Goal{ID: "goal-1", Title: texts[2], Status: board.InProgress}, &board.Note{ID: "sprint-1/1", For: "all", Text: texts[2]}
	anomaly := &board.Anomaly{ID: "sprint-1/2", Type: board.SpecGap, Details: map[string]string{"q": texts[2]}}
	want.Goals, want.Notes, want.Anomalies = []*board.Goal{goal}, []*board.Note{note}, []*board.Anomaly{anomaly}
	put(board.Goals, "goal-1", goal)
	put(board.Notes, "sprint-1/1", note)
	put(board.Anomalies, "sprint-1/2", anomaly)

	var out bytes.Buffer
	put(board.SettingsDoc, "", settings)
	put(board.PrincipalsDoc, "", want.Head.Principals)
	put(board.BreakerDoc, "", want.Head.Breaker)
	reading := Reading{Board: board.Open(board.Documents{}.With(edits), noon), Tip: want.Head.State}
	require.NoError(t, reading.WriteState(&out))
	doc, err := document.Parse("state.yaml", out.Bytes(), 1<<20)
	require.NoError(t, err, out.String())
	got := wholeBoard{Head: stateHead{Settings: new(board.Settings), Principals: new(board.Principals)}}
	require.NoError(t, doc.Decode(&got), out.String())
	require.Equal(t, want, got)
}
