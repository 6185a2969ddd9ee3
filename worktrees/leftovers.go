package worktrees

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

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
