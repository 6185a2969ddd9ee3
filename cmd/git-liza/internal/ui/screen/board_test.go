package screen

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

// boardOf makes a board of documents.
func boardOf(documents map[board.Key]board.Document) *board.Board {
	edits := []board.Edit{{Key: board.Key{Folder: board.SettingsDoc}, Document: &board.Settings{Format: board.NewestFormat, Goal: "goal-1",
		Control: board.ControlState{State: board.Running}, Config: board.DefaultConfig()}}}
	for key, doc := range documents {
		edits = append(edits, board.Edit{Key: key, Document: doc})
	}
	return board.Open(board.Documents{}.With(edits), noon)
}

// add adds documents by their ids.
func add(to map[board.Key]board.Document, documents ...board.Document) {
	for _, doc := range documents {
		switch d := doc.(type) {
		case *board.Settings:
			to[board.Key{Folder: board.SettingsDoc}] = d
		case *board.Goal:
			to[board.Key{Folder: board.Goals, ID: string(d.ID)}] = d
		case *board.Sprint:
			to[board.Key{Folder: board.Sprints, ID: string(d.ID)}] = d
		case *board.Task:
			d.Goal = "goal-1"
			to[board.Key{Folder: board.Tasks, ID: string(d.ID)}] = d
		case *board.Agent:
			to[board.Key{Folder: board.Agents, ID: string(d.ID)}] = d
		case *board.Question:
			to[board.Key{Folder: board.Questions, ID: string(d.ID)}] = d
		}
	}
}

func ago(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }

// usual has a question, a submission, two claims, a draft and merged work.
func usual() view.Reading { return usualWith() }

// usualWith is the usual board where some documents are others.
func usualWith(others ...board.Document) view.Reading {
	docs := map[board.Key]board.Document{}
	add(docs, &board.Goal{ID: "goal-1", Title: "Limit requests", Status: board.InProgress, Usage: board.Usage{Sessions: 4, Cost: 1_200_000}},
		&board.Sprint{ID: "sprint-3", Goal: "goal-1", Status: board.InProgress, Deadline: noon.Add(2 * time.Hour)},
		&board.Task{ID: "task-1", Title: "Parse the limits", Status: board.Merged, Sprint: "sprint-3", Changed: ago(120)},
		&board.Task{ID: "task-2", Title: "Refuse a negative limit", Status: board.ReadyForReview, Sprint: "sprint-3", Changed: ago(3), Attempt: &board.Attempt{Coder: "coder-1"},
			Coders: []board.Worker{{By: "coder-1"}}, Submission: &board.Submission{Commit: board.ObjectID(strings.Repeat("3f2a1c0", 6)[:40])}},
		&board.Task{ID: "task-3", Title: "Say it in the guide", Status: board.Claimed, Sprint: "sprint-3", Changed: ago(4), Claim: &board.Claim{By: "coder-1", Lease: noon.Add(time.Hour)}, Attempt: &board.Attempt{Coder: "coder-1"}},
		&board.Task{ID: "task-4", Title: "Show the limits", Status: board.Blocked, Sprint: "sprint-3", Changed: ago(12), Block: &board.Block{Reason: "question", Asked: []board.RecordID{"sprint-3/1"}}},
		&board.Task{ID: "task-5", Title: "Count requests", Status: board.Claimed, Sprint: "sprint-3", Changed: ago(1), Claim: &board.Claim{By: "coder-2", Lease: noon.Add(time.Hour)}, Attempt: &board.Attempt{Coder: "coder-2"}},
		&board.Task{ID: "task-6", Title: "Later", Status: board.Draft, Changed: ago(9)},
		&board.Question{ID: "sprint-3/1", Task: "task-4", From: "coder-2", Text: "Table or list?", Asked: ago(12)},
		&board.Agent{ID: "coder-1", Role: board.Coder, Task: "task-3", Provider: "claude"}, &board.Agent{ID: "coder-2", Role: board.Coder, Task: "task-5", Provider: "claude"},
		&board.Agent{ID: "code-reviewer-1", Role: board.CodeReviewer}, &board.Agent{ID: "planner-1", Role: board.Planner})
	add(docs, others...)
	r := view.Reading{Board: boardOf(docs), At: noon, Person: flow.Caller{By: "human:ann"}}
	r.Local.Presences = map[board.AgentID]gitstore.Presence{
		"coder-1": {Agent: "coder-1", Doing: "coding", Task: "task-3", At: noon, Since: ago(4), Every: board.Duration(30 * time.Second), Usage: board.Usage{Input: 21_000, Cost: 310_000}, Context: 63},
		"coder-2": {Agent: "coder-2", Doing: "coding", Task: "task-5", At: noon, Since: ago(1), Every: board.Duration(30 * time.Second)},
	}
	for i, act := range []board.Act{board.ActMerge, board.ActSubmit, board.ActClaim} {
		r.Recent = append(r.Recent, view.Entry{State: board.ObjectID(fmt.Sprintf("%040d", i)), Move: flow.Move{Act: act, Task: board.TaskID(fmt.Sprintf("task-%d", i+1)), By: "coder-1", At: ago(3 * (i + 1))}})
	}
	return r
}

// A made command is what a screen ran.
type made struct {
	input string
	args  []string
	lent  Lent
}

// A stage is a model without a terminal, and what it did.
type stage struct {
	t *testing.T
	*model
	made    []made
	answers []string // of the commands that are run, in their order
	quits   bool
}

