// Package notify calls a person who does not look: it gives calls to a command of this
// machine.
//
// What is to be told waits in a file that the processes of a clone share, so that nothing
// is lost when one of them dies or the command fails. One process delivers. A message
// gathers what came since the last one. All texts are untrusted: the command gets them as
// single lines in which hidden characters are spelled out, and without the secrets of the
// environment.
//
// The package knows neither the board nor when something is an alarm.
package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore/secret"
)

// An Item is one call.
type Item struct {
	Key     string    `json:"key"` // of this occurrence, for a command that gets it twice
	Since   time.Time `json:"since,omitzero"`
	Text    string    `json:"text"`
	Command string    `json:"command"`
	At      time.Time `json:"at"` // when it came
}

// A Message gathers calls.
type Message struct {
	Folder string // the name of the repository's folder
	Items  []Item // the first of them
	More   int    // how many are left out
}

const (
	// mostItems is how many calls a message names.
	mostItems = 20
	// maxText bounds each text of an item, in characters.
	maxText = 300
)

// Text formats a message for people: a line for each call, and below it the command that
// settles it.
func (m Message) Text() string {
	var out strings.Builder
	calls := "1 call"
	if n := len(m.Items) + m.More; n != 1 {
		calls = fmt.Sprintf("%d calls", n)
	}
	fmt.Fprintf(&out, "git liza (%s): %s\n", plain(m.Folder), calls)
	for _, i := range m.Items {
		out.WriteString("\n" + i.Text)
		if !i.Since.IsZero() {
			out.WriteString(", since " + i.Since.UTC().Format("2006-01-02 15:04Z"))
		}
		out.WriteString("\n  " + i.Command + "\n")
	}
	if m.More > 0 {
		fmt.Fprintf(&out, "\nand %d more: git liza inbox\n", m.More)
	}
	return out.String()
}

// plain returns the beginning of a text as one line without hidden characters.
func plain(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxText {
			return plaintext.Line(text[:i]) + "…"
		}
	}
	return plaintext.Line(text)
}

// plainItem returns an item whose texts are plain and show no secret.
func plainItem(i Item, mask *secret.Mask) Item {
	for _, text := range []*string{&i.Key, &i.Text, &i.Command} {
		*text = plain(mask.String(*text))
	}
	return i
}
