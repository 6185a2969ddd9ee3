package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/document"
)

// An Entry is a move as logs show it: the state commit that it made, and
// every key that the move has in it.
type Entry struct {
	State flow.ObjectID `yaml:"state"`
	Move  flow.Move     `yaml:",inline"`
}

// LogValue is moves as JSON has them.
func LogValue(list []Entry) []any {
	moves := make([]any, len(list))
	for i := range list {
		moves[i] = ValueOf(list[i])
	}
	return moves
}

// LogText is moves for people, a line each.
func LogText(list []Entry, width int) string {
	var text strings.Builder
	for i := range list {
		text.WriteString(Cut(list[i].line(), width) + "\n")
	}
	return text.String()
}

// LogYAML is moves as one list in the form of the board's documents.
func LogYAML(list []Entry) (string, error) {
	var text strings.Builder
	for i := range list {
		one, err := document.Encode(&[]Entry{list[i]})
		if err != nil {
			return "", err
		}
		text.Write(one)
	}
	return text.String(), nil
}

// line is the move for people: commit, time, subject and reason.
func (e *Entry) line() string {
	line := fmt.Sprintf("%s  %s  %s", e.State.Short(), e.Move.At.UTC().Format(Stamp), e.Move.Subject())
	if word := brief(e.Move); word != "" {
		line += ": " + OneLine(FirstLine(word))
	}
	return line
}

// brief is what a move says for itself in a few words.
func brief(m flow.Move) string {
	detail := ObjectOf(m.Detail)
	if word := said(detail); word != "" {
		return word
	}
	for _, inner := range detail {
		// An intent, a handoff or a rejection stands in an object of its own.
		if o, ok := inner.Value.(Object); ok && said(o) != "" {
			return said(o)
		}
	}
	return ""
}

// said is the first of the keys that hold a sentence about the whole.
func said(o Object) string {
	for _, key := range []string{"reason", "summary", "message", "text", "overall", "pattern", "resolution", "change", "title", "outcome"} {
		if text, ok := o.Find(key).(string); ok && text != "" {
			return text
		}
	}
	return ""
}
