package screen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// submitted is the full id of the submission of the usual board.
var submitted = strings.Repeat("3f2a1c0", 6)[:40]

func shown(commit string) string {
	return fmt.Sprintf(`{"ok":true,"data":{"id":"task-2","review_commit":%q}}`, commit)
}

// choose moves to a row of a part that has a text.
func (s *stage) choose(p part, text string) {
	s.t.Helper()
	for i := range s.content.size(p) {
		if strings.Contains(s.content.row(p, i).text, text) {
			s.focus = p
			s.chosen[p].set(s.content, p, i)
			return
		}
	}
	require.FailNow(s.t, "no row", "%s in part %d", text, p)
}

// Every key runs the command that a person would type, about the row that is chosen.
func TestKeysRunCommands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		part    part
		row     string
		keys    []string
		answers []string
		want    []made
	}{
		{needs, "task-4", []string{"a"}, nil, []made{{lent: Lent{Line: "git liza answer task-4", Shows: true}}}},
		{needs, "task-4", []string{"enter"}, nil, []made{{lent: Lent{Args: []string{"show", "task-4"}, Shows: true}}}},
		{needs, "task-4", []string{"z"}, nil, []made{{args: []string{"inbox", "--snooze", "question:task-4"}}}},
		{agents, "coding task-3", []string{"z"}, nil, nil},
		{columns, "task-2", []string{"a"}, nil, []made{{lent: Lent{Line: "git liza review task-2", Shows: true}}}},
		{columns, "task-2", []string{"d"}, []string{shown(submitted)}, []made{{args: []string{"show", "task-2", "--json"}}, {lent: Lent{Args: []string{"show", "task-2", "--patch"}, Shows: true}}}},
		{columns, "task-2", []string{"y", "y"}, []string{shown(submitted), "task-2 approved"}, []made{{args: []string{"show", "task-2", "--json"}}, {args: []string{"approve", "task-2", "--commit", submitted}}}},
		{columns, "task-2", []string{"y", "n"}, []string{shown(submitted)}, []made{{args: []string{"show", "task-2", "--json"}}}},
		{columns, "task-2", []string{"x"}, []string{shown(submitted)}, []made{{args: []string{"show", "task-2", "--json"}}, {lent: Lent{Args: []string{"reject", "task-2", "--commit", submitted, "-e"}}}}},
		{columns, "task-6", []string{"y"}, []string{shown("")}, []made{{args: []string{"show", "task-6", "--json"}}}},
		{columns, "task-6", []string{"a"}, nil, nil},
		{columns, "task-3", []string{"n", "use a table", "enter"}, nil, []made{{input: "use a table", args: []string{"note", "-", "--for", "task-3"}}}},
		{columns, "task-3", []string{"n", "enter"}, nil, nil},
		{columns, "task-3", []string{"n", "x", "esc"}, nil, nil},
		{agents, "task-3", []string{"n", "hurry", "enter"}, nil, []made{{input: "hurry", args: []string{"agents", "tell", "coder-1", "-"}}}},
		{moves, "pause", []string{"n", "to all", "enter"}, nil, []made{{input: "to all", args: []string{"note", "-", "--for", "all"}}}},
		{needs, "task-4", []string{"p", "lunch", "enter"}, nil, []made{{input: "lunch", args: []string{"pause", "--reason", "-"}}}},
		{needs, "task-4", []string{"p", "lunches", "backspace", "backspace", "enter"}, nil, []made{{input: "lunch", args: []string{"pause", "--reason", "-"}}}},
		{needs, "task-4", []string{"p", "enter"}, nil, []made{{args: []string{"pause"}}}},
		{needs, "task-4", []string{"r", "enter"}, nil, []made{{args: []string{"resume"}}}},
		{needs, "task-4", []string{"c", "look", "enter"}, nil, []made{{input: "look", args: []string{"checkpoint", "--reason", "-"}}}},
		{columns, "task-3", []string{"l", "y"}, nil, []made{{args: []string{"release", "task-3"}}}},
		{columns, "task-3", []string{"l", "enter"}, nil, nil},
		{columns, "task-3", []string{"s", "y"}, nil, []made{{args: []string{"agents", "stop", "coder-1"}}}},
		{agents, "task-3", []string{"S", "y"}, nil, []made{{args: []string{"agents", "restart", "coder-1"}}}},
		{columns, "task-6", []string{"s"}, nil, nil},
	} {
		r := usual()
		r.Recent[2].Move.Act, r.Recent[2].Move.Task, r.Recent[2].Move.By = board.ActPause, "", "human:ann"
		s := newStage(t, r, 80, 24)
		s.answers = test.answers
		s.choose(test.part, test.row)
		s.typed(test.keys...)
		require.Equal(t, test.want, s.made, "%s %v", test.row, test.keys)
		if len(test.want) == 0 {
			require.NotEmpty(t, s.screen(), test.keys)
		}
	}
}

