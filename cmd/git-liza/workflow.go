package main

import (
	"errors"
	"path"
	"strings"

	"github.com/git-liza/git-liza/artifacts/library"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// readWorkflow reads a workflow, by its name or from its file, as a goal keeps a copy of
// it; nil for the one of a goal in which nothing is bounded.
func readWorkflow(inv *invocation, clone *work.Clone, said string) (*board.Workflow, error) {
	if said == board.PlainWorkflow {
		return nil, nil
	}
	l, err := openLibrary(inv.ctx, clone)
	if err != nil {
		return nil, err
	}
	if strings.ContainsRune(said, '/') || path.Ext(said) == ".yaml" {
		return readWorkflowFile(inv, clone, l, said)
	}
	read, err := l.Workflow(said, rowOf(inv, clone))
	if err != nil {
		return nil, workflowError(err)
	}
	w := read.OnBoard()
	for _, d := range l.Workflows() {
		if d.Name == said && d.Path != "" {
			w.Path, w.Blob = d.Path, board.ObjectID(clone.Repo.Hash("blob", d.Text))
		}
	}
	return w, nil
}

// readWorkflowFile reads a workflow from a file that the user names from the current
// folder.
func readWorkflowFile(inv *invocation, clone *work.Clone, l *library.Library, said string) (*board.Workflow, error) {
	file, err := rootedFile(inv, clone, said)
	if err != nil {
		return nil, err
	}
	text, err := inv.readInput(said)
	if err != nil {
		return nil, err
	}
	read, faults := l.ReadWorkflow(strings.TrimSuffix(path.Base(file), path.Ext(file)), text, rowOf(inv, clone))
	if len(faults) > 0 {
		return nil, workflowError(&library.Error{Path: file, Faults: faults})
	}
	w := read.OnBoard()
	w.Path, w.Blob = file, board.ObjectID(clone.Repo.Hash("blob", text))
	return w, nil
}

// workflowError says what to do about a workflow that cannot be used.
func workflowError(err error) error {
	var missing *library.MissingError
	var wrong *library.Error
	switch {
	case errors.As(err, &missing):
		return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza artifact define", Reason: err.Error()}
	case errors.As(err, &wrong):
		return &flow.Refusal{Rule: flow.RuleWorkflow, Hint: "git liza help artifact define", Reason: err.Error()}
	}
	return err
}
