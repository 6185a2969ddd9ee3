package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/survey"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow/shell"
)

// A scan is what init --scan found, and what it made of it.
type scan struct {
	survey.Survey
	Gates  []survey.Gate `json:"gates"`
	Verify string        `json:"verify"` // for tasks; "" if no test was found
	Ready  string        `json:"ready"`  // for post_worktree; "" if none is needed
	Page   string        `json:"page"`   // that was written; "" if there is one already, or no work tree

	draft string
}

// pageName is the page for people and agents who see a repository for the first time.
const pageName = "REPOSITORY.md"

// scanRepository surveys the commit that is checked out, and writes the draft of the
// page beside it, if nothing has its name. It runs nothing of the repository.
func scanRepository(inv *invocation, clone *work.Clone) (*scan, error) {
	head, err := clone.Repo.ParseCommit(inv.ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	objects, err := clone.Repo.Objects(inv.ctx)
	if err != nil {
		return nil, err
	}
	found, err := survey.Read(objects, head)
	if err != nil {
		return nil, err
	}
	template, _ := starter("repository")
	s := &scan{Survey: found, Gates: found.Gates(), Verify: found.Verify(), Ready: found.Ready(),
		draft: found.Draft(template.Text(), filepath.Base(clone.Repo.WorkTree()))}
	return s, s.write(clone.Repo.WorkTree())
}

// write writes the draft where nothing has its name.
func (s *scan) write(dir string) error {
	if dir == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(dir, pageName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(s.draft)
	s.Page = pageName
	return errors.Join(err, f.Close())
}

// text says what was found, and what to type if it is right.
func (s *scan) text() string {
	var b strings.Builder
	var languages []string
	for _, c := range s.Languages {
		languages = append(languages, c.Name)
	}
	b.WriteString("\nfound        " + view.Count(s.Files, "file"))
	if s.Partial {
		b.WriteString(", and more that were not looked at")
	}
	if len(languages) > 0 {
		b.WriteString("; " + strings.Join(languages, ", "))
	}
	b.WriteString("\n")
	switch s.Page {
	case "":
		b.WriteString(pageName + " is there already, and stays as it is\n")
	default:
		b.WriteString(pageName + " is a draft: complete it, then: git add " + pageName + " && git commit -m Repository -- " + pageName +
			" && git liza adopt HEAD --reason R\n")
	}
	if len(s.Gates) == 0 {
		b.WriteString("no build, test or check was found: git liza config gates.test.command CMD\n")
		return b.String()
	}
	b.WriteString("\nWhat a merge must pass, if these commands are right; nothing of the repository was run:\n")
	for _, g := range s.Gates {
		b.WriteString("  git liza config gates." + g.Name + ".command " + shell.Quote(g.Command) + "\n")
	}
	if s.Ready != "" {
		b.WriteString("Before an agent works in a new checkout:\n  git liza config post_worktree " + shell.Quote(s.Ready) + "\n")
	}
	if s.Verify != "" {
		b.WriteString("What a task must pass before it is submitted, in git liza task add:\n  --verify " + shell.Quote(s.Verify) + "\n")
	}
	return b.String()
}
