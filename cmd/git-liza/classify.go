package main

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/gitstore/git"
)

type classifyCommand struct {
	Paths []string `arg:"" placeholder:"PATH" help:"Plans and specs, from the current folder; - for standard input."`
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
	repo, err := inv.repo()
	if err != nil {
		return err
	}
	r := classReader{invocation: inv, repo: repo}
	if c.At != "" {
		if r.commit, err = repo.ParseCommit(inv.ctx, c.At); err != nil {
			return err
		}
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
	repo   *git.Repo
	commit git.ID // "" for the work tree
	files  []view.Class
	wrong  []view.Unclassified
}

// read classifies a file that the user names from the current folder.
func (r *classReader) read(name string) error {
	data, err := r.data(name)
	if err != nil {
		return err
	}
	rooted := r.rooted(name)
	class, err := automation.Classify(rooted, data)
	var malformed *automation.Error
	if errors.As(err, &malformed) {
		r.wrong = append(r.wrong, view.Unclassified{Path: rooted, Line: malformed.Line, Reason: malformed.Reason})
		return nil
	}
	r.files = append(r.files, view.Class{Path: rooted, Blob: r.repo.Hash("blob", data), Class: class})
	return err
}

func (r *classReader) data(name string) ([]byte, error) {
	if r.commit == "" {
		return r.readInput(name)
	}
	blob, err := r.repo.BlobAt(r.ctx, r.commit, r.rooted(name))
	if err == nil && blob == "" {
		err = usagef("git ls-tree -r --name-only "+r.commit.Short(), "there is no file %s at %s", git.Visible(name), r.commit.Short())
	}
	if err != nil {
		return nil, err
	}
	objects, err := r.repo.Objects(r.ctx)
	if err != nil {
		return nil, err
	}
	data, err := objects.ReadKind(blob, "blob", maxInput)
	var large *git.TooLarge
	if errors.As(err, &large) {
		return make([]byte, maxInput), nil // its size is all that is said of it
	}
	return data, err
}

// rooted is the path of a file from the root of the repository; the name itself if it
// is outside.
func (r *classReader) rooted(name string) string {
	dir, err := filepath.EvalSymlinks(r.dir) // as git prints the work tree
	if name == "-" || r.repo.WorkTree() == "" || err != nil {
		return path.Clean(filepath.ToSlash(name))
	}
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	rel, err := filepath.Rel(r.repo.WorkTree(), file)
	if err != nil || !filepath.IsLocal(rel) {
		return name
	}
	return filepath.ToSlash(rel)
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
