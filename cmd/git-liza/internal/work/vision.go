package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Vision is the spec of a goal that is made of the goal's words: one page, in a
// file that is not there yet, committed on the branch of the checkout.
type Vision struct {
	Path   string         // from the root of the repository
	Branch string         // that gets the commit
	Commit board.ObjectID // "" until Write has made it

	goal  string
	specs *Specs
}

// longestHeading bounds the heading and the subject of the commit, in characters.
const longestHeading = 60

// commitLimit is how long a commit of the user's may take, with the hooks of the
// repository.
const commitLimit = 10 * time.Minute

// newVision returns the vision that the words of a goal make where nothing has
// the path of the spec, nil where they make none: without words, without a
// work tree, with an anchor, or where integration is another branch than that of
// the checkout.
func (s *Specs) newVision(ctx context.Context, p Plan, created bool) (*Vision, error) {
	at := s.findFile(ctx, p.Spec)
	switch {
	case p.Goal == "" || s.repo.WorkTree() == "" || !at.nowhere() || !isFileName(p.Spec):
		return nil, nil
	}
	out, err := s.repo.Git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	branch := strings.TrimSpace(string(out))
	switch {
	case git.ExitCode(err) == 1:
		branch = ""
	case err != nil:
		return nil, err
	}
	if !created && branch != p.Branch {
		return nil, nil
	}
	return &Vision{Path: p.Spec, Branch: branch, goal: p.Goal, specs: s}, s.refuseVision(ctx, p, branch)
}

// freePage returns the path of the page of a goal that has none: a file that is not there.
func (s *Specs) freePage(ctx context.Context, id board.GoalID) string {
	name := "specs/" + string(id) + ".md"
	for n := 2; !s.findFile(ctx, name).nowhere(); n++ {
		name = fmt.Sprintf("specs/%s-%d.md", id, n)
	}
	return name
}

// AddPage writes the page of one more goal, as [Clone.Init] does for the first, and brings it
// onto integration, which the checkout is at. It returns the page's path.
func AddPage(ctx context.Context, c *Clone, b *board.Board, id board.GoalID, goal string) (string, error) {
	want := b.Settings().Integration
	if ahead := c.Integration.Ahead(ctx, b); ahead != nil {
		return "", &flow.Refusal{Rule: flow.RuleAncestry, Reason: ahead.Text + ", and the page of the goal is committed on it", Hint: ahead.Hint}
	}
	p := Plan{Goal: board.Clean(goal), Spec: c.Specs.freePage(ctx, id), Branch: want.Name, set: true}
	vision, err := c.Specs.newVision(ctx, p, true)
	if err == nil && vision == nil {
		err = c.Specs.explainUnready(ctx, p, want.Tip, true)
	}
	if err == nil {
		err = vision.Write(ctx)
	}
	if err != nil {
		return "", err
	}
	_, err = c.Integration.Adopt(ctx, Adoption{Commit: vision.Commit, Reason: "the page of " + string(id)})
	return p.Spec, err
}

// isFileName reports whether a path can be that of a new file of the repository.
func isFileName(name string) bool {
	return filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, "#\\") && path.Clean(name) == name &&
		!slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

// refuseVision refuses what would end in a commit that is not the user's next one.
func (s *Specs) refuseVision(ctx context.Context, p Plan, branch string) error {
	if branch == "" {
		return &flow.Refusal{Rule: flow.RuleBranch, Hint: "git switch -c NAME && " + p.again(p.Spec),
			Reason: "HEAD is on no branch, and a commit of " + p.Spec + " would be on none"}
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		if _, err := os.Stat(filepath.Join(s.repo.GitDir(), name)); err == nil {
			return &flow.Refusal{Rule: flow.RuleDirty, Hint: "git status",
				Reason: "a merge, cherry-pick or revert is not finished, so that " + p.Spec + " cannot be committed alone"}
		}
	}
	_, err := s.repo.Run(ctx, git.Cmd{Dir: s.repo.WorkTree(), Args: []string{"check-ignore", "--quiet", "--", p.Spec}})
	if err == nil {
		return &flow.Refusal{Rule: flow.RuleSpec, Hint: p.again("goal.md"), Reason: "git ignores " + p.Spec + ", where the goal would stand"}
	}
	if git.ExitCode(err) < 0 {
		return err
	}
	_, _, err = s.repo.Config.Identity(ctx)
	return err
}

