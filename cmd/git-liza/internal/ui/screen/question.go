package screen

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/git-liza/git-liza/flow/plaintext"
)

// mostTyped bounds the line that a person types at the foot of the screen.
const mostTyped = 2000

// A question is asked at the foot of the screen: for a line, or for yes or no.
type question struct {
	label string
	yesNo bool
	text  []rune // typed until now
	then  func(m *model, text string) tea.Cmd
}

// paste takes a text as if it was typed, on one line and without hidden characters. It
// answers no yes-or-no question.
func (q *question) paste(text string) {
	if q.yesNo {
		return
	}
	q.text = append(q.text, []rune(plain(strings.Map(func(r rune) rune {
		switch {
		case !plaintext.IsHidden(0, r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, text)))...)
	q.text = q.text[:min(len(q.text), mostTyped)]
}

// pressAsked takes a key while something is asked.
func (m *model) pressAsked(k tea.KeyPressMsg) tea.Cmd {
	q := m.ask
	name := k.String()
	if q.yesNo {
		m.ask = nil
		if name == "y" || name == "Y" {
			return q.then(m, "")
		}
		m.say("not done")
		return nil
	}
	switch name {
	case "enter":
		m.ask = nil
		return q.then(m, plain(string(q.text)))
	case "esc", "ctrl+c":
		m.ask = nil
	case "backspace", "ctrl+h":
		q.text = q.text[:max(0, len(q.text)-1)]
	case "ctrl+u":
		q.text = nil
	case "ctrl+w":
		n := len(q.text)
		for n > 0 && q.text[n-1] == ' ' {
			n--
		}
		for n > 0 && q.text[n-1] != ' ' {
			n--
		}
		q.text = q.text[:n]
	default:
		if k.Text != "" {
			q.paste(k.Text)
		}
	}
	return nil
}
