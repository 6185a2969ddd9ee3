package worktrees

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// leftHead returns a HEAD that names no commit of somebody's own work tree: git commands that
// look at all work trees fail because of it, and all git commands in that one.
func (l *Leftovers) leftHead(ctx context.Context, dir string) []Leftover {
	r := record{gitDir: dir}
	known, err := l.registry.readRecord(ctx, &r, folderLinks{})
	if err != nil || !known || isOurReason(r.locked) || !r.hasNoHead() {
		return nil
	}
	head := l.loggedHead(ctx, dir)
	path := filepath.Join(dir, "HEAD")
	hint := "echo " + shell.Quote(head) + " >" + shell.Quote(path)
	if head == "" { // without its git directory the folder is no work tree, and its files stay
		hint = "mv " + shell.Quote(dir) + ` "$(mktemp -d)"`
	}
	return []Leftover{{Path: path, Harm: true, Text: "names no commit, so git fails in that worktree, and git fetch, gc or fsck in all", Hint: hint}}
}

// taskBranch returns the branch of the task that a worktree of this name is for, such
// as "task-1" or "task-1@2"; "" for a review's, which is on no branch.
func taskBranch(name string) string {
	task, number, _ := strings.Cut(name, "@")
	if name == "" || strings.Contains(number, "@") {
		return ""
	}
	return layout.TaskBranches + task
}

// loggedHead returns the newest commit that the reflog of HEAD names and that is there, "" if
// there is none.
func (l *Leftovers) loggedHead(ctx context.Context, dir string) string {
	content, _ := git.ReadSmall(filepath.Join(dir, "logs", "HEAD"))
	objects := l.registry.repo.Objects(ctx)
	for _, line := range slices.Backward(strings.Split(string(content), "\n")) {
		fields := strings.Fields(line)
		if len(fields) < 2 || l.registry.repo.CheckID(ID(fields[1])) != nil {
			continue
		}
		if _, _, err := objects.Read(ID(fields[1])); err == nil {
			return fields[1]
		}
	}
	return ""
}