// again returns the command that makes the board with the spec at another path.
func (p Plan) again(spec string) string {
	goal := p.Goal
	if len(goal) > 200 {
		goal = "GOAL"
	}
	command := "git liza init " + shell.Quote(goal)
	if p.set {
		return "git liza goal set " + shell.Quote(goal)
	}
	if spec != "specs/vision.md" {
		command += " --spec " + shell.Quote(spec)
	}
	if p.Branch != "integration" {
		command += " --integration " + shell.Quote(p.Branch)
	}
	return command
}

// judge refuses a root move that the rules would refuse, before anything is written
// for it.
func (v *Vision) judge(b *board.Board, m flow.Move, d flow.InitMove, at time.Time) error {
	d.Texts = []board.Text{{Path: d.Spec, Blob: d.Integration.Tip}} // any blob: facts are not asked for
	m.Detail, m.At, m.Request = &d, at, board.Request(d.Board)
	m.Normalize()
	_, err := flow.Apply(b, m, nil)
	return err
}

// Write writes the page and commits it, and nothing else: what the user has staged
// stays staged. The file is new; one that appeared meanwhile is refused. The
// page stays where git does not commit it, and the refusal has git's words.
func (v *Vision) Write(ctx context.Context) error {
	if v.Commit != "" {
		return nil
	}
	if err := v.create(ctx); err != nil {
		return err
	}
	args := []string{"--literal-pathspecs", "commit", "--quiet", "--only", "-m", "Vision: " + heading(v.goal, longestHeading), "--", v.Path}
	if _, err := v.git(ctx, args...); err != nil {
		_, _ = v.git(context.WithoutCancel(ctx), "--literal-pathspecs", "reset", "--quiet", "--", v.Path)
		at := v.specs.findFile(ctx, v.Path)
		return &flow.Refusal{Rule: flow.RuleSpec, Hint: at.commit("Vision"),
			Reason: fmt.Sprintf("%s is written, but not committed: %v", v.Path, err)}
	}
	commit, err := v.specs.repo.ParseCommit(ctx, "HEAD")
	v.Commit = commit
	return err
}

// create writes the page into a new file and adds it to the index. It leaves
// nothing where git does not take the file.
func (v *Vision) create(ctx context.Context) error {
	root, err := os.OpenRoot(v.specs.repo.WorkTree()) // a symbolic link must not lead out of it
	if err != nil {
		return err
	}
	defer root.Close()
	dir := path.Dir(v.Path)
	_, absent := root.Lstat(dir)
	if err := root.MkdirAll(dir, 0o777); err != nil {
		return v.obstacle(err)
	}
	f, err := root.OpenFile(v.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return v.obstacle(err)
	}
	_, err = f.WriteString(page(v.goal))
	if err = errors.Join(err, f.Close()); err == nil {
		_, err = v.git(ctx, "--literal-pathspecs", "add", "--sparse", "--", v.Path)
	}
	if err != nil {
		_ = root.Remove(v.Path)
		if absent != nil {
			_ = root.Remove(dir)
		}
	}
	return err
}

// obstacle refuses where the file cannot be made: something has its path.
func (v *Vision) obstacle(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return err
	}
	return &flow.Refusal{Rule: flow.RuleObstacle, Hint: Plan{Goal: v.goal, Branch: "integration"}.again("goal.md"),
		Reason: fmt.Sprintf("%s cannot be written: %v", v.Path, err)}
}

// git runs git as the user would in the checkout: with the hooks, filters and
// signatures that are configured.
func (v *Vision) git(ctx context.Context, args ...string) ([]byte, error) {
	return v.specs.repo.Run(ctx, git.Cmd{Dir: v.specs.repo.WorkTree(), Args: args, WorkTree: os.Getenv("GIT_DIR") == "", Limit: commitLimit})
}

// heading returns the first line of a goal, cut between words to a number of characters.
func heading(goal string, longest int) string {
	line, _, _ := strings.Cut(goal, "\n")
	line = strings.Join(strings.Fields(line), " ")
	if runes := []rune(line); len(runes) > longest {
		line = string(runes[:longest])
		if i := strings.LastIndexByte(line, ' '); i > 0 {
			line = line[:i]
		}
		line += " …"
	}
	return line
}

// page returns the vision in Markdown.
func page(goal string) string {
	return fmt.Sprintf(`# %s

## Goal
%s

## In scope
What the goal names, and what it cannot do without.

## Out of scope
Everything else: what the goal does not name stays as it is.

## Done when
The branch that approved work reaches does what the goal says, and tests show it.
`, heading(goal, longestHeading), goal)
}
