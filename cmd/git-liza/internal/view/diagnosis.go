package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/diagnosis"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Diagnosis is what is known of why something failed.
type Diagnosis struct {
	About string             `json:"about"` // a task, a session, - or "" for all
	Texts []diagnosis.Report `json:"texts"`
	Alike []diagnosis.Alike  `json:"alike"`
	Plan  []diagnosis.Step   `json:"plan"`
	Ran   []RanStep          `json:"ran,omitempty"`
}

// A RanStep is a step of a plan that was run, or left with a reason.
type RanStep struct {
	Command string `json:"command"`
	Left    string `json:"left"` // why it was not run, "" if it was
	Done    bool   `json:"done"` // it ended with 0
	Output  string `json:"output"`
}

// CommandLine is a step as a person types it.
func CommandLine(s diagnosis.Step) string { return shell.Join(s.Command...) }

// Main is the first text with a cause or a refusal, nil if there is none.
func (d Diagnosis) Main() *diagnosis.Report {
	i := slices.IndexFunc(d.Texts, func(r diagnosis.Report) bool { return len(r.Causes) > 0 || r.Refusal != nil })
	if i < 0 {
		return nil
	}
	return &d.Texts[i]
}

// Text formats a diagnosis for people: what was refused, what the board says, the causes of
// one text, and what is alike.
func (d Diagnosis) Text(width int) string {
	main := d.Main()
	refused, said := d.said()
	if main == nil && len(said) == 0 {
		return Wrapped(d.without(), width)
	}
	heading := "also read"
	if d.About == "" {
		main, heading = nil, "what failed last" // they are all listed
	}
	var out strings.Builder
	if main != nil {
		fmt.Fprintln(&out, plaintext.Line(main.Name))
	}
	out.WriteString(section("refused, as it was printed", refused, width))
	out.WriteString(section("the board says", said, width))
	if main != nil {
		out.WriteString(causesText(main.Causes, width))
	}
	var others, alike [][]string
	for i := range d.Texts {
		r := &d.Texts[i]
		answer := "no evidence"
		if len(r.Causes) > 0 {
			answer = causeLine(r.Causes[0])
		}
		if r != main {
			others = append(others, []string{plaintext.Line(r.Name), r.Task, answer})
		}
	}
	out.WriteString(section(heading, others, width))
	for _, a := range d.Alike {
		alike = append(alike, []string{Count(len(a.Sources), "time"), strings.Join(a.Tasks, " "), a.Message})
		alike = append(alike, lists.Of(a.Sources, func(source string) []string { return []string{"", "", "  " + source} })...)
	}
	out.WriteString(section("the same error", alike, width))
	out.WriteString(planText(d.Plan, width))
	return strings.TrimPrefix(out.String(), "\n")
}

// said are the refusals that the texts have, and the errors that the board has of them.
func (d Diagnosis) said() (refused, errors [][]string) {
	for _, r := range d.Texts {
		name := plaintext.Line(r.Name)
		if r.Refusal != nil {
			refused = append(refused, []string{name, r.Refusal.Rule + ": " + r.Refusal.Reason})
			if r.Refusal.Hint != "" {
				refused = append(refused, []string{"", "it was told: " + r.Refusal.Hint})
			}
		}
		if r.Error != "" {
			errors = append(errors, []string{name, r.Error})
		}
	}
	return refused, errors
}

// without says that there is no evidence, and in how much.
func (d Diagnosis) without() string {
	if len(d.Texts) == 0 {
		return "There is no evidence of a cause: there is nothing to read."
	}
	lines := lists.Sum(d.Texts, func(r diagnosis.Report) int { return r.Lines })
	return fmt.Sprintf("There is no evidence of a cause: %s with %s.", Count(len(d.Texts), "text"), Count(lines, "line"))
}

// causeLine is a cause with what it is about.
func causeLine(f diagnosis.Finding) string {
	return strings.TrimSuffix(f.ID+"  "+f.Title+": "+f.About, ": ")
}

// causesText formats causes with their evidence.
func causesText(list []diagnosis.Finding, width int) string {
	var out strings.Builder
	for i, f := range list {
		fmt.Fprintf(&out, "\n%s\n", Cut(fmt.Sprintf("%d. %s", i+1, causeLine(f)), width))
		t, said := Table{Indent: "   "}, Table{Indent: "   "}
		for _, e := range f.Evidence {
			why := ""
			if e.Why != "" {
				why = " (" + e.Why + ")"
			}
			t.Add("for", fmt.Sprintf("line %d%s: %s", e.Line, why, strings.TrimSpace(e.Text)))
		}
		if f.ResultOf != "" {
			said.Add("result", "it may be brought about by "+f.ResultOf)
		}
		said.Add("to see", f.Test)
		said.Add("to mend", f.Fix)
		said.Wrap(width)
		t.Rows = append(t.Rows, said.Rows...)
		out.WriteString(t.Text(width))
	}
	return out.String()
}

// planText formats the steps of a plan.
func planText(plan []diagnosis.Step, width int) string {
	var rows [][]string
	for _, s := range plan {
		rows = append(rows, []string{string(s.Risk), CommandLine(s)})
		if s.Risk != diagnosis.Safe {
			rows = append(rows, []string{"", "  " + s.Why}, []string{"", "  undo: " + s.Undo})
		}
	}
	return section("plan", rows, width)
}
