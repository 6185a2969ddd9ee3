package worktrees

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Leftovers are the parts of checkouts that dead processes left behind.
type Leftovers struct {
	registry  *registry
	followers *Followers
}

// A Leftover is a part that Clear does not remove: it could not be removed, or nothing
// proves that a process of this program made it.
type Leftover struct {
	Path string
	Text string // what it is
	Hint string // the command that mends it
	Harm bool   // git commands fail because of it
}

// List looks for leftovers, and changes nothing.
func (l *Leftovers) List(ctx context.Context) ([]Leftover, error) {
	var found []Leftover
	for _, path := range git.PathsIn(l.registry.root, gonePrefix, "") {
		found = append(found, Leftover{Path: path, Text: "what is left of a checkout that was removed",
			Hint: "chmod -R u+w " + shell.Quote(path) + " && rm -r " + shell.Quote(path)})
	}
	for _, path := range git.PathsIn(l.registry.root, keptPrefix, "") {
		found = append(found, Leftover{Path: path, Text: "kept of a checkout that was removed or ruined: a commit cannot hold all of it",
			Hint: "ls -lA " + shell.Quote(path)})
	}
	names, err := l.registry.gitDirNames()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		dir := filepath.Join(l.registry.common, name)
		found = append(found, leftLock(dir)...)
		if dir == l.registry.common {
			continue
		}
		found = append(found, l.leftHead(ctx, dir)...)
	}
	return found, ctx.Err()
}

// leftLock returns the lock on a work tree's index, if it is too old to be that of a
// git that is just working there. While git waits for an editor, it may hold the lock
// as long as it likes.
func leftLock(dir string) []Leftover {
	path := filepath.Join(dir, "index.lock")
	info, err := os.Lstat(path)
	if err != nil || time.Since(info.ModTime()) < patience {
		return nil
	}
	return []Leftover{{Path: path, Hint: "rm " + shell.Quote(path), Text: fmt.Sprintf(
		"a lock, %s old, of a git that still runs there or that has died", time.Since(info.ModTime()).Round(time.Second))}}
}

// Clear removes what dead processes of this program have left: what the journal names
// ([git.Journal.Recover]), checkouts that they were making or removing, private
// checkouts, and their scratch files. It finds the checkouts of a clone that was moved. A kernel lock shows whether a process is dead.
// What a living process works on stays, and so does what other programs made. If
// nothing is left over, it looks at a few folders and starts no process. A failed
// removal does not keep it from the others; the error names it.
func (l *Leftovers) Clear(ctx context.Context) error {
	g := l.registry
	return errors.Join(g.repo.Journal.Recover(ctx), g.followMove(), g.sweepUndone(ctx),
		g.scratch.sweepHeld(scratchPrefix, func(name string) error { return removeAll(g.scratch.path(name)) }), l.recoverDirs(ctx), l.sweepGone(),
		g.scratch.sweepHeld(newPrefix, func(name string) error { return removeAll(filepath.Join(g.root, "."+name)) }))
}

// recoverDirs clears what is in the git directories of work trees. Of most there is nothing.
func (l *Leftovers) recoverDirs(ctx context.Context) error {
	common, err := git.OpenFolder(l.registry.common)
	if err != nil {
		return fmt.Errorf("worktrees: %w", err)
	}
	defer common.Close()
	names, err := l.registry.gitDirNames()
	errs := []error{err}
	for _, name := range names {
		dir := filepath.Join(l.registry.common, name)
		if !common.Lacks(name + "/index.lock") {
			clearDead(filepath.Join(dir, "index.lock"))
		}
		if !common.Lacks(name + "/" + noteName) {
			errs = append(errs, l.recoverNote(ctx, dir))
		}
	}
	return errors.Join(errs...)
}

// recoverNote has a work tree follow its branch if a process noted a move of the branch
// and made it. If the branch has not moved, the note may belong to a living process; it
// is no obstacle, and the next process that moves the branch removes it.
func (l *Leftovers) recoverNote(ctx context.Context, dir string) error {
	return l.registry.each(ctx, func(r record) error {
		if r.gitDir != dir {
			return nil
		}
		if _, to, err := readNote(r); err != nil || to != r.head {
			return err
		}
		return l.followers.catchUp(ctx, r)
	})
}

// sweepGone removes what was renamed to be removed.
func (l *Leftovers) sweepGone() error {
	var errs []error
	for _, path := range git.PathsIn(l.registry.root, gonePrefix, "") {
		if err := removeAll(path); err != nil {
			errs = append(errs, fmt.Errorf("worktrees: what is left of a checkout: %w", err))
		}
	}
	return errors.Join(errs...)
}

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
