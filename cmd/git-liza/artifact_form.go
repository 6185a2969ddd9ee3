//go:build !apart

package main

import (
	"errors"
	"path"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/artifacts/form"
	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// check holds artifacts and definitions against what they must be.
func (c *artifactCheckCommand) check(inv *invocation) error {
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	var commit git.ID
	if c.At != "" {
		if commit, err = clone.Repo.ParseCommit(inv.ctx, c.At); err != nil {
			return err
		}
	}
	files, err := work.OpenTextFiles(inv.ctx, clone, commit)
	if err != nil {
		return err
	}
	d, err := readDefinitions(clone)
	if err != nil {
		return err
	}
	paths, err := c.paths(inv, clone, d, files)
	if err != nil {
		return err
	}
	check := artifactCheck{definitions: d, files: files, finished: c.Finished, capacity: capacityOf(inv, clone), forms: map[string]*form.Form{}}
	list := []checkedFile{}
	for _, one := range paths {
		checked, err := check.file(one)
		if err != nil {
			return err
		}
		list = append(list, checked)
	}
	return answerChecked(inv, list)
}

// An artifactCheck holds files against what they must be.
type artifactCheck struct {
	*definitions
	files    *work.TextFiles
	finished bool
	capacity func(flow.Role) flow.Capacity
	forms    map[string]*form.Form
}

func (c *artifactCheck) file(file string) (checkedFile, error) {
	f := checkedFile{Path: file, Type: definitionAt(file), Errors: []artifacts.Fault{}}
	data, why, err := c.files.Read(file, maxArtifact)
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
		_, wrong := c.ReadWorkflow(name, data, c.capacity)
		f.Errors = append(f.Errors, wrong...)
	default:
		if err := c.artifact(&f, data); err != nil {
			return f, err
		}
	}
	f.Valid = len(f.Errors) == 0
	return f, nil
}

// artifact finds the type of an artifact, and holds it against that.
func (c *artifactCheck) artifact(f *checkedFile, data []byte) error {
	pattern := c.at(f.Path)
	isText := path.Ext(f.Path) == ".md"
	said := ""
	if isText && len(form.Readable(data)) == 0 {
		parted, _ := artifacts.Part(f.Path, data)
		said, _ = parted.Front.Key("type").Text()
	}
	f.Type = said
	switch {
	case said == "":
		f.Type = pattern.kind
	case pattern.kind != "" && said != pattern.kind:
		f.fault(artifacts.CodeType, "its front matter says the type %s; the workflow %s has the type %s at this path", said, pattern.workflow, pattern.kind)
	}
	if f.Type == "" {
		f.fault(artifacts.CodeType, "nothing says its type: neither its front matter, with type: NAME, nor a workflow")
		return nil
	}
	kind, err := c.Library.Type(f.Type)
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
	case kind.IsPlan():
		f.Errors = append(f.Errors, planFaults(f.Path, data)...)
		return nil
	case !isText:
		f.fault(artifacts.CodeType, "an artifact of type %s is Markdown, in a file that ends in .md", f.Type)
		return nil
	}
	held := c.forms[f.Type]
	if held == nil {
		if held, err = form.Of(kind, artifactTemplate(c.Library, f.Type)); err != nil {
			return err
		}
		held.Finished = c.finished
		c.forms[f.Type] = held
	}
	f.Errors = append(f.Errors, held.Check(f.Path, data)...)
	return nil
}

// planFaults are the errors of a plan by itself: whatever is on the board, the same.
func planFaults(file string, data []byte) (list []artifacts.Fault) {
	read := planfile.Read(file, data, gitstore.MaxMove)
	var found []plan.Fault
	if len(read.Plan.Tasks) > 0 {
		own := map[flow.TaskID]bool{}
		for _, t := range read.Plan.Tasks {
			own[t.ID] = true
		}
		found = plan.Check(&read.Plan, plan.Ground{OnBoard: func(id flow.TaskID) bool { return !own[id] }})
	}
	wrong, _ := read.Locate(found)
	for _, one := range wrong {
		list = append(list, artifacts.Fault{Code: artifacts.Code(one.Code), Line: one.Line, Field: string(one.Task), Text: one.Reason})
	}
	return artifacts.Sorted(list)
}
