package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planforms"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

func (r planReader) isFolder() bool {
	info, err := os.Stat(r.path)
	return err == nil && info.IsDir()
}

// readForms reads the plan of another system: a folder, or a file that has the name of one
// of its files. It is nil of any other file.
func (r planReader) readForms() (*planfile.File, error) {
	folder, base := r.path, ""
	if !r.isFolder() {
		if folder, base = filepath.Split(filepath.Clean(r.path)); r.path == "-" || !planforms.IsNamed(base) {
			return nil, nil
		}
	}
	folder = filepath.Join(folder, ".")
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, usagef("ls -l", "%v", err)
	}
	defer root.Close()
	within, err := r.rooted(folder)
	if err != nil {
		return nil, err
	}
	file, err := planforms.Read(root.FS(), within, base)
	var none *planforms.Error
	switch {
	case errors.As(err, &none):
		return nil, &flow.Refusal{Rule: flow.RulePlan, Reason: git.Visible(r.path) + ": " + none.Reason, Hint: r.instead(folder, none.Try)}
	case err != nil:
		return nil, usagef("ls -l "+shell.Quote(r.path), "%v", err)
	}
	return file, nil
}

// rooted is the path of a folder from the root of the repository; where there is none, its
// name.
func (r planReader) rooted(folder string) (string, error) {
	clone, err := r.reader()
	if errors.Is(err, git.ErrNoRepository) {
		return filepath.Base(folder), nil
	}
	if err != nil {
		return "", err
	}
	return rootedFile(r.invocation, clone, folder)
}

// noPlan is the hint where there is nothing that could be a plan.
const noPlan = "git liza help plan import"

// instead is the command that the user typed with the first of the paths that may be meant.
func (r planReader) instead(folder string, try []string) string {
	if len(try) == 0 {
		return noPlan
	}
	return "git liza " + shell.Join(lists.Of(r.args, func(word string) string {
		if word == r.path {
			return filepath.Join(folder, try[0])
		}
		return word
	})...)
}

// named is a file of the plan as the user would name it; "" is the plan itself.
func (r planReader) named(file string) string {
	switch {
	case file == "":
		return r.path
	case r.isFolder():
		return filepath.Join(r.path, file)
	}
	return filepath.Join(filepath.Dir(r.path), file)
}

// places are the tasks of an import's move.
func (r planReader) places(i *work.PlanImport) []planfile.Origin {
	return lists.Of(i.Moved, func(n int) planfile.Origin {
		return planfile.Origin{File: r.named(i.File.TaskFile(n)), Line: i.File.TaskLine(n)}
	})
}

// reportOf is the report on a plan of another system, whose lists are never null; nil of
// ours.
func reportOf(file *planfile.File) *planfile.Report {
	if file.Report.System == "" {
		return nil
	}
	report := file.Report
	report.Left = append([]planfile.Left{}, report.Left...)
	report.Finished = append([]planfile.Finished{}, report.Finished...)
	return &report
}

// reportLines say what of the files of another system has no place in the plan, and what is
// finished there. What is the same in several places has one line.
func (r planReader) reportLines(file *planfile.File) string {
	type kind struct{ what, why string }
	more := map[kind]int{}
	for _, one := range file.Report.Left {
		more[kind{one.What, one.Why}]++
	}
	var text strings.Builder
	for _, one := range file.Report.Left {
		k := kind{one.What, one.Why}
		if more[k] == 0 {
			continue
		}
		fmt.Fprintf(&text, "%s:%d: unmapped: %s", git.Visible(r.named(one.File)), one.Line, plaintext.Line(one.What+": "+one.Why))
		if n := more[k] - 1; n > 0 {
			fmt.Fprintf(&text, " (and %d more)", n)
		}
		text.WriteString("\n")
		more[k] = 0
	}
	for _, one := range file.Report.Finished {
		fmt.Fprintf(&text, "%s:%d: finished: %s: %s (%s)\n", git.Visible(r.named(one.File)), one.Line, one.Task, plaintext.Line(one.Title), plaintext.Line(one.Why))
	}
	return text.String()
}
