package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/drawing"
	"github.com/git-liza/git-liza/cmd/git-liza/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type planFileCommands struct {
	Check planCheckCommand `cmd:"" help:"Say all that is wrong with a plan, each with its line."`
	Show  planShowCommand  `cmd:"" help:"The levels of a plan, its longest chain, and how long some numbers of agents need."`

	Import planImportCommand `cmd:"" help:"Enter the tasks of a plan in one move."`
	Export planExportCommand `cmd:"" help:"Print the open tasks of a goal as a plan."`
	Diff   planDiffCommand   `cmd:"" help:"What a plan says otherwise than the board."`
}

type planCheckCommand struct {
	File string `arg:"" placeholder:"FILE" help:"A YAML list of tasks, a mapping with feature, defaults, levels and tasks, or a task-graph.json; - for standard input."`
}

// Help says what is checked.
func (c *planCheckCommand) Help() string {
	return `Errors and warnings stand on standard output, a line each:
FILE:LINE: CODE: what is wrong. A warning has the word warning before its code. The
exit code is 1 if there is an error. No command of the plan is run. Files are looked for on
the integration branch, or in HEAD where there is no board. doc/plans.md has the form of
plans and all codes.`
}

func (c *planCheckCommand) Run(inv *invocation) error {
	r := planReader{inv, c.File}
	file, err := r.read()
	if err != nil {
		return err
	}
	ground, err := r.ground()
	if err != nil {
		return err
	}
	warnings, err := r.check(file, ground)
	if err != nil {
		return err
	}
	text := planLines(c.File, nil, warnings) + fmt.Sprintf("%s: %s, no error\n", c.File, view.Count(len(file.Plan.Tasks), "task"))
	return inv.answer("", planData(&file.Plan, nil, warnings), text)
}

// A planReader reads the plan of a file, or of standard input.
type planReader struct {
	*invocation
	path string
}

func (r planReader) read() (*planfile.File, error) {
	data, err := r.readInput(r.path)
	if err != nil {
		return nil, err
	}
	return planfile.Read(r.path, data, gitstore.MaxMove), nil
}

// check returns the warnings about a plan; if it has errors they are printed and the error
// is theirs.
func (r planReader) check(file *planfile.File, ground *work.Ground) ([]planfile.Finding, error) {
	faults := []plan.Fault{}
	if len(file.Plan.Tasks) > 0 {
		faults = plan.Check(&file.Plan, ground.Ground)
	}
	if err := ground.Err(); err != nil {
		return nil, err
	}
	wrong, warnings := file.Locate(faults)
	if len(wrong) > 0 {
		return nil, r.refuse(wrong, warnings, "git liza help plan check")
	}
	return warnings, nil
}

func (r planReader) ground() (*work.Ground, error) {
	clone, err := r.reader()
	if err != nil {
		return nil, err
	}
	by := flow.Human("")
	if r.as != "" {
		by = flow.Actor(r.as)
	}
	return work.OpenGround(r.ctx, clone, by)
}

// refuse prints what is wrong with the plan, and returns the error of it.
func (r planReader) refuse(wrong, warnings []planfile.Finding, hint string) error {
	if !r.json {
		if err := r.answer("", nil, planLines(r.path, wrong, warnings)); err != nil {
			return err
		}
	}
	return &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RulePlan, hint: hint,
		reason: fmt.Sprintf("%s has %s", r.path, view.Count(len(wrong), "error"))}, planData(nil, wrong, warnings)}
}

func planData(p *plan.Plan, wrong, warnings []planfile.Finding) map[string]any {
	data := map[string]any{"errors": append([]planfile.Finding{}, wrong...), "warnings": append([]planfile.Finding{}, warnings...)}
	if p != nil {
		data["feature"], data["tasks"] = p.Feature, len(p.Tasks)
	}
	return data
}

// planLines formats errors and warnings as compilers do.
func planLines(path string, wrong, warnings []planfile.Finding) string {
	var text strings.Builder
	for _, one := range wrong {
		fmt.Fprintf(&text, "%s:%d: %s: %s\n", path, one.Line, one.Code, plaintext.Line(one.Reason))
	}
	for _, one := range warnings {
		fmt.Fprintf(&text, "%s:%d: warning: %s: %s\n", path, one.Line, one.Code, plaintext.Line(one.Reason))
	}
	return text.String()
}

type planShowCommand struct {
	File   string `arg:"" placeholder:"FILE" help:"A plan in a form that plan check takes; - for standard input."`
	Agents []int  `default:"1,2,4,8" placeholder:"N,…" help:"Numbers of agents to simulate, from 1 to 1000; default 1,2,4,8."`
	Format string `enum:"text,dot,mermaid,svg,json" default:"text" placeholder:"FORM" help:"text (the default), dot for Graphviz, mermaid for Markdown, svg, or json."`
}

// Help says what the simulation assumes.
func (c *planShowCommand) Help() string {
	return `A level is one more than the deepest task that a task needs, unless the plan names
another. The longest chain, marked with a star, takes as long with however many agents.
A free agent is thought to take, of the tasks whose needs are met, the first by priority,
then by the chain that it begins, then by the order of the file. A task without estimate
takes 15 minutes. "level by level" lets no task begin before all of lower levels are done.`
}

func (c *planShowCommand) Run(inv *invocation) error {
	switch {
	case c.Format == "json":
		inv.json = true
	case inv.json && c.Format != "text":
		return usagef("git liza plan show FILE --format json", "--json is a format of its own and goes with no other")
	case len(c.Agents) > 20 || slices.Min(c.Agents) < 1 || slices.Max(c.Agents) > 1000:
		return usagef("git liza help plan show", "--agents takes at most 20 numbers from 1 to 1000")
	}
	r := planReader{inv, c.File}
	file, err := r.read()
	if err != nil {
		return err
	}
	ground, err := r.ground()
	if errors.Is(err, git.ErrNoRepository) {
		ground, err = &work.Ground{}, nil
	}
	if err != nil {
		return err
	}
	g, faults := plan.Link(&file.Plan, ground.OnBoard)
	if err := ground.Err(); err != nil {
		return err
	}
	if wrong, _ := file.Locate(faults); len(wrong) > 0 {
		return r.refuse(wrong, nil, "git liza help plan check")
	}
	v := view.PlanOf(&file.Plan, g, c.Agents)
	return pager{inv}.present(v, c.text(inv, &v))
}

// text returns the plan in the format that the user asked for.
func (c *planShowCommand) text(inv *invocation, v *view.Plan) string {
	switch c.Format {
	case "dot":
		return drawing.DOT(v.Graph())
	case "mermaid":
		return drawing.Mermaid(v.Graph())
	case "svg":
		return drawing.Graph(v.Graph(), drawing.Place{Alone: true})
	}
	return v.Text(inv.width())
}
