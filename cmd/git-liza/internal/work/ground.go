package work

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Ground is what a plan is checked against here: the files of the integration branch,
// of HEAD where there is no board, the tasks of the board, and the programs of this
// machine.
type Ground struct {
	plan.Ground
	files *files       // nil without a commit
	board *board.Board // nil without a board
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
func OpenGround(ctx context.Context, c *Clone, by board.Actor) (*Ground, error) {
	b, _, err := c.Store.Board(ctx)
	if errors.Is(err, gitstore.ErrNoBoard) {
		g := &Ground{}
		g.HasTool = c.hasTool(ctx)
		var commit git.ID
		if commit, err = c.Repo.ParseCommit(ctx, "HEAD"); errors.Is(err, git.ErrNoCommit) {
			return g, nil
		}
		if err != nil {
			return nil, err
		}
		return g, g.open(ctx, c.Repo, commit)
	}
	if err != nil {
		return nil, err
	}
	return c.groundOf(ctx, b, by, cmp.Or(c.Named, c.Usual, b.Settings().Goal))
}

// groundOf is what tasks of a goal are checked against on a board.
func (m *mover) groundOf(ctx context.Context, b *board.Board, by board.Actor, goal board.GoalID) (*Ground, error) {
	g := &Ground{board: b}
	g.HasTool = m.hasTool(ctx)
	g.TextLimit, g.Tests = b.Settings().Config.TextLimit, b.Settings().Config.Tests
	phase := plannedPhase(b, goal)
	g.Describe = func(in board.TaskInput) []*flow.Refusal {
		in.Phase = cmp.Or(in.Phase, phase)
		return flow.DescribeOn(b, in, by)
	}
	g.OnBoard = func(id board.TaskID) bool { return b.Task(id) != nil }
	g.Names = func(id board.TaskID, path string) bool {
		t := b.Task(id)
		return t != nil && t.Files != nil && slices.Contains(slices.Concat(t.Files.Written(), t.Files.Read), path)
	}
	owned := ownership{board: b}
	g.Owned = owned.has
	for _, s := range b.Summaries() {
		if s.Goal == goal {
			g.Deepest = max(g.Deepest, s.Level)
		}
	}
	for _, gate := range slices.Concat(b.Settings().Config.GatesAt(board.AtSubmit), b.Settings().Config.GatesAt(board.AtMerge)) {
		g.Gated = g.Gated || gate.Required && len(gate.Paths) == 0
	}
	return g, g.open(ctx, m.Repo, b.Settings().Integration.Tip)
}

// open lets files be looked for in a commit.
func (g *Ground) open(ctx context.Context, repo *git.Repo, commit git.ID) (err error) {
	g.files, err = openFiles(ctx, repo, commit)
	g.Find = g.files.find
	return err
}

func (m *mover) hasTool(ctx context.Context) func(string) bool {
	return func(program string) bool { return len(missingTools(ctx, m.environ, program)) == 0 }
}

// An ownership is what the open tasks of a board write.
type ownership struct {
	board    *board.Board
	paths    map[string]bool // nil until somebody asks
	patterns []string
	asked    int
}

// mostMatches bounds how often patterns are compared with paths. A path of which nobody
// knows then counts as written.
const mostMatches = 1_000_000

func (o *ownership) has(path string) bool {
	if o.paths == nil {
		o.paths = map[string]bool{}
		for _, s := range o.board.Summaries() {
			if s.Status.Final() {
				continue
			}
			for _, one := range s.Owns {
				if o.paths[one] = true; strings.ContainsAny(one, `*?[\`) || strings.HasSuffix(one, "/") {
					o.patterns = append(o.patterns, one)
				}
			}
		}
	}
	if o.asked += len(o.patterns); o.paths[path] || o.asked > mostMatches {
		return true
	}
	return slices.ContainsFunc(o.patterns, func(one string) bool { return glob.Match(one, path) })
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
	objects := repo.Objects(ctx)
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
