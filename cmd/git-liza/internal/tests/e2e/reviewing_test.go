package e2e

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
	"github.com/git-liza/git-liza/gitstore/document"
)

// plan puts the tasks on the board, or says that they are there.
func plan(s *scene) standin.Turn {
	if strings.Contains(s.last(), string(s.book.Plan[0].ID)+" ") {
		return s.says("The plan is on the board.", "git liza note 'every planned task is on the board' --for all")
	}
	text, err := document.Encode(&s.book.Plan)
	if err != nil {
		return standin.Turn{Status: 500, Text: err.Error()}
	}
	return s.says("I put the tasks on the board.", s.here("git liza task add --from -", string(text)))
}

// checks are what a review of the task looks at.
func (s *scene) checks() []playbook.Check {
	return slices.Concat(s.book.Checks, s.work().Checks)
}

// examine looks at the change and runs the checks.
func examine(s *scene) standin.Turn {
	var b strings.Builder
	fmt.Fprintf(&b, "git rev-parse HEAD\ngit diff --stat %s %s\n", s.find(`(?m)^base: (\S+)$`), s.find(`(?m)^commit: (\S+)$`))
	for i, c := range s.checks() {
		// Some repeat the command in its result, which must not pass for one.
		fmt.Fprintf(&b, "%s[ $? = 0 ] && is=passed || is=FAILED; echo check %d \"$is\"\n", s.here("sh", c.Run), i+1)
	}
	return s.says("I look at the change and run what it has to pass.", b.String())
}

// judge gives the verdict that the checks ask for.
func judge(s *scene) standin.Turn {
	commit := s.find(`(?m)^commit: (\S+)$`)
	findings, passed := "", 0
	for i, c := range s.checks() {
		switch {
		case strings.Contains(s.last(), fmt.Sprintf("check %d FAILED", i+1)):
			findings += fmt.Sprintf("- [blocker] %s:%d — %s\nWhy it matters: %s\nSuggestion: %s\n", c.File, max(c.Line, 1), c.Issue, c.Why, c.Suggestion)
		case strings.Contains(s.last(), fmt.Sprintf("check %d passed", i+1)):
			passed++
		}
	}
	id := string(s.work().Task)
	switch {
	case findings != "":
		return s.says("It does not hold.", s.here("git liza reject "+id+" --commit "+commit+" --reason-file -", findings+"Overall: nearly there"))
	case passed == len(s.checks()):
		return s.says("It holds.", "git liza approve "+id+" --commit "+commit+" --message 'every check passed'")
	}
	return standin.Turn{Text: "I could not run the checks: " + s.last()}
}
