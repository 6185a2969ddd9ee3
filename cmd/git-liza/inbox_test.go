package main

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// An inboxItem is what every view says of the first item of the inbox.
type inboxItem struct{ Kind, Subject, Text, Command string }

// needs holds every view against a sentence, a regular expression, and the command that settles
// it: needs SENTENCE COMMAND. Both stand in the first fifteen lines of status and of inbox on
// forty columns, and inbox, inbox --json, next and status --json say the same.
func needs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: needs SENTENCE COMMAND")
	}
	run := func(args ...string) string {
		ts.Check(ts.Exec("git", append([]string{"liza"}, args...)...))
		return ts.ReadFile("stdout")
	}
	// A long word is broken at the end of a line of text; a command never is.
	inOneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	sentence := regexp.MustCompile(args[0])
	ts.Setenv("COLUMNS", "40")
	for _, view := range []string{"status", "inbox"} {
		lines := strings.SplitAfter(run(view), "\n")
		screen := strings.Join(lines[:min(len(lines), 15)], "")
		if !sentence.MatchString(inOneLine(screen)) {
			ts.Fatalf("the first screen of %s lacks %q:\n%s", view, args[0], screen)
		}
		if !strings.Contains(screen, "\n      "+args[1]+"\n") {
			ts.Fatalf("the first screen of %s lacks the command %q:\n%s", view, args[1], screen)
		}
	}
	ts.Setenv("COLUMNS", "")
	var inbox struct{ Data struct{ Items []inboxItem } }
	var status struct {
		Data struct {
			Inbox struct{ Items []inboxItem }
			Next  []struct{ Command, Why string }
		}
	}
	var next struct {
		Data struct{ Action, Subject, Command, Why string }
	}
	ts.Check(json.Unmarshal([]byte(run("inbox", "--json")), &inbox))
	ts.Check(json.Unmarshal([]byte(run("status", "--json")), &status))
	ts.Check(json.Unmarshal([]byte(run("next", "--json")), &next))
	if len(inbox.Data.Items) == 0 || len(status.Data.Inbox.Items) != len(inbox.Data.Items) || len(status.Data.Next) == 0 {
		ts.Fatalf("inbox, status and next: %+v\n%+v\n%+v", inbox, status, next)
	}
	first := inbox.Data.Items[0]
	if !sentence.MatchString(first.Text) || first.Command != args[1] || first != status.Data.Inbox.Items[0] ||
		status.Data.Next[0].Command != first.Command || status.Data.Next[0].Why != first.Text || next.Data.Command != first.Command || next.Data.Why != first.Text ||
		next.Data.Subject != first.Subject || next.Data.Action == "" {
		ts.Fatalf("inbox, status and next differ: %+v\n%+v\n%+v", first, status.Data, next.Data)
	}
	text := run("inbox")
	for _, i := range inbox.Data.Items {
		if !strings.Contains(text, i.Text+"\n      "+i.Command+"\n") {
			ts.Fatalf("inbox lacks %+v:\n%s", i, text)
		}
	}
}
