package screen

import (
	"encoding/json"
	"io"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/git-liza/git-liza/flow/board"
)

// answered is what came of a command that a key started, for the foot of the screen.
type answered string

// run runs git liza away from the terminal; what it prints stands at the foot.
func (m *model) run(input string, args ...string) tea.Cmd {
	m.say("git liza " + strings.Join(args, " ") + " …")
	return func() tea.Msg {
		printed, _ := m.Make(m.ctx, input, args...)
		return answered(plain(printed))
	}
}

// lend gives the terminal to a command, and draws again after it.
func (m *model) lend(c Lent) tea.Cmd {
	return m.exec(lending{func() { m.Lend(c) }}, func(err error) tea.Msg {
		if err != nil {
			return answered(plain(err.Error()))
		}
		return answered("")
	})
}

// lending is a command as the library wants it; it has its streams already.
type lending struct{ run func() }

// Run runs it.
func (l lending) Run() error { l.run(); return nil }

// SetStdin does nothing.
func (lending) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (lending) SetStdout(io.Writer) {}

// SetStderr does nothing.
func (lending) SetStderr(io.Writer) {}

// confirm asks before it does something.
func (m *model) confirm(what string, do func(*model) tea.Cmd) tea.Cmd {
	m.ask = &question{label: plain(what) + "? (y/n) ", yesNo: true, then: func(m *model, _ string) tea.Cmd { return do(m) }}
	return nil
}

// ofTask calls do with the task of the chosen row.
func (m *model) ofTask(do func(board.TaskID) tea.Cmd) tea.Cmd {
	r, ok := m.row()
	if !ok || r.task == "" {
		m.say("choose a row with a task: tab and ↑↓")
		return nil
	}
	return do(r.task)
}

// ofAgent calls do with the agent of the chosen row.
func (m *model) ofAgent(do func(board.AgentID) tea.Cmd) tea.Cmd {
	r, ok := m.row()
	if !ok || r.agent == "" {
		m.say("choose a row with an agent: tab and ↑↓")
		return nil
	}
	return do(r.agent)
}

func (m *model) open() tea.Cmd {
	r, ok := m.row()
	switch {
	case m.focus == agents && ok:
		return m.openOutput()
	case ok && r.task != "":
		return m.lend(Lent{Args: []string{"show", string(r.task)}, Shows: true})
	case ok:
		m.say(r.text)
	}
	return nil
}

// settle runs the command of the chosen row at the terminal, as it is shown. A command
// with words that stand for something is given to the person to complete.
func (m *model) settle() tea.Cmd {
	r, ok := m.row()
	switch {
	case !ok || r.command == "":
		m.say("no command settles this row")
		return nil
	case !hasPlaceholder(r.command):
		return m.lend(Lent{Line: r.command, Shows: true})
	}
	m.ask = &question{label: "run: ", text: []rune(r.command), then: func(m *model, line string) tea.Cmd {
		if line == "" {
			return nil
		}
		return m.lend(Lent{Line: line, Shows: true})
	}}
	return nil
}

// hasPlaceholder reports whether a command has a word like R or FILE outside of quotation
// marks.
func hasPlaceholder(command string) bool {
	quoted := false
	for word := range strings.FieldsSeq(command) {
		if !quoted && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsUpper(r) }) < 0 {
			return true
		}
		if strings.Count(word, "'")%2 == 1 {
			quoted = !quoted
		}
	}
	return false
}

// submission finds the submission of a task and calls then with its commit, or says why
// there is none.
func (m *model) submission(id board.TaskID, then func(m *model, commit board.ObjectID) tea.Cmd) tea.Cmd {
	pressed := m.pressed
	return func() tea.Msg {
		printed, done := m.Make(m.ctx, "", "show", string(id), "--json")
		var task struct {
			Data struct {
				Commit board.ObjectID `json:"review_commit"`
			}
		}
		if err := json.Unmarshal([]byte(printed), &task); !done || err != nil {
			return answered(plain(printed))
		}
		if task.Data.Commit == "" {
			return answered(string(id) + " has no submission yet")
		}
		return found{task.Data.Commit, pressed, then}
	}
}

// found is a submission that was asked for.
type found struct {
	commit  board.ObjectID
	pressed int // the key that asked
	then    func(m *model, commit board.ObjectID) tea.Cmd
}