// What asks first says what it is about, also where the terminal is narrow.
func TestQuestions(t *testing.T) {
	t.Parallel()
	s := newStage(t, usual(), 40, 15)
	s.choose(columns, "task-3")
	s.typed("l")
	require.Contains(t, s.screen(), "release task-3 of coder-1? (y/n)")
	s.typed("n")
	require.Contains(t, s.screen(), "not done")
	require.Empty(t, s.made)
	s.choose(columns, "task-2")
	s.answers = []string{shown(submitted), "git-liza: no\nrule: quorum\nhint: git liza show task-2"}
	s.typed("y")
	require.Contains(t, s.screen(), "(y/n)")
	require.Contains(t, s.screen(), "approve task-2 at 3f2a1c03f2")
	s.typed("y")
	require.Contains(t, s.screen(), "git-liza: no rule: quorum hint: git liza")
	s.typed("p", strings.Repeat("why ", 30))
	require.Contains(t, s.screen(), "why why")
	require.Less(t, s.View().Cursor.X, 40)
	s.send(tea.PasteMsg{Content: "and\nmore\x1b[2J a\u200d\ufe0f"})
	s.typed("enter")
	require.Equal(t, "pause", s.made[len(s.made)-1].args[0])
	require.Equal(t, strings.Repeat("why ", 30)+"and more[2J a", s.made[len(s.made)-1].input)
}

// A verdict is about the submission that was shown: the one of the last diff, whatever came
// after it.
func TestVerdictNamesWhatWasShown(t *testing.T) {
	t.Parallel()
	newer := strings.Repeat("b", 40)
	s := newStage(t, usual(), 80, 24)
	s.choose(columns, "task-2")
	s.answers = []string{shown(submitted)}
	s.typed("y")
	require.Contains(t, s.screen(), "approve task-2 at 3f2a1c03f2, whose diff you did not look at? (y/n)")
	s.typed("n")
	s.answers = []string{shown(submitted)}
	s.typed("d")
	s.answers = []string{shown(newer), "refused"}
	s.typed("y")
	require.Contains(t, s.screen(), "approve task-2 at 3f2a1c03f2, which has a successor? (y/n)")
	s.typed("y")
	require.Equal(t, []string{"approve", "task-2", "--commit", submitted}, s.made[len(s.made)-1].args)

	s.answers = []string{shown(submitted)}
	s.typed("d")
	s.answers = []string{shown(newer)}
	s.typed("x")
	require.Equal(t, []string{"reject", "task-2", "--commit", submitted, "-e"}, s.made[len(s.made)-1].lent.Args)
}

// A question that comes after another key is not asked: what is typed meanwhile would
// answer it.
func TestQuestionThatComesLate(t *testing.T) {
	t.Parallel()
	s := newStage(t, usual(), 80, 24)
	s.choose(columns, "task-2")
	s.answers = []string{shown(submitted)}
	_, late := s.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
	s.typed("n", "wh")
	s.send(late())
	s.typed("y", "enter")
	require.Equal(t, made{input: "why", args: []string{"note", "-", "--for", "task-2"}}, s.made[len(s.made)-1])
	for _, one := range s.made {
		require.NotContains(t, one.args, "approve")
	}

	s.answers = []string{shown(submitted)}
	_, late = s.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
	s.typed("down")
	s.send(late())
	require.Contains(t, s.screen(), "not done: another key was pressed")
}

