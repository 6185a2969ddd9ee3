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
	"github.com/git-liza/git-liza/gitstore"
)

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

// boardOf makes a board of documents.
func boardOf(documents map[flow.Key]flow.Document) *flow.Board {
	edits := []flow.Edit{{Key: flow.Key{Folder: flow.SettingsDoc}, Document: &flow.Settings{Format: flow.NewestFormat, Goal: "goal-1",
		Control: flow.ControlState{State: flow.Running}, Config: flow.DefaultConfig()}}}
	for key, doc := range documents {
		edits = append(edits, flow.Edit{Key: key, Document: doc})
	}
	return flow.Open(flow.Documents{}.With(edits), noon)
}

// add adds documents by their ids.
func add(to map[flow.Key]flow.Document, documents ...flow.Document) {
	for _, doc := range documents {
		switch d := doc.(type) {
		case *flow.Settings:
			to[flow.Key{Folder: flow.SettingsDoc}] = d
		case *flow.Goal:
			to[flow.Key{Folder: flow.Goals, ID: string(d.ID)}] = d
		case *flow.Sprint:
			to[flow.Key{Folder: flow.Sprints, ID: string(d.ID)}] = d
		case *flow.Task:
			d.Goal = "goal-1"
			to[flow.Key{Folder: flow.Tasks, ID: string(d.ID)}] = d
		case *flow.Agent:
			to[flow.Key{Folder: flow.Agents, ID: string(d.ID)}] = d
		case *flow.Question:
			to[flow.Key{Folder: flow.Questions, ID: string(d.ID)}] = d
		}
	}
}

func ago(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }

// usual has a question, a submission, two claims, a draft and merged work.
func usual() view.Reading { return usualWith() }

