package main

import (
	"encoding"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type classifyCommand struct {
	Paths []string `arg:"" placeholder:"PATH" help:"Plans and specs, from the current folder."`
	At    string   `placeholder:"COMMIT" help:"Read the files of a commit; default: those of the work tree."`

	Allow  bool              `help:"Let agents work by the files in spite of their class, as long as their texts stay. Only a person does."`
	Say    map[string]string `placeholder:"KEY=WORD" help:"Say the class yourself, as long as the texts stay: loop=forbidden; what you leave out is as the file has it. Only a person does."`
	Reason string            `help:"Why, with --allow or --say; - for standard input."`
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
Markdown, and stories: userStories of a prd.json, or items such as - [ ] US-001: Title. By the last rule security words suggest a second look. The same bytes have the
same class everywhere. The board records it of files that are so on integration, or what
a person says instead:

  git liza classify specs/login.md --say loop=forbidden --say second_look=suggested`
}

func (c *classifyCommand) Run(inv *invocation) error {
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	if c.Allow && len(c.Say) > 0 {
		return usagef("git liza help classify", "--allow leaves the class as it is, and --say gives another: one at a time")
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
	if err := c.say(&r); err != nil {
		return err
	}
	if err := c.record(&r); err != nil {
		return err
	}
	return r.present()
}

// say puts the word of the person in place of what the files say.
func (c *classifyCommand) say(r *classReader) error {
	if len(c.Say) == 0 {
		return nil
	}
	for i := range r.files {
		class := &r.files[i].Class
		for key, word := range c.Say {
			to, known := map[string]encoding.TextUnmarshaler{"type": &class.Type, "scope": &class.Scope, "loop": &class.Loop, "second_look": &class.SecondLook}[key]
			if !known {
				return usagef("git liza help classify", "--say %s: a class has type, scope, loop and second_look", git.Visible(key))
			}
			if err := to.UnmarshalText([]byte(word)); err != nil {
				return usagef("git liza help classify", "--say %s: %v", git.Visible(key), err)
			}
		}
		class.Source, class.Rule, class.Evidence = flow.ClassByPerson, "", []automation.Evidence{}
	}
	return nil
}

// record records the classes of the files that are on integration as they were read, or
// what the person says of them.
func (c *classifyCommand) record(r *classReader) error {
	b, _, err := r.clone.Store.Board(r.ctx)
	said := c.Allow || len(c.Say) > 0
	switch {
	case errors.Is(err, gitstore.ErrNoBoard) && !said:
		return nil
	case err != nil:
		return err
	}
	m := &flow.ClassifyMove{Allow: c.Allow}
	if m.Reason, err = r.text(c.Reason); err != nil {
		return err
	}
	on := b.Settings().Integration
	for i := range r.files {
		f := &r.files[i]
		blob, err := r.clone.Repo.BlobAt(r.ctx, on.Tip, f.Path)
		switch {
		case err != nil:
			return err
		case blob != f.Blob && said:
			return &flow.Refusal{Rule: flow.RuleClass, Hint: "git liza classify --at " + on.Name + " " + shell.Quote(f.Path), Reason: git.Visible(f.Path) + " is not so on integration"}
		case blob != f.Blob:
		case !said && isClassified(b.Tracked(f.Path), blob):
			r.outcome = "already"
			f.Recorded(b.Tracked(f.Path).Class)
		case len(c.Say) > 0:
			m.Files = append(m.Files, flow.Classified{Path: f.Path, Blob: blob, Class: f.Flow()})
		default:
			m.Files = append(m.Files, flow.Classified{Path: f.Path})
		}
	}
	if len(m.Files) == 0 {
		return nil
	}
	clone, err := r.invocation.clone()
	if err != nil {
		return err
	}
	if refusal := b.Opens(flow.ActClassify, "", clone.Caller, clone.Store.Now()); refusal != nil && !said {
		r.progress("not recorded: %s", refusal.Reason)
		return nil
	}
	if !clone.Caller.By.IsHuman() {
		m.Files = slices.DeleteFunc(m.Files, func(f flow.Classified) bool { return b.Tracked(f.Path) == nil })
	}
	if len(m.Files) == 0 {
		r.progress("not recorded: no open goal or task stands on it")
		return nil
	}
	made, err := clone.Make(r.ctx, flow.ActClassify, "", m)
	if r.outcome = "changed"; made.Already {
		r.outcome = "already"
	}
	return err
}

// isClassified reports whether the board knows the class of a blob.
func isClassified(doc *flow.TrackedPath, blob flow.ObjectID) bool {
	return doc != nil && doc.Blob == blob && doc.Class != nil
}

// A classReader classifies files of the work tree, or of a commit.
type classReader struct {
	*invocation
	clone *work.Clone
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
		return r.answer(r.outcome, data, text)
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
