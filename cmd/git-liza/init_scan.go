package main

import (
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/survey"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/shell"
)

// scanRepository surveys the commit that is checked out. It runs nothing of the repository.
func scanRepository(inv *invocation, clone *work.Clone) (survey.Survey, error) {
	head, err := clone.Repo.ParseCommit(inv.ctx, "HEAD")
	if err != nil {
		return survey.Survey{}, err
	}
	return survey.Read(clone.Repo.Objects(inv.ctx), head)
}

// scanText says what was found, and what to type if it is right.
func scanText(s survey.Survey) string {
	var b strings.Builder
	b.WriteString("\n")
	if len(s.Files) > 0 {
		b.WriteString("found        " + strings.Join(s.Files, ", ") + "\n")
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
