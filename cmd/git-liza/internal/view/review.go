package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// ReviewText is what a person reads before the diff of a submission: what the task asks
// for, on which texts it stands, what verify and gates gave, what the author said, and what
// others say of it. changed are the paths of its texts that have changed since it was
// planned.
func (r Reading) ReviewText(t *board.Task, changed []string, width int) string {
	s := t.Submission
	rows := Table{Indent: "  "}
	add := func(name string, texts ...string) {
		for _, text := range texts {
			for line := range strings.Lines(text) {
				rows.Add(name, plaintext.Line(strings.TrimSpace(line)))
				name = ""
			}
		}
	}
	add("done when", t.DoneWhen)
	add("scope", t.Scope)
	add("spec", append([]string{t.Spec}, t.BasedOn...)...)
	for _, path := range changed {
		add("", path+" has changed since the task was planned")
	}
	add("by", fmt.Sprintf("%s, submission %d, %s", t.Attempt.Coder, t.Submissions, Count(s.Changed, "path")))
	if c := s.Receipt; c != nil {
		add("verify", fmt.Sprintf("exit %d after %s: %s", c.Exit, c.Duration, c.Command))
	} else if t.Verify == "" {
		add("verify", "the task names no command")
	}
	add("gates", receiptLines(s)...)
	if i := t.Intent; i != nil {
		add("intent", i.Summary)
		add("validation", i.Validation)
		add("assumed", i.Assumptions...)
		add("risks", i.Risks...)
		add("no tests", i.TestsNotNeeded)
	}
	if h := t.Handoff; h != nil {
		add("handoff", h.Summary, h.NextAction)
	}
	for _, j := range t.Judgements {
		if v := j.Verdict; v != nil {
			add("approved", strings.TrimSuffix("by "+string(v.By)+": "+v.Message, ": "))
		}
		if j.Rejection == nil {
			continue
		}
		for _, one := range j.Rejection.Blockers {
			add("rejected", FindingLine(one)+" ("+string(j.Rejection.By)+")")
		}
	}
	head := Cut(fmt.Sprintf("%s  %s  %s", t.ID, s.Commit.Short(), plaintext.Line(t.Title)), width)
	return head + "\n" + rows.WrappedText(width)
}

// FindingLine is a finding on one line, as people write it: its place and the first line
// of its issue.
func FindingLine(f board.Finding) string {
	line := plaintext.Line(FirstLine(f.Issue))
	switch {
	case f.File == "":
		return line
	case f.Line == 0:
		return plaintext.Line(f.File) + " — " + line
	}
	return plaintext.Line(f.File) + ":" + strconv.Itoa(f.Line) + " — " + line
}
