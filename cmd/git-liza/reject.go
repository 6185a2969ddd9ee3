package main

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/document"
)

// Help explains the reason on the command's help page.
func (c *rejectCommand) Help() string {
	return `The reason, in lines; a blocker is required:

    Overall: TEXT
    - [blocker] FILE:LINE — ISSUE
    Why it matters: TEXT
    Suggestion: TEXT
    - [concern] FILE:LINE — ISSUE

From the second rejection on, a line for each earlier blocker, by its number
or its words:

    Prior Feedback Status:
    - RESOLVED: 1
    - STILL_PRESENT: 2
    - PARTIAL: 3

--reason-file - takes it from standard input. As YAML it is blockers and
concerns (file, line, issue, why, suggestion), prior (finding, status) and
overall.`
}

type rejectCommand struct {
	ID         flow.TaskID `arg:""`
	Commit     string      `required:"" placeholder:"SHA" help:"The full id of the submitted commit."`
	Reason     string      `placeholder:"TEXT" help:"Structured reason: YAML, or lines '- [blocker] FILE:LINE — ISSUE'."`
	ReasonFile string      `placeholder:"FILE" help:"The same from a file, - for standard input."`
	Role       flow.Role   `placeholder:"ROLE" help:"To which role the blockers belong, of a person; default: the role of its review, else the first that waits."`
}

func (c *rejectCommand) Run(inv *invocation) error {
	feedback, err := c.feedback(inv)
	if err != nil {
		return err
	}
	return inv.reject(c.ID, flow.RejectMove{Commit: flow.ObjectID(c.Commit), Feedback: feedback, Role: c.Role})
}

// feedback reads the reason in either form. A reason in neither form is
// refused under the rule for a reason without a blocker.
func (c *rejectCommand) feedback(inv *invocation) (flow.Feedback, error) {
	text := c.Reason
	if c.ReasonFile != "" {
		if c.Reason != "" {
			return flow.Feedback{}, usagef("git liza help reject", "--reason and --reason-file exclude each other")
		}
		data, err := inv.readInput(c.ReasonFile)
		if err != nil {
			return flow.Feedback{}, err
		}
		text = string(data)
	}
	var f flow.Feedback
	if looksLikeYAML(text) {
		if err := document.Decode("reason", []byte(text), &f); err != nil {
			return f, c.unstructured(err)
		}
		return f, nil
	}
	f, err := flow.ParseFeedback(text)
	if err != nil {
		return f, c.unstructured(err)
	}
	return f, nil
}

func (c *rejectCommand) unstructured(err error) error {
	return &flow.Refusal{Rule: flow.RuleReason, Reason: "the reason: " + err.Error(),
		Hint: "git liza reject " + string(c.ID) + " --commit " + shell.Quote(c.Commit) + " --reason '- [blocker] FILE:LINE — ISSUE'"}
}

func (inv *invocation) reject(id flow.TaskID, m flow.RejectMove) error {
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	r, err := clone.Verdict(inv.ctx, flow.ActReject, id, &m)
	if err != nil {
		return err
	}
	t := r.After.Task(id)
	roles := []flow.Role{t.RejectedBy}
	data := verdictData(t, roles)
	data["blockers"], data["review_cycles"] = len(t.Rejection().Blockers), t.Attempt.Cycles
	return inv.result(r, data, "%s rejected%s with %s → %s", id, forRoles(t, roles), blockers(t.Rejection().Blockers), t.Status)
}

// looksLikeYAML distinguishes the two forms of a reason by the first line.
func looksLikeYAML(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, key := range []string{"blockers:", "concerns:", "prior:", "overall:"} {
			if strings.HasPrefix(line, key) {
				return true
			}
		}
		return false
	}
	return false
}

// blockers counts findings for people.
func blockers(list []flow.Finding) string {
	if len(list) == 1 {
		return "1 blocker"
	}
	return fmt.Sprintf("%d blockers", len(list))
}