func (m *model) showDiff() tea.Cmd {
	return m.ofTask(func(id board.TaskID) tea.Cmd {
		return m.submission(id, func(m *model, commit board.ObjectID) tea.Cmd {
			m.looked[id] = commit
			return m.lend(Lent{Args: []string{"show", string(id), "--patch"}, Shows: true})
		})
	})
}

// judged calls do with the submission that the person was shown: that of the last diff,
// else the one that is named in the question.
func (m *model) judged(verb string, do func(m *model, id board.TaskID, commit board.ObjectID) tea.Cmd) tea.Cmd {
	return m.ofTask(func(id board.TaskID) tea.Cmd {
		return m.submission(id, func(m *model, commit board.ObjectID) tea.Cmd {
			what := verb + " " + string(id) + " at " + commit.Short()
			switch looked := m.looked[id]; looked {
			case "":
				what += ", whose diff you did not look at"
			case commit:
			default: // the rules refuse it and say what is new
				what, commit = verb+" "+string(id)+" at "+looked.Short()+", which has a successor", looked
			}
			return m.confirm(what, func(m *model) tea.Cmd { return do(m, id, commit) })
		})
	})
}

func (m *model) approve() tea.Cmd {
	return m.judged("approve", func(m *model, id board.TaskID, commit board.ObjectID) tea.Cmd {
		delete(m.looked, id)
		return m.run("", "approve", string(id), "--commit", string(commit))
	})
}

func (m *model) reject() tea.Cmd {
	return m.ofTask(func(id board.TaskID) tea.Cmd {
		return m.submission(id, func(m *model, commit board.ObjectID) tea.Cmd {
			if looked := m.looked[id]; looked != "" {
				commit = looked
			}
			delete(m.looked, id)
			return m.lend(Lent{Args: []string{"reject", string(id), "--commit", string(commit), "-e"}})
		})
	})
}

// line asks for a line and runs git liza with it on standard input.
func (m *model) line(label string, needed bool, args ...string) tea.Cmd {
	m.ask = &question{label: label, then: func(m *model, text string) tea.Cmd {
		switch {
		case text == "" && needed:
			m.say("not done")
			return nil
		case text == "":
			return m.run("", args[:1]...)
		}
		return m.run(text, args...)
	}}
	return nil
}

func (m *model) note() tea.Cmd {
	whom, r := "all", row{}
	if r, _ = m.row(); r.task != "" {
		whom = string(r.task)
	}
	if m.focus == agents && r.agent != "" {
		return m.line("tell "+string(r.agent)+": ", true, "agents", "tell", string(r.agent), "-")
	}
	return m.line("note for "+whom+": ", true, "note", "-", "--for", whom)
}

func (m *model) pause() tea.Cmd {
	return m.line("pause the board, why (Enter: no reason): ", false, "pause", "--reason", "-")
}

func (m *model) resume() tea.Cmd {
	return m.line("resume, why (Enter: no reason): ", false, "resume", "--reason", "-")
}

func (m *model) checkpoint() tea.Cmd {
	if m.frame != nil && m.frame.head.Decides {
		return m.lend(Lent{Args: []string{"checkpoint", "show"}, Shows: true})
	}
	return m.line("begin a checkpoint, why (Enter: no reason): ", false, "checkpoint", "--reason", "-")
}

func (m *model) release() tea.Cmd {
	return m.ofTask(func(id board.TaskID) tea.Cmd {
		what, held := "release "+string(id), m.content.holder(id)
		if held != "" {
			what += " of " + string(held)
		}
		return m.confirm(what, func(m *model) tea.Cmd {
			if now := m.content.holder(id); now != held {
				m.say("not done: the holder of " + string(id) + " has changed meanwhile")
				return nil
			}
			return m.run("", "release", string(id))
		})
	})
}

func (m *model) steer(verb string) tea.Cmd {
	return m.ofAgent(func(id board.AgentID) tea.Cmd {
		return m.confirm(verb+" "+string(id), func(m *model) tea.Cmd { return m.run("", "agents", verb, string(id)) })
	})
}

func (m *model) openOutput() tea.Cmd {
	return m.ofAgent(func(id board.AgentID) tea.Cmd {
		m.output = id
		return nil
	})
}

func (m *model) snooze() tea.Cmd {
	r, ok := m.row()
	if !ok || r.snooze == "" {
		m.say("only items of the inbox are snoozed")
		return nil
	}
	return m.run("", "inbox", "--snooze", r.snooze)
}
