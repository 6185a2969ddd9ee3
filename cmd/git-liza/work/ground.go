package work

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Ground is what a plan is checked against here: the files of the integration branch,
// of HEAD where there is no board, the tasks of the board, and the programs of this
// machine.
type Ground struct {
	plan.Ground
	files *files      // nil without a commit
	board *flow.Board // nil without a board
}

// Err is the first error that kept a question from being answered.
func (g *Ground) Err() error {
	var err error
	if g.files != nil {
		err = g.files.err
	}
	if g.board != nil {
		err = errors.Join(err, g.board.Err())
	}
	return err
}

// OpenGround returns what a plan is checked against in a clone, for an actor who would
// enter it.
func OpenGround(ctx context.Context, c *Clone, by flow.Actor) (*Ground, error) {
	g := &Ground{}
	g.HasTool = func(program string) bool { return len(missingTools(ctx, c.environ, program)) == 0 }
	b, _, err := c.Store.Board(ctx)
	var commit git.ID
	switch {
	case errors.Is(err, gitstore.ErrNoBoard):
		if commit, err = c.Repo.ParseCommit(ctx, "HEAD"); errors.Is(err, git.ErrNoCommit) {
			return g, nil
		}
	case err == nil:
		g.board, commit = b, b.Settings().Integration.Tip
		g.TextLimit = b.Settings().Config.TextLimit
		g.Describe = func(in flow.TaskInput) []*flow.Refusal { return b.Describe(in, by) }
		goal := cmp.Or(c.Named, c.Usual, b.Settings().Goal)
		for _, s := range b.Summaries() {
			if s.Goal == goal {
				g.Deepest = max(g.Deepest, s.Level)
			}
		}
		g.OnBoard = func(id flow.TaskID) bool { return b.Task(id) != nil }
	}
	if err != nil {
		return nil, err
	}
	g.files, err = openFiles(ctx, c.Repo, commit)
	g.Find = g.files.find
	return g, err
}

// missingTools are the programs that the shell, which runs the commands of a board, does
// not find; none if it cannot be asked.
func missingTools(ctx context.Context, environ []string, programs ...string) []string {
	if len(programs) == 0 {
		return nil
	}
	var out strings.Builder
	const each = `for p; do command -v -- "$p" >/dev/null || printf '%s\n' "$p"; done`
	_, err := proc.Run(ctx, proc.Command{Path: "sh", Args: append([]string{"-c", each, "sh"}, programs...), Env: proc.Environment(environ, nil), Stdout: &out})
	if err != nil {
		return nil
	}
	return strings.Fields(out.String())
}

// files are those of a commit. A folder is read once.
type files struct {
	objects *git.Objects
	root    git.ID
	folders map[string]map[string]git.Entry
	err     error
}

func openFiles(ctx context.Context, repo *git.Repo, commit git.ID) (*files, error) {
	objects, err := repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	c, err := objects.Commit(commit)
	return &files{objects: objects, root: c.Tree, folders: map[string]map[string]git.Entry{}}, err
}

// find says what is at a path. After an error it says nothing.
func (f *files) find(path string) plan.Found {
	e, ok := f.entry(path)
	switch {
	case !ok:
		return plan.Nothing
	case e.Mode == git.ModeTree:
		return plan.Folder
	case e.Mode == git.ModeSymlink, e.Mode == git.ModeSubmodule:
		return plan.Symlink
	}
	return plan.Blob
}

func (f *files) entry(path string) (e git.Entry, ok bool) {
	i := strings.LastIndexByte(path, '/')
	e, ok = f.folder(path[:max(i, 0)])[path[i+1:]]
	return e, ok
}

// folder returns the entries of a folder by their names, nil if it is none.
func (f *files) folder(path string) map[string]git.Entry {
	if known, ok := f.folders[path]; ok || f.err != nil {
		return known
	}
	id := f.root
	if path != "" {
		e, ok := f.entry(path)
		if !ok || e.Mode != git.ModeTree {
			f.folders[path] = nil
			return nil
		}
		id = e.ID
	}
	var list []git.Entry
	if list, f.err = f.objects.Tree(id); f.err != nil {
		return nil
	}
	f.folders[path] = make(map[string]git.Entry, len(list))
	for _, e := range list {
		f.folders[path][e.Name] = e
	}
	return f.folders[path]
}
