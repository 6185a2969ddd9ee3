package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/artifacts/form"
	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore"
)

// An artifactCheck holds files against what they must be.
type artifactCheck struct {
	*definitions
	files    *work.TextFiles
	finished bool
	usual    string // the type of artifacts of which nothing else says it
	row      func(board.Role) *board.RoleRow
}

func (c *artifactCheck) file(file string) (checkedFile, error) {
	f := checkedFile{Path: file, Type: definitionAt(file), Errors: []artifacts.Fault{}}
	data, why, err := c.files.Read(file, gitstore.MaxArtifact)
	if err != nil {
		return f, err
	}
	name := strings.TrimSuffix(path.Base(file), ".yaml")
	switch {
	case why != "":
		f.fault(artifacts.CodeFile, "%s", why)
	case f.Type == kindType:
		_, wrong := library.ReadType(name, data)
		f.Errors = append(f.Errors, wrong...)
	case f.Type == kindWorkflow:
		_, wrong := c.ReadWorkflow(name, data, c.row)
		f.Errors = append(f.Errors, wrong...)
	default:
		if err := c.artifact(&f, data); err != nil {
			return f, err
		}
	}
	f.Valid = len(f.Errors) == 0
	return f, nil
}

// saidType is the type that the front matter of an artifact says, "" if it says none, or
// is that of a file of which nothing is asked.
func saidType(file string, data []byte, kind *artifacts.Type) (said string) {
	if path.Ext(file) == ".md" && !kind.IsAny() && len(form.Readable(data)) == 0 {
		parted, _ := artifacts.Part(file, data)
		said, _ = parted.Front.Key("type").Text()
	}
	return said
}

// otherType is a fault if the front matter says another type than a workflow.
func otherType(said string, kind *artifacts.Type, workflow string) []artifacts.Fault {
	if said == "" || kind == nil || said == kind.Name {
		return nil
	}
	return []artifacts.Fault{{Code: artifacts.CodeType, Line: 1,
		Text: fmt.Sprintf("its front matter says the type %s; the workflow %s has the type %s at this path", said, workflow, kind.Name)}}
}

// artifact finds the type of an artifact, and holds it against that.
func (c *artifactCheck) artifact(f *checkedFile, data []byte) error {
	pattern := c.at(f.Path)
	kind, usual := pattern.kind, c.usual
	if kind != nil {
		usual = kind.Name
	}
	said := saidType(f.Path, data, kind)
	f.Errors = append(f.Errors, otherType(said, kind, pattern.workflow)...)
	f.Type = cmp.Or(said, usual)
	if f.Type == "" {
		f.fault(artifacts.CodeType, "nothing says its type: neither its front matter, with type: NAME, nor a workflow, nor --type")
		return nil
	}
	var err error
	if kind == nil || kind.Name != f.Type {
		kind, err = c.Library.Type(f.Type)
	}
	var wrong *library.Error
	var missing *library.MissingError
	switch {
	case errors.As(err, &missing):
		f.fault(artifacts.CodeType, "%v", err)
		return nil
	case errors.As(err, &wrong):
		f.fault(artifacts.CodeType, "its type %s is wrong: %v", f.Type, err)
		return nil
	case err != nil:
		return err
	}
	faults, err := heldTo(c.Library, kind, c.finished || pattern.finished, f.Path, data)
	f.Errors = append(f.Errors, faults...)
	return err
}

// heldTo holds an artifact against its type, and against the template of that in a library.
func heldTo(l *library.Library, kind *artifacts.Type, finished bool, file string, data []byte) ([]artifacts.Fault, error) {
	switch {
	case kind.IsAny():
		return nil, nil
	case kind.IsPlan():
		return planFaults(file, data), nil
	case path.Ext(file) != ".md":
		return []artifacts.Fault{{Code: artifacts.CodeType, Line: 1, Text: fmt.Sprintf("an artifact of type %s is Markdown, in a file that ends in .md", kind.Name)}}, nil
	}
	held, err := form.Of(kind, artifactTemplate(l, kind.Name))
	if err != nil {
		return nil, err
	}
	held.Finished = finished
	return held.Check(file, data), nil
}

// mostFaults is after how many faults no further artifact is judged.
const mostFaults = 100

// judgeArtifacts holds artifacts that a move changes against the types of their goals: it
// is what a submission, a merge and a server ask.
func judgeArtifacts(_ context.Context, list []gitstore.Artifact) (lines []string, err error) {
	l, err := library.Open(nil)
	if err != nil {
		return nil, err
	}
	for _, one := range list {
		if len(lines) > mostFaults {
			break
		}
		kind := artifacts.TypeOf(&one.Type)
		f := checkedFile{Path: one.Path, Errors: otherType(saidType(one.Path, one.Text, kind), kind, one.Workflow)}
		faults, err := heldTo(l, kind, one.Finished, one.Path, one.Text)
		if err != nil {
			return nil, err
		}
		f.Errors = append(f.Errors, faults...)
		if text := strings.TrimSuffix(f.lines(), "\n"); text != "" {
			lines = append(lines, strings.Split(text, "\n")...)
		}
	}
	return lines, nil
}

// planFaults are the errors of a plan by itself: whatever is on the board, the same.
func planFaults(file string, data []byte) []artifacts.Fault {
	read := planfile.Read(file, data, gitstore.MaxMove)
	var found []plan.Fault
	if len(read.Plan.Tasks) > 0 {
		own := lists.Set(read.Plan.Tasks, func(t plan.Task) board.TaskID { return t.ID })
		found = plan.Check(&read.Plan, plan.Ground{OnBoard: func(id board.TaskID) bool { return !own[id] }})
	}
	wrong, _ := read.Locate(found)
	return artifacts.Sorted(lists.Of(wrong, func(one planfile.Finding) artifacts.Fault {
		return artifacts.Fault{Code: artifacts.Code(one.Code), Line: one.Line, Field: string(one.Task), Text: one.Reason}
	}))
}