// usualWith is the usual board where some documents are others.
func usualWith(others ...flow.Document) view.Reading {
	docs := map[flow.Key]flow.Document{}
	add(docs, &flow.Goal{ID: "goal-1", Title: "Limit requests", Status: flow.InProgress, Usage: flow.Usage{Sessions: 4, Cost: 1_200_000}},
		&flow.Sprint{ID: "sprint-3", Goal: "goal-1", Status: flow.InProgress, Deadline: noon.Add(2 * time.Hour)},
		&flow.Task{ID: "task-1", Title: "Parse the limits", Status: flow.Merged, Sprint: "sprint-3", Changed: ago(120)},
		&flow.Task{ID: "task-2", Title: "Refuse a negative limit", Status: flow.ReadyForReview, Sprint: "sprint-3", Changed: ago(3), Attempt: &flow.Attempt{Coder: "coder-1"},
			Coders: []flow.Worker{{By: "coder-1"}}, Submission: &flow.Submission{Commit: flow.ObjectID(strings.Repeat("3f2a1c0", 6)[:40])}},
		&flow.Task{ID: "task-3", Title: "Say it in the guide", Status: flow.Claimed, Sprint: "sprint-3", Changed: ago(4), Claim: &flow.Claim{By: "coder-1", Lease: noon.Add(time.Hour)}, Attempt: &flow.Attempt{Coder: "coder-1"}},
		&flow.Task{ID: "task-4", Title: "Show the limits", Status: flow.Blocked, Sprint: "sprint-3", Changed: ago(12), Block: &flow.Block{Reason: "question", Asked: []flow.RecordID{"sprint-3/1"}}},
		&flow.Task{ID: "task-5", Title: "Count requests", Status: flow.Claimed, Sprint: "sprint-3", Changed: ago(1), Claim: &flow.Claim{By: "coder-2", Lease: noon.Add(time.Hour)}, Attempt: &flow.Attempt{Coder: "coder-2"}},
		&flow.Task{ID: "task-6", Title: "Later", Status: flow.Draft, Changed: ago(9)},
		&flow.Question{ID: "sprint-3/1", Task: "task-4", From: "coder-2", Text: "Table or list?", Asked: ago(12)},
		&flow.Agent{ID: "coder-1", Role: flow.Coder, Task: "task-3", Provider: "claude"}, &flow.Agent{ID: "coder-2", Role: flow.Coder, Task: "task-5", Provider: "claude"},
		&flow.Agent{ID: "code-reviewer-1", Role: flow.CodeReviewer}, &flow.Agent{ID: "planner-1", Role: flow.Planner})
	add(docs, others...)
	r := view.Reading{Board: boardOf(docs), At: noon, Person: flow.Caller{By: "human:ann"}}
	r.Local.Presences = map[flow.AgentID]gitstore.Presence{
		"coder-1": {Agent: "coder-1", Doing: "coding", Task: "task-3", At: noon, Since: ago(4), Every: flow.Duration(30 * time.Second), Usage: flow.Usage{Input: 21_000, Cost: 310_000}, Context: 63},
		"coder-2": {Agent: "coder-2", Doing: "coding", Task: "task-5", At: noon, Since: ago(1), Every: flow.Duration(30 * time.Second)},
	}
	for i, act := range []flow.Act{flow.ActMerge, flow.ActSubmit, flow.ActClaim} {
		r.Recent = append(r.Recent, view.Entry{State: flow.ObjectID(fmt.Sprintf("%040d", i)), Move: flow.Move{Act: act, Task: flow.TaskID(fmt.Sprintf("task-%d", i+1)), By: "coder-1", At: ago(3 * (i + 1))}})
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
func fullDocuments() map[flow.Key]flow.Document {
	docs := map[flow.Key]flow.Document{}
	add(docs, &flow.Goal{ID: "goal-1", Title: "Everything", Status: flow.InProgress})
	states := []flow.Status{flow.Blocked, flow.Unclaimed, flow.Draft, flow.Merged, flow.ReadyForReview, flow.Approved}
	for i := range 3000 {
		task := &flow.Task{ID: flow.TaskID(fmt.Sprintf("task-%d", i+1)), Title: fmt.Sprintf("Do the thing with number %d", i+1), Status: states[i%len(states)], Changed: ago(3000 - i)}
		switch task.Status {
		case flow.Blocked:
			task.Block = &flow.Block{Reason: "it needs the thing"}
		case flow.ReadyForReview, flow.Approved:
			task.Attempt, task.Submission = &flow.Attempt{Coder: "coder-1"}, &flow.Submission{Commit: flow.ObjectID(fmt.Sprintf("%040d", i)),
				ReviewBy: []flow.Role{flow.CodeReviewer}}
		}
		add(docs, task)
	}
	for i := range 300 {
		add(docs, &flow.Agent{ID: flow.AgentID(fmt.Sprintf("coder-%d", i+1)), Role: flow.Coder})
	}
	return docs
}

func full() view.Reading {
	return view.Reading{Board: boardOf(fullDocuments()), At: noon, Person: flow.Caller{By: "human:ann"}}
}

func empty() view.Reading {
	docs := map[flow.Key]flow.Document{}
	add(docs, &flow.Goal{ID: "goal-1", Title: "Nothing yet", Status: flow.InProgress})
	return view.Reading{Board: boardOf(docs), At: noon, Person: flow.Caller{By: "human:ann"}}
}

func withTask(docs map[flow.Key]flow.Document, task *flow.Task) map[flow.Key]flow.Document {
	add(docs, task)
	return docs
}

// hostile is the usual board with one text wherever others write texts.
func hostile(text string) view.Reading {
	docs := map[flow.Key]flow.Document{}
	add(docs, &flow.Goal{ID: "goal-1", Title: text, Status: flow.InProgress},
		&flow.Task{ID: "task-1", Title: text, Status: flow.Blocked, Changed: ago(5), Block: &flow.Block{Reason: text}},
		&flow.Task{ID: "task-2", Title: text, Status: flow.Claimed, Changed: ago(4), Claim: &flow.Claim{By: "coder-1", Lease: noon.Add(-time.Hour)}, Attempt: &flow.Attempt{Coder: "coder-1"}},
		&flow.Agent{ID: "coder-1", Role: flow.Coder, Task: "task-2", Degraded: text, Provider: text})
	r := view.Reading{Board: boardOf(docs), At: noon, Person: flow.Caller{By: "human:ann"}}
	r.Local.Presences = map[flow.AgentID]gitstore.Presence{"coder-1": {Agent: "coder-1", Doing: text, Task: "task-2", At: noon, Since: ago(4), Every: flow.Duration(time.Minute), Note: text}}
	r.Local.Needs = []view.Need{{Kind: "role", Subject: text, Text: text, Command: text}}
	r.Recent = []view.Entry{{State: "1", Unknown: text, Move: flow.Move{By: "coder-1", At: noon}}, {State: "2", Move: flow.Move{Act: flow.ActPause, By: "human:ann", At: noon, Detail: &flow.PauseMove{Reason: text}}}}
	return r
}
