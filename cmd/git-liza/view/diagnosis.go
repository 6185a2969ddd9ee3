package view

import (
	"fmt"
	"math"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/diagnosis"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Diagnosis is what is known of why something failed.
type Diagnosis struct {
	About    string              `json:"about"` // a task, a session, - or "" for all
	Findings []diagnosis.Finding `json:"findings"`
	Alike    []diagnosis.Alike   `json:"alike"`
	Plan     []diagnosis.Step    `json:"plan"`
	Ran      []RanStep           `json:"ran,omitempty"`
}

// A RanStep is a step of a plan that was run, or left with a reason.
type RanStep struct {
	Command string `json:"command"`
	Left    string `json:"left"` // why it was not run, "" if it was
	Done    bool   `json:"done"` // it ended with 0
	Output  string `json:"output"`
}

// CommandLine is a step as a person types it.
func CommandLine(s diagnosis.Step) string {
	words := make([]string, len(s.Command))
	for i, word := range s.Command {
		words[i] = shell.Quote(word)
	}
	return strings.Join(words, " ")
}

// Main is the first finding with a cause, nil if there is none.
func (d Diagnosis) Main() *diagnosis.Finding {
	for i := range d.Findings {
		if len(d.Findings[i].Hypotheses) > 0 {
			return &d.Findings[i]
		}
	}
	return nil
}

// mostErrors is how many errors of a text people are shown.
const mostErrors = 5

// Text formats a diagnosis for people.
func (d Diagnosis) Text(width int) string {
	main := d.Main()
	if main == nil {
		return Wrapped(d.without(), width)
	}
	var out strings.Builder
	if d.About != "" {
		fmt.Fprintf(&out, "%s\n", plaintext.Line(main.Name))
		out.WriteString(reportText(main.Report, width))
	}
	var rest [][]string
	for i := range d.Findings {
		f := &d.Findings[i]
		if f == main && d.About != "" {
			continue
		}
		rest = append(rest, []string{plaintext.Line(f.Name), f.Task, answerOf(f.Report)})
	}
	heading := "also read"
	if d.About == "" {
		heading = "what failed last"
	}
	listed := section(heading, rest, width)
	if d.About == "" {
		listed = strings.TrimPrefix(listed, "\n")
	}
	out.WriteString(listed)
	var alike [][]string
	for _, a := range d.Alike {
		alike = append(alike, []string{Count(len(a.Sources), "time"), strings.Join(a.Tasks, " "), a.Message})
		for _, source := range a.Sources {
			alike = append(alike, []string{"", "", "  " + source})
		}
	}
	out.WriteString(section("the same error", alike, width))
	out.WriteString(planText(d.Plan, width))
	return out.String()
}

// without says that there is no evidence, and where to look.
func (d Diagnosis) without() string {
	lines, binary := 0, 0
	for _, f := range d.Findings {
		lines += f.Lines
		if f.Binary {
			binary++
		}
	}
	text := fmt.Sprintf("There is no evidence of a cause: %s with %s", Count(len(d.Findings), "text"), Count(lines, "line"))
	if len(d.Findings) == 0 {
		text = "There is no evidence of a cause: there is nothing to read"
	}
	if binary > 0 {
		text += fmt.Sprintf(", and %s no text at all", map[bool]string{true: "one is", false: "some are"}[binary == 1])
	}
	return text + "."
}

// answerOf is a report in a few words.
func answerOf(r diagnosis.Report) string {
	if len(r.Hypotheses) == 0 {
		return "no evidence"
	}
	return hypothesisLine(r.Hypotheses[0])
}

// hypothesisLine is a cause with its chance and what it is about.
func hypothesisLine(h diagnosis.Hypothesis) string {
	line := fmt.Sprintf("%s  %d %%  %s", h.ID, min(99, int(math.Round(h.Chance*100))), h.Title)
	if h.About != "" {
		line += ": " + h.About
	}
	return line
}

// reportText formats the causes of one text, the first one with its evidence, and its
// errors.
func reportText(r diagnosis.Report, width int) string {
	var out strings.Builder
	for i, h := range r.Hypotheses {
		fmt.Fprintf(&out, "\n%s\n", Cut(fmt.Sprintf("%d. %s", i+1, hypothesisLine(h)), width))
		t := Table{Indent: "   "}
		for _, e := range h.For {
			t.Add("for", evidenceLine(e))
		}
		for _, e := range h.Against {
			t.Add("against", evidenceLine(e))
		}
		said := Table{Indent: "   ", Rows: [][]string{{"to see", h.Test}}}
		if i == 0 {
			said.Add("to mend", h.Fix)
		}
		said.Wrap(width)
		t.Rows = append(t.Rows, said.Rows...)
		out.WriteString(t.Text(width))
	}
	var errors [][]string
	for _, e := range r.Errors[:min(len(r.Errors), mostErrors)] {
		errors = append(errors, []string{placeOf(e)}, []string{"  " + strings.TrimSuffix(e.Type+": "+e.Message, ": ")})
		for _, cause := range e.Causes {
			errors = append(errors, []string{"    because of " + cause})
		}
	}
	if n := len(r.Errors) - mostErrors; n > 0 {
		errors = append(errors, []string{fmt.Sprintf("and %d more, all with --json", n)})
	}
	out.WriteString(section("errors", errors, width))
	return out.String()
}

// evidenceLine is a line of a text, with why it counts less.
func evidenceLine(e diagnosis.Evidence) string {
	line := fmt.Sprintf("line %d: %s", e.Line, strings.TrimSpace(e.Text))
	if e.Why != "" {
		line = fmt.Sprintf("line %d (%s): %s", e.Line, e.Why, strings.TrimSpace(e.Text))
	}
	return line
}

// placeOf is where an error happened.
func placeOf(e diagnosis.Error) string {
	place := e.File
	if e.Line > 0 {
		place += fmt.Sprintf(":%d", e.Line)
	}
	if e.Function != "" {
		place = strings.TrimPrefix(place+" "+e.Function, " ")
	}
	if place == "" {
		return "-"
	}
	return place
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
