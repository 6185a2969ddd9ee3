package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

type classifyCommand struct {
	Paths []string `arg:"" placeholder:"PATH" help:"Plans and specs, from the current folder."`
	At    string   `placeholder:"COMMIT" help:"Read the files of a commit; default: those of the work tree."`
}

// Help says where a class comes from.
func (c *classifyCommand) Help() string {
	var rules strings.Builder
	for _, rule := range automation.Rules[1:] {
		fmt.Fprintf(&rules, "  %-11s %s\n", rule.Name, rule.Meaning)
	}
	return `A file declares its class in its front matter, in a file of YAML among the outermost keys:

  automation:
    type: mixed              # conceptual, mechanical
    scope: bounded           # unbounded
    loop: discouraged        # allowed, forbidden
    second_look: suggested   # optional, unnecessary

Otherwise the first of these rules gives it that fits, by English words outside fences:

` + rules.String() + `
Code is what files_modified of the front matter or a tag <files> declares, if it is no
Markdown. By the last rule security words suggest a second look. The same bytes have the
same class everywhere. Nothing is recorded.`
}

func (c *classifyCommand) Run(inv *invocation) error {
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	if c.At == "" && clone.Repo.WorkTree() == "" {
		return &flow.Refusal{Rule: flow.RuleBare, Reason: "there is no work tree here", Hint: "git liza classify --at HEAD " + shell.Quote(c.Paths[0])}
	}
	var commit git.ID
	if c.At != "" {
		if commit, err = clone.Repo.ParseCommit(inv.ctx, c.At); err != nil {
			return err
		}
	}
	r := classReader{invocation: inv, clone: clone}
	if r.texts, err = work.OpenTextFiles(inv.ctx, clone, commit); err != nil {
		return err
	}
	for _, name := range c.Paths {
		if err := r.read(name); err != nil {
			return err
		}
	}
	return r.present()
}

// A classReader classifies files of the work tree, or of a commit.
type classReader struct {
	*invocation
	clone *work.Clone
	texts *work.TextFiles
	files []view.Class
	wrong []view.Unclassified
}

// read classifies a file that the user names from the current folder.
func (r *classReader) read(name string) error {
	path, err := rootedFile(r.invocation, r.clone, name)
	if err != nil {
		return err
	}
	data, why, err := r.texts.Read(path, automation.MaxFile)
	if err != nil {
		return err
	}
	class, err := automation.Classify(path, data)
	var malformed *automation.Error
	switch {
	case why != "":
		r.wrong = append(r.wrong, view.Unclassified{Path: path, Line: 1, Reason: why})
	case errors.As(err, &malformed):
		r.wrong = append(r.wrong, view.Unclassified{Path: path, Line: malformed.Line, Reason: malformed.Reason})
	default:
		r.files = append(r.files, view.Class{Path: path, Blob: r.clone.Repo.Hash("blob", data), Class: class})
	}
	return nil
}

// present prints the classes; files without one are an error.
func (r *classReader) present() error {
	text := ""
	for _, one := range r.files {
		text += one.Text()
	}
	data := map[string]any{"files": append([]view.Class{}, r.files...), "errors": append([]view.Unclassified{}, r.wrong...)}
	if len(r.wrong) == 0 {
		return r.answer("", data, text)
	}
	for _, one := range r.wrong {
		text += one.Text()
	}
	if !r.json {
		if err := r.answer("", nil, text); err != nil {
			return err
		}
	}
	return &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RuleUnclassified, hint: "git liza help classify",
		reason: view.Count(len(r.wrong), "file") + " without a class"}, data}
}
