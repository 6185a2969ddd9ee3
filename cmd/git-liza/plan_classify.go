package main

import (
	"encoding"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type planClassifyCommand struct {
	Paths []string `arg:"" placeholder:"PATH" help:"Plans and specs, from the current folder."`
	At    string   `placeholder:"COMMIT" help:"Read the files of a commit; default: those of the work tree."`

	Allow  bool              `help:"Let agents work by the files in spite of their class, as long as their texts stay. Only a person does."`
	Say    map[string]string `placeholder:"KEY=WORD" help:"Say the class yourself, as long as the texts stay: loop=forbidden; what you leave out is as the file has it. Only a person does."`
	Reason string            `help:"Why, with --allow or --say; - for standard input."`
}

func (c *planClassifyCommand) Run(inv *invocation, on reader) error {
	if c.Allow && len(c.Say) > 0 {
		return usagef("git liza help plan classify", "--allow leaves the class as it is, and --say gives another: one at a time")
	}
	if c.At == "" && on.clone.Repo.WorkTree() == "" {
		return &flow.Refusal{Rule: flow.RuleBare, Reason: "there is no work tree here", Hint: "git liza plan classify --at HEAD " + shell.Quote(c.Paths[0])}
	}
	var commit git.ID
	var err error
	if c.At != "" {
		if commit, err = work.ParseCommit(inv.ctx, on.clone, c.At); err != nil {
			return err
		}
	}
	r := classReader{invocation: inv, clone: on.clone}
	if r.texts, err = work.OpenTextFiles(inv.ctx, on.clone, commit); err != nil {
		return err
	}
	r.board, _, err = on.clone.Store.Board(inv.ctx)
	if isSaid := c.Allow || len(c.Say) > 0; err != nil && (isSaid || !errors.Is(err, gitstore.ErrNoBoard)) {
		return err
	}
	for _, name := range c.Paths {
		if err := r.read(name); err != nil {
			return err
		}
	}
	if c.Allow || len(c.Say) > 0 {
		if err := c.record(&r); err != nil {
			return err
		}
	}
	return r.present()
}

// say puts the word of the person in place of that of a class.
func (c *planClassifyCommand) say(class *board.Class) error {
	for key, word := range c.Say {
		to, known := map[string]encoding.TextUnmarshaler{"type": &class.Type, "scope": &class.Scope, "loop": &class.Loop, "second_look": &class.SecondLook}[key]
		if !known {
			return usagef("git liza help plan classify", "--say %s: a class has type, scope, loop and second_look", git.Visible(key))
		}
		if err := to.UnmarshalText([]byte(word)); err != nil {
			return usagef("git liza help plan classify", "--say %s: %v", git.Visible(key), err)
		}
	}
	class.Source, class.Evidence = automation.Person, nil
	return nil
}

// record records what the person says of files that are on integration as they were read.
func (c *planClassifyCommand) record(r *classReader) error {
	m := &flow.ClassifyMove{Allow: c.Allow}
	var err error
	if m.Reason, err = r.text(c.Reason); err != nil {
		return err
	}
	on := r.board.Settings().Integration
	for i := range r.files {
		f := &r.files[i]
		blob, err := r.clone.Repo.BlobAt(r.ctx, on.Tip, f.Path)
		if err != nil {
			return err
		}
		if blob != f.Blob {
			return &flow.Refusal{Rule: flow.RuleClass, Hint: "git liza plan classify --at " + on.Name + " " + shell.Quote(f.Path), Reason: git.Visible(f.Path) + " is not so on integration"}
		}
		said := board.Classified{Path: f.Path, Blob: blob}
		if len(c.Say) > 0 {
			class := f.Class
			if err := c.say(&class); err != nil {
				return err
			}
			said.Class = &class
			f.Class = class
			f.Evidence = []automation.Evidence{}
		}
		m.Files = append(m.Files, said)
	}
	if len(m.Files) == 0 {
		return nil
	}
	clone, err := r.invocation.clone()
	if err != nil {
		return err
	}
	made, err := clone.Make(r.ctx, board.ActClassify, "", m)
	r.outcome = madeOutcome(made.Already)
	return err
}

// A classReader classifies files of the work tree, or of a commit.
type classReader struct {
	*invocation
	clone *work.Clone
	board *board.Board // nil where there is none
	texts *work.TextFiles
	files []view.Class
	wrong []view.Unclassified

	outcome string // of the move that records the classes, "" if there is none
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
		var doc *board.TrackedPath
		if r.board != nil {
			doc = r.board.Tracked(path)
		}
		r.files = append(r.files, view.ClassOf(path, r.clone.Repo.Hash("blob", data), class, doc))
	}
	return nil
}

// present prints the classes; files without one are an error.
func (r *classReader) present() error {
	text := strings.Join(lists.Of(r.files, view.Class.Text), "")
	data := map[string]any{"files": append([]view.Class{}, r.files...), "errors": append([]view.Unclassified{}, r.wrong...)}
	if len(r.wrong) == 0 {
		return r.answer(r.outcome, data, text)
	}
	text += strings.Join(lists.Of(r.wrong, view.Unclassified.Text), "")
	return r.partly(failure{code: exitFailed, outcome: "failed", rule: flow.RuleUnclassified, hint: "git liza help plan classify",
		reason: view.Count(len(r.wrong), "file") + " without a class"}, data, text)
}
