package main

import (
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/recall"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
)

type recallCommand struct {
	Query  []string `arg:"" optional:"" help:"What to look for, in words."`
	Count  int      `short:"n" default:"5" placeholder:"N" help:"At most so many; default 5."`
	Source string   `enum:",move,session,file" default:"" placeholder:"SOURCE" help:"Only moves, sessions or files: move, session, file."`

	Lessons bool         `help:"Instead what was learnt, and where it comes from."`
	Task    board.TaskID `placeholder:"TASK" help:"Only lessons that concern the paths of a task, the closest first, whole."`
	Path    []string     `placeholder:"PATH" help:"Only lessons that concern these paths or globs, the closest first, whole; repeatable."`
}

// mostRecalled bounds what one command answers.
const mostRecalled = 1000

func (c *recallCommand) Run(inv *invocation) error {
	if c.Count < 1 || c.Count > mostRecalled {
		return usagef("git liza help recall", "the count is a number from 1 to %d, not %d", mostRecalled, c.Count)
	}
	if c.Lessons != (len(c.Query) == 0) || !c.Lessons && (c.Task != "" || len(c.Path) > 0) {
		return usagef("git liza help recall", "it takes words to look for, or --lessons, of a task or paths")
	}
	if c.Lessons {
		return withLook(inv, c.lessons)
	}
	if strings.TrimSpace(strings.Join(c.Query, " ")) == "" {
		return usagef("git liza help recall", "there is no word to look for")
	}
	l, err := inv.look()
	if err != nil {
		return err
	}
	query := strings.Join(c.Query, " ")
	said := saying{look: l, ctx: inv.ctx, mask: secret.New(inv.environ), search: recall.New(query)}
	if err := said.read(c.Source); err != nil {
		return err
	}
	hits := said.search.Hits(c.Count)
	return inv.answer("", map[string]any{"query": query, "hits": hits}, view.HitsText(hits, query, git.ShortBranch(inv.ctx, l.clone.Repo, l.reading.Board.Settings().Integration.Name), inv.width()))
}

type recallTool struct {
	Query  string `arg:"" help:"What to look for, in words."`
	Count  int    `default:"5" placeholder:"1..1000" help:"At most so many; default 5."`
	Source string `enum:"move,session,file" help:"Only moves, sessions or files."`
}

// Run finds.
func (c *recallTool) Run(inv *invocation) error {
	return (&recallCommand{Query: []string{c.Query}, Count: c.Count, Source: c.Source}).Run(inv)
}
