package main

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planforms"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/lesson"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type checkCommand struct {
	Paths    []string `arg:"" optional:"" placeholder:"PATH" help:"Files, or folders for what is below them: artifacts, definitions, lessons, extensions; or one plan, - for standard input. Default: all of them but plans."`
	At       string   `placeholder:"COMMIT" help:"Read the files of a commit; default: those of the work tree."`
	Finished bool     `help:"Refuse artifacts whose status is draft or proposed, as a phase does that needs them."`
	Type     string   `placeholder:"NAME" help:"What artifacts are that neither say their type nor stand where a workflow gives them one."`
	goalFlag
}

func (c *checkCommand) Run(inv *invocation) error {
	for _, said := range c.Paths {
		switch {
		case !c.isPlan(inv, said):
		case len(c.Paths) > 1:
			return usagef("git liza check "+shell.Quote(said), "a plan is checked by itself")
		default:
			return checkPlan(inv, said, c.goalFlag)
		}
	}
	if c.Goal != "" {
		return usagef("git liza help check", "--goal is for a plan")
	}
	list, err := c.files(inv)
	if err != nil {
		return err
	}
	return answerChecked(inv, list, "git liza help check")
}

// isPlan reports whether a path is that of a plan: an artifact that is one is held against
// the board, too, unless --at or --finished ask for the text alone.
func (c *checkCommand) isPlan(inv *invocation, said string) bool {
	r := planReader{inv, said}
	switch {
	case said == "-":
		return true
	case c.At != "" || c.Finished || c.Type != "" || isExtension(inv, said):
		return false
	case r.isFolder():
		file, err := r.readForms() // an error that has a hint knows of plans below
		var refusal *flow.Refusal
		return file != nil || errors.As(err, &refusal) && refusal.Hint != noPlan
	}
	if clone, err := inv.reader(); err == nil {
		file, err := rootedFile(inv, clone, said)
		if err == nil && isBelow([]string{".liza"}, file) { // definitions
			return false
		}
	}
	return planforms.IsNamed(filepath.Base(said)) || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(said))
}

// isExtension reports whether a path is the folder of an extension.
func isExtension(inv *invocation, said string) bool {
	_, err := os.Lstat(filepath.Join(pathFrom(inv.dir, said), extension.Manifest))
	return err == nil
}

// files checks all files that are no plans.
func (c *checkCommand) files(inv *invocation) (list []checkedFile, err error) {
	paths := slices.Clone(c.Paths)
	if c.At == "" {
		for _, said := range c.Paths {
			if !isExtension(inv, said) {
				continue
			}
			e, err := readExtension(inv, said)
			if err != nil {
				return nil, err
			}
			list = append(list, checkedExtensions(*e)...)
			paths = slices.DeleteFunc(paths, func(one string) bool { return one == said })
		}
		if len(paths) == 0 && len(c.Paths) > 0 {
			return list, nil
		}
	}
	clone, err := inv.reader()
	if err != nil {
		return nil, err
	}
	k := checking{inv: inv, clone: clone, all: len(c.Paths) == 0}
	if c.At != "" {
		if k.commit, err = work.ParseCommit(inv.ctx, clone, c.At); err != nil {
			return nil, err
		}
	}
	if err := k.open(c.Finished, c.Type); err != nil {
		return nil, err
	}
	for i, said := range paths {
		if paths[i], err = rootedFile(inv, clone, said); err != nil {
			return nil, err
		}
	}
	return k.check(list, paths)
}

// A checking has what the files of a clone are held against.
type checking struct {
	inv    *invocation
	clone  *work.Clone
	commit git.ID // "" for the work tree

	artifacts  artifactCheck
	lessons    []string // their paths
	extensions []extension.Installed
	all        bool // and not only what somebody named
}

func (k *checking) open(finished bool, usual string) error {
	files, err := work.OpenTextFiles(k.inv.ctx, k.clone, k.commit)
	if err != nil {
		return err
	}
	d, err := readDefinitions(k.inv.ctx, k.clone)
	if err != nil {
		return err
	}
	k.artifacts = artifactCheck{definitions: d, files: files, finished: finished, usual: usual, row: rowOf(k.inv, k.clone)}
	if k.lessons, err = files.List(k.inv.ctx, lesson.Folder); err != nil {
		return err
	}
	k.lessons = slices.DeleteFunc(k.lessons, func(p string) bool { return strings.HasPrefix(path.Base(p), ".") })
	switch {
	case k.commit != "":
		k.extensions, err = extensionsAt(k.inv, k.clone, k.commit)
	case k.clone.Repo.MainWorkTree() != "":
		k.extensions, _, err = readExtensions(k.inv)
	}
	return err
}

// check checks what is at or below paths, all without any.
func (k *checking) check(list []checkedFile, paths []string) ([]checkedFile, error) {
	files, err := k.artifacts.files.List(k.inv.ctx, k.artifacts.folders()...)
	if err != nil {
		return nil, err
	}
	asked := func(file string) bool { return k.artifacts.at(file).kind != nil || definitionAt(file) != "" }
	files = slices.DeleteFunc(files, func(file string) bool { return !asked(file) })
	for _, e := range k.extensions {
		if isBelow(paths, e.Path) {
			list = append(list, checkedExtensions(e)...)
		}
	}
	for _, file := range append(files, k.lessons...) {
		if !isBelow(paths, file) {
			continue
		}
		if list, err = k.add(list, file); err != nil {
			return nil, err
		}
	}
	for _, said := range paths {
		if slices.ContainsFunc(list, func(f checkedFile) bool { return isBelow([]string{said}, f.Path) }) {
			continue
		}
		if list, err = k.add(list, said); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b checkedFile) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(list, func(a, b checkedFile) bool { return a.Path == b.Path }), nil
}

// add checks one file.
func (k *checking) add(list []checkedFile, file string) ([]checkedFile, error) {
	if file != lesson.Folder && !isBelow([]string{lesson.Folder}, file) {
		f, err := k.artifacts.file(file)
		return append(list, f), err
	}
	l, err := k.inv.look()
	if errors.Is(err, gitstore.ErrNoBoard) && k.all {
		return list, nil // nothing is on integration that a lesson could come from
	}
	if err != nil {
		return nil, err
	}
	f, err := checkLesson(k.inv, l, k.artifacts.files, file, k.lessons)
	return append(list, f), err
}

// isBelow reports whether a file is one of the paths or below one; without paths it is.
func isBelow(paths []string, file string) bool {
	return len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool { return p == "." || p == file || strings.HasPrefix(file, p+"/") })
}