// A key that was meant for a row that went a moment ago does nothing to the next one, nor
// does a release that was asked for of another holder.
func TestKeysAfterAChange(t *testing.T) {
	t.Parallel()
	before := usual()
	before.Local.Take = "git merge integration"
	s := newStage(t, before, 80, 24)
	s.choose(needs, "task-4")
	answered := usualWith(&board.Task{ID: "task-4", Title: "Show the limits", Status: board.Claimed, Sprint: "sprint-3", Changed: ago(1), Claim: &board.Claim{By: "coder-3", Lease: noon.Add(time.Hour)}, Attempt: &board.Attempt{Coder: "coder-3"}},
		&board.Question{ID: "sprint-3/1", Task: "task-4", From: "coder-2", Text: "Table or list?", Asked: ago(12), Answer: "list", By: "human:bob", At: ago(1)})
	answered.Local.Take = before.Local.Take
	s.show(answered)
	r, ok := s.row()
	require.True(t, ok)
	require.NotEqual(t, board.TaskID("task-4"), r.task)
	s.typed("a")
	require.Empty(t, s.made)
	require.Contains(t, s.screen(), "not done: the chosen row has gone")
	s.typed("up", "a")
	require.Len(t, s.made, 1)

	s = newStage(t, usual(), 80, 24)
	s.choose(columns, "task-3")
	s.typed("l")
	require.Contains(t, s.screen(), "release task-3 of coder-1? (y/n)")
	s.show(usualWith(&board.Agent{ID: "coder-1", Role: board.Coder}, &board.Agent{ID: "coder-2", Role: board.Coder, Task: "task-3"}))
	s.typed("y")
	require.Empty(t, s.made)
	require.Contains(t, s.screen(), "not done: the holder of task-3 has changed meanwhile")
}

// A command with a word that stands for something is completed by the person.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"git liza answer task-4": false, "git liza board breaker reset --resolution R": true, "git liza task supersede A --by FILE --reason R": true,
		"git liza artifact accept 'My FILE'": false, "git liza artifact accept 'A FILE B' R": true, "git config liza.coder.provider NAME": true,
		"claude /login && git liza providers resume claude": false,
	} {
		require.Equal(t, want, hasPlaceholder(command), command)
	}
	r := usual()
	r.Local.Take = "git merge INTEGRATION"
	s := newStage(t, r, 80, 24)
	s.choose(needs, "your branch lacks")
	s.typed("a")
	require.Contains(t, s.screen(), "run: git merge INTEGRATION")
	s.typed(strings.Repeat("backspace ", 11))
	require.Empty(t, s.made)
}

func TestFilterOnTheScreen(t *testing.T) {
	t.Parallel()
	for _, size := range sizes {
		s := newStage(t, usual(), size[0], size[1])
		s.typed("/", "agent:coder-2", "enter")
		golden(t, fmt.Sprintf("filter-%dx%d", size[0], size[1]), s.screen())
		s.typed("/", " stat:x", "enter")
		require.Contains(t, s.screen(), `no key "stat"`)
		require.Equal(t, "agent:coder-2", s.words)
		s.typed("esc")
		require.Contains(t, s.screen(), "Needs you 2")
	}
}

// Arrows go through rows and columns, tab through the parts that have rows.
func TestMoving(t *testing.T) {
	t.Parallel()
	s := newStage(t, usual(), 80, 24)
	s.typed("right")
	require.Equal(t, columns, s.focus)
	at := func() string { r, _ := s.row(); return string(r.task) }
	require.Equal(t, "task-3", at()) // from the draft to the first in work
	s.typed("down")
	require.Equal(t, "task-5", at())
	s.typed("right", "right")
	require.Equal(t, "task-4", at())
	s.typed("left", "left", "left", "left", "left")
	require.Equal(t, "task-6", at())
	s.typed("G")
	require.Equal(t, "task-1", at())
	s.typed("tab")
	require.Equal(t, moves, s.focus)
	s.typed("tab", "tab")
	require.Equal(t, agents, s.focus)
	s.typed("o")
	require.Contains(t, s.screen(), "it printed nothing here")
	s.send(tails{"coder-1": {"one", "two"}})
	require.Contains(t, s.screen(), "two")
	require.Contains(t, s.screen(), "esc goes back")
	s.typed("esc")
	require.Contains(t, s.screen(), "Needs you")
}