func newStage(t *testing.T, r view.Reading, width, height int) *stage {
	t.Helper()
	s := &stage{t: t}
	s.model = newModel(t.Context(), &Screen{Now: func() time.Time { return r.At },
		Explain: func(err error) (string, string) { return err.Error(), "git liza fsck --repair" },
		Make: func(_ context.Context, input string, args ...string) (string, bool) {
			s.made = append(s.made, made{input: input, args: args})
			if len(s.answers) == 0 {
				return "done", true
			}
			answer := s.answers[0]
			s.answers = s.answers[1:]
			return answer, true
		},
		Note: func(*view.Picture, []view.Alarm, error) {},
		Lend: func(c Lent) { s.made = append(s.made, made{lent: c}) }})
	s.exec = func(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
		return func() tea.Msg { return done(c.Run()) }
	}
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	s.show(r)
	return s
}

// show shows a reading, as it is or with an error.
func (s *stage) show(r view.Reading) { s.send(s.frameOf(view.NewPicture(r), nil)) }

func (s *stage) frameOf(p *view.Picture, err error) *frame {
	f, _ := (&framer{Screen: s.Screen}).next(p, nil, err)
	return f
}

// send gives the model a message, and what comes of it.
func (s *stage) send(msg tea.Msg) {
	s.t.Helper()
	_, cmd := s.Update(msg)
	for range 5 {
		if cmd == nil {
			return
		}
		switch next := cmd().(type) {
		case tea.QuitMsg:
			s.quits = true
			return
		case answered, found:
			_, cmd = s.Update(next)
		default:
			require.Fail(s.t, "unexpected message", "%T", next)
		}
	}
}

// typed presses keys: runes, or names between angle brackets.
func (s *stage) typed(keys ...string) {
	s.t.Helper()
	for _, name := range keys {
		codes := map[string]rune{"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "down": tea.KeyDown, "up": tea.KeyUp, "left": tea.KeyLeft, "right": tea.KeyRight, "backspace": tea.KeyBackspace}
		if code, ok := codes[name]; ok {
			s.send(tea.KeyPressMsg{Code: code})
			continue
		}
		for _, r := range name {
			s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// screen returns what is on the screen, without styles and without blanks at the ends of
// lines. Every line is as wide as the terminal.
func (s *stage) screen() string {
	s.t.Helper()
	lines := strings.Split(s.View().Content, "\n")
	require.Len(s.t, lines, s.height)
	for i, line := range lines {
		require.LessOrEqual(s.t, ansi.StringWidth(line), s.width, line)
		lines[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func needOf(text, command string) view.Need {
	return view.Need{Kind: "role", Subject: command, Text: text, Command: command}
}

// fullDocuments are a large board: 3,000 tasks, of which most are blocked, and 300 agents.
func fullDocuments() map[board.Key]board.Document {
	docs := map[board.Key]board.Document{}
	add(docs, &board.Goal{ID: "goal-1", Title: "Everything", Status: board.InProgress})
	states := []board.Status{board.Blocked, board.Unclaimed, board.Draft, board.Merged, board.ReadyForReview, board.Approved}
	for i := range 3000 {
		task := &board.Task{ID: board.TaskID(fmt.Sprintf("task-%d", i+1)), Title: fmt.Sprintf("Do the thing with number %d", i+1), Status: states[i%len(states)], Changed: ago(3000 - i)}
		switch task.Status {
		case board.Blocked:
			task.Block = &board.Block{Reason: "it needs the thing"}
		case board.ReadyForReview, board.Approved:
			task.Attempt, task.Submission = &board.Attempt{Coder: "coder-1"}, &board.Submission{Commit: board.ObjectID(fmt.Sprintf("%040d", i)),
				ReviewBy: []board.Role{board.CodeReviewer}}
		}
		add(docs, task)
	}
	for i := range 300 {
		add(docs, &board.Agent{ID: board.AgentID(fmt.Sprintf("coder-%d", i+1)), Role: board.Coder})
	}
	return docs
}

func full() view.Reading {
	return view.Reading{Board: boardOf(fullDocuments()), At: noon, Person: flow.Caller{By: "human:ann"}}
}

func empty() view.Reading {
	docs := map[board.Key]board.Document{}
	add(docs, &board.Goal{ID: "goal-1", Title: "Nothing yet", Status: board.InProgress})
	return view.Reading{Board: boardOf(docs), At: noon, Person: flow.Caller{By: "human:ann"}}
}

func withTask(docs map[board.Key]board.Document, task *board.Task) map[board.Key]board.Document {
	add(docs, task)
	return docs
}

// hostile is the usual board with one text wherever others write texts.
func hostile(text string) view.Reading {
	docs := map[board.Key]board.Document{}
	add(docs, &board.Goal{ID: "goal-1", Title: text, Status: board.InProgress},
		&board.Task{ID: "task-1", Title: text, Status: board.Blocked, Changed: ago(5), Block: &board.Block{Reason: text}},
		&board.Task{ID: "task-2", Title: text, Status: board.Claimed, Changed: ago(4), Claim: &board.Claim{By: "coder-1", Lease: noon.Add(-time.Hour)}, Attempt: &board.Attempt{Coder: "coder-1"}},
		&board.Agent{ID: "coder-1", Role: board.Coder, Task: "task-2", Degraded: text, Provider: text})
	r := view.Reading{Board: boardOf(docs), At: noon, Person: flow.Caller{By: "human:ann"}}
	r.Local.Presences = map[board.AgentID]gitstore.Presence{"coder-1": {Agent: "coder-1", Doing: text, Task: "task-2", At: noon, Since: ago(4), Every: board.Duration(time.Minute), Note: text}}
	r.Local.Needs = []view.Need{{Kind: "role", Subject: text, Text: text, Command: text}}
	r.Recent = []view.Entry{{State: "1", Unknown: text, Move: flow.Move{By: "coder-1", At: noon}}, {State: "2", Move: flow.Move{Act: board.ActPause, By: "human:ann", At: noon, Detail: &flow.PauseMove{Reason: text}}}}
	return r
}
