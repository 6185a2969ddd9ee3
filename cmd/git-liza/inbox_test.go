package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-liza/git-liza/internal/faults"
)

// An inboxItem is what every view says of an item of the inbox.
type inboxItem struct{ Kind, Subject, Text, Command string }

// faulty makes a board on which one thing is wrong, in a folder of its name, goes there,
// and holds every view against what it has to say: faulty NAME. All that the views print, as
// text and as JSON, is in NAME.views beside the folder, without names of objects.
func faulty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: faulty NAME")
	}
	f, err := faults.Find(args[0])
	ts.Check(err)
	dir := filepath.Join(ts.Getenv("WORK"), f.Name)
	ts.Check(os.Mkdir(dir, 0o755))
	var environ []string
	for _, name := range []string{"HOME", "PATH", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "LC_ALL", "TZ", "NO_COLOR", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE", "LIZA_NOW"} {
		environ = append(environ, name+"="+ts.Getenv(name))
	}
	ts.Check(f.Make(dir, environ))
	ts.Check(ts.Chdir(dir))
	if f.Live {
		defer ts.Setenv("LIZA_NOW", ts.Getenv("LIZA_NOW"))
		ts.Setenv("LIZA_NOW", "")
	}
	checkViews(ts, f)
	if f.Live {
		return
	}
	var all strings.Builder
	for _, view := range []string{"status", "inbox", "next", "list", "agents", "plan show", "metrics"} {
		for _, args := range [][]string{strings.Fields(view), append(strings.Fields(view), "--json")} {
			all.WriteString("$ git liza " + strings.Join(args, " ") + "\n" + strings.TrimSuffix(show(ts, f, args...), "\n") + "\n")
		}
	}
	got := regexp.MustCompile(`\b([0-9a-f]{40}|[0-9a-f]{10})\b`).ReplaceAllString(strings.ReplaceAll(all.String(), ts.Getenv("WORK"), "$WORK"), "…")
	ts.Check(os.WriteFile(dir+".views", []byte(got), 0o644))
}

// needs holds every view against a sentence, a regular expression, and the command that
// settles it: needs SENTENCE COMMAND.
func needs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: needs SENTENCE COMMAND")
	}
	checkViews(ts, faults.Fault{Needs: []faults.Need{{Sentence: args[0], Command: args[1]}}})
}

// checkViews holds every view of the board here against a fault. What it needs stands in
// the first fifteen lines of status and of inbox on forty columns, and inbox, inbox
// --json, next and status --json say the same.
func checkViews(ts *testscript.TestScript, f faults.Fault) {
	ts.Setenv("COLUMNS", "40")
	for _, view := range []string{"status", "inbox"} {
		screen := firstScreen(show(ts, f, view))
		for _, need := range f.Needs {
			if !regexp.MustCompile(need.Sentence).MatchString(strings.Join(strings.Fields(screen), " ")) {
				ts.Fatalf("the first screen of %s lacks %q:\n%s", view, need.Sentence, screen)
			}
			if !strings.Contains(screen, need.Command+"\n") {
				ts.Fatalf("the first screen of %s lacks the command %q:\n%s", view, need.Command, screen)
			}
		}
	}
	ts.Setenv("COLUMNS", "")
	if f.Unreadable {
		for _, view := range []string{"status", "inbox", "next"} {
			checkRefusal(ts, f.Needs[0], show(ts, f, view, "--json"))
		}
		return
	}
	checkItems(ts, f)
}

// show runs a view and returns all that it prints.
func show(ts *testscript.TestScript, f faults.Fault, args ...string) string {
	err := ts.Exec("git", append([]string{"liza"}, args...)...)
	if (err != nil) != f.Unreadable {
		ts.Fatalf("%v: %v", args, err)
	}
	return ts.ReadFile("stdout") + ts.ReadFile("stderr")
}

// firstScreen returns what a terminal of fifteen lines and forty columns shows of a text.
// Only a command may be longer than a line, and goes on in the next one.
func firstScreen(text string) string {
	shown, left := "", 15
	for line := range strings.Lines(text) {
		if left -= (len([]rune(line)) + 38) / 40; left < 0 {
			break
		}
		shown += line
	}
	return shown
}

// checkItems holds the items of every view against what a fault needs.
func checkItems(ts *testscript.TestScript, f faults.Fault) {
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
	ts.Check(json.Unmarshal([]byte(show(ts, f, "inbox", "--json")), &inbox))
	ts.Check(json.Unmarshal([]byte(show(ts, f, "status", "--json")), &status))
	ts.Check(json.Unmarshal([]byte(show(ts, f, "next", "--json")), &next))
	if len(inbox.Data.Items) < len(f.Needs) || len(status.Data.Inbox.Items) != len(inbox.Data.Items) || len(status.Data.Next) == 0 {
		ts.Fatalf("inbox, status and next: %+v\n%+v\n%+v", inbox, status, next)
	}
	for i, need := range f.Needs {
		if item := inbox.Data.Items[i]; !regexp.MustCompile(need.Sentence).MatchString(item.Text) || item.Command != need.Command || item != status.Data.Inbox.Items[i] {
			ts.Fatalf("inbox and status differ, or lack %+v: %+v\n%+v", need, item, status.Data)
		}
	}
	first := inbox.Data.Items[0]
	if status.Data.Next[0].Command != first.Command || status.Data.Next[0].Why != first.Text || next.Data.Command != first.Command || next.Data.Why != first.Text ||
		next.Data.Subject != first.Subject || next.Data.Action == "" {
		ts.Fatalf("inbox, status and next differ: %+v\n%+v\n%+v", first, status.Data, next.Data)
	}
	text := show(ts, f, "inbox")
	for _, i := range inbox.Data.Items {
		if !strings.Contains(text, i.Text+"\n      "+i.Command+"\n") {
			ts.Fatalf("inbox lacks %+v:\n%s", i, text)
		}
	}
}

// checkRefusal holds a refusal as JSON against what is needed.
func checkRefusal(ts *testscript.TestScript, need faults.Need, text string) {
	var refused struct{ Error struct{ Reason, Hint string } }
	ts.Check(json.Unmarshal([]byte(text), &refused))
	if !regexp.MustCompile(need.Sentence).MatchString(refused.Error.Reason) || refused.Error.Hint != need.Command {
		ts.Fatalf("the refusal is not %+v: %+v", need, refused)
	}
}
