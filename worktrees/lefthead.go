package worktrees

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// leftHead returns a HEAD that names no commit: git commands that look at all work
// trees fail because of it, and all git commands in that one.
func (l *Leftovers) leftHead(ctx context.Context, dir string) (*Leftover, error) {
	path := filepath.Join(dir, "HEAD")
	content, err := git.ReadSmall(path)
	text := strings.TrimSpace(string(content))
	if err != nil && !isAbsent(err) {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	valid := l.registry.repo.CheckID(ID(text)) == nil
	if strings.HasPrefix(text, "ref:") || valid && strings.Trim(text, "0") != "" {
		return nil, nil
	}
	if !fileExists(filepath.Join(dir, "gitdir")) {
		return nil, nil // git takes it for no work tree
	}
	left := &Leftover{Path: path, Harm: true, Text: "names no commit, so git fails in that worktree, and git fsck in all"}
	if valid { // git reads zeros as the id of a commit
		left.Text = "names no commit, so git neither fetches nor collects garbage here"
	}
	head, err := l.lostHead(ctx, dir)
	if err != nil {
		return nil, err
	}
	left.Hint = "echo " + shell.Quote(head) + " >" + shell.Quote(path)
	if head == "" { // without its git directory the folder is no work tree, and its files stay
		left.Hint = "mv " + shell.Quote(dir) + ` "$(mktemp -d)"`
	}
	return left, nil
}

// lostHead returns what HEAD of a work tree held before it was lost: the branch of the
// task, unless another work tree has it checked out, or else the newest commit in the
// reflog that can be read; "" if there is neither.
func (l *Leftovers) lostHead(ctx context.Context, dir string) (string, error) {
	records, err := l.registry.records(ctx)
	if err != nil {
		return "", err
	}
	for _, r := range records {
		branch := taskBranch(r.name)
		if r.gitDir != dir || branch == "" || slices.ContainsFunc(records, func(o record) bool { return o.hasBranch(branch) }) {
			continue
		}
		if tip, err := l.registry.repo.Refs.Resolve(ctx, "refs/heads/"+branch); err == nil && tip != "" {
			return "ref: refs/heads/" + branch, nil
		}
	}
	return l.loggedHead(ctx, dir)
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

// maxLogged bounds the commits of a reflog that are read.
const maxLogged = 100

// loggedHead returns the newest commit that the reflog of HEAD names and that can be
// read, "" if there is none.
func (l *Leftovers) loggedHead(ctx context.Context, dir string) (string, error) {
	content, err := git.ReadSmall(filepath.Join(dir, "logs", "HEAD"))
	if err != nil {
		return "", nil
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	var list []ID
	for _, line := range slices.Backward(lines) {
		fields := strings.Fields(line)
		if len(fields) < 2 || l.registry.repo.CheckID(ID(fields[1])) != nil || slices.Contains(list, ID(fields[1])) {
			continue
		}
		if list = append(list, ID(fields[1])); len(list) == maxLogged {
			break
		}
	}
	for _, id := range list {
		bad, err := l.registry.repo.UnreadableObjects(ctx, []ID{id}, 1)
		if err != nil {
			return "", err
		}
		if len(bad) == 0 {
			return string(id), nil
		}
	}
	return "", nil
}
