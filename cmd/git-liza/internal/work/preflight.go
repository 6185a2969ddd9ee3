package work

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/worktrees"
)

// Preflight is the part of [Doctor.Examine] that supervisors ask before they begin: what
// is quickly found out, and would keep them from their work. What concerns some tasks
// alone, and what other machines can do, is a warning.
func (d *Doctor) Preflight(ctx context.Context, b *board.Board) []Finding {
	remote, err := d.store.Authority(ctx)
	alone := err == nil && remote == "" // nobody else merges
	stops := func(k BoardCommand) bool { return k.Before == board.AtSubmit || k.Before == board.AtMerge && alone }
	list, works := d.machine(ctx)
	if !works {
		return list
	}
	list = append(list, d.clock(b), d.branch(ctx, b), d.principals(ctx, b), d.locked(b, abandoned), d.confinement(ctx))
	return slices.Concat(list, d.Unmerged(ctx, b), d.untrusted(ctx, b, stops), d.programs(ctx, b, stops))
}

// The space in bytes, and the number of files, below which a disk counts as full and as
// nearly full. A checkout with what a build makes in it seldom takes less than the second.
const (
	fullBytes, lowBytes = 32 << 20, 1 << 30
	fullFiles, lowFiles = 1000, 20_000
)

// Disk reports how much room there is where git and the worktrees write.
func (d *Doctor) Disk() []Finding {
	places := []string{d.repo.CommonDir(), cmp.Or(d.repo.MainWorkTree(), d.repo.CommonDir())}
	if d.checkouts.Trees != nil {
		if root, _ := d.checkouts.Trees.Root(); isFolder(root) { // it may be on a disk of its own
			places = append(places, root)
		}
	}
	var found []Finding
	seen := map[uint64]bool{}
	for _, dir := range places {
		var is unix.Stat_t
		var disk unix.Statfs_t
		if err := errors.Join(unix.Stat(dir, &is), unix.Statfs(dir, &disk)); err != nil {
			return append(found, bad("disk", "df -h "+shell.Quote(dir), "%v", &fs.PathError{Op: "statfs", Path: dir, Err: err}))
		}
		if seen[uint64(is.Dev)] {
			continue
		}
		seen[uint64(is.Dev)] = true
		files := uint64(disk.Ffree)
		if disk.Files == 0 { // it makes room for files as they come
			files = lowFiles
		}
		found = append(found, judgeDisk(dir, uint64(disk.Bavail)*uint64(disk.Bsize), files))
	}
	return found
}

// judgeDisk judges the room on the disk of a folder.
func judgeDisk(dir string, bytes, files uint64) Finding {
	f := fine("disk", "%d MiB free at %s", bytes>>20, dir)
	if files < lowFiles {
		f.Text, f.Hint = f.Text+", and room for "+strconv.FormatUint(files, 10)+" files", "df -i "+shell.Quote(dir)
	}
	if bytes < lowBytes {
		f.Hint = "df -h " + shell.Quote(dir)
	}
	switch {
	case bytes < fullBytes || files < fullFiles:
		f.State = "fail"
	case f.Hint != "":
		f.State = "warn"
	}
	return f
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// room reports whether worktrees can be made, and where; nothing in a bare repository without a
// place for them.
func (d *Doctor) room() []Finding {
	const check = "worktrees"
	if d.checkouts.Trees == nil {
		return nil
	}
	err := d.checkouts.Trees.CheckRoom()
	var obstacle *worktrees.Obstacle
	var denied *fs.PathError
	switch {
	case errors.As(err, &obstacle):
		return []Finding{bad(check, obstacle.Hint, "%v", err)}
	case errors.As(err, &denied):
		return []Finding{bad(check, "chmod u+w "+shell.Quote(denied.Path), "%v", err)}
	}
	root, later := d.checkouts.Trees.Root()
	if later != "" {
		return []Finding{{Check: check, State: "warn", Hint: "git liza worktree", Text: "are made in " + root + " as long as there are some, then in " + later}}
	}
	return []Finding{fine(check, "can be made in %s", root)}
}

// untrusted reports the commands of the board that this machine will not run, because
// they are not allowed here. It fails where one stops the work.
func (d *Doctor) untrusted(ctx context.Context, b *board.Board, stops func(BoardCommand) bool) []Finding {
	list, err := d.trust.Commands(ctx, b)
	var allowed Allowed
	if err == nil {
		allowed, err = d.trust.Allowed(ctx)
	}
	if err != nil {
		return []Finding{bad("trust", "git liza trust --list", "%v", err)}
	}
	var found []Finding
	for _, k := range mergeCommands(list, func(k BoardCommand) string { return k.Command }, stops) {
		if refusal, ok := errors.AsType[*flow.Refusal](allowed.Check(k.Command)); ok {
			found = append(found, Finding{"trust", k.state, k.where() + ": " + refusal.Reason, refusal.Hint})
		}
	}
	if len(found) == 0 {
		return []Finding{fine("trust", "%d commands on the board, all trusted", len(list))}
	}
	return found
}

// mostPrograms is how many programs the shell is asked for.
const mostPrograms = 200

// programs reports the programs of the board's commands that this machine lacks. It fails
// where one stops the work.
func (d *Doctor) programs(ctx context.Context, b *board.Board, stops func(BoardCommand) bool) []Finding {
	const check = "programs"
	list := mergeCommands(BoardCommands(b), func(k BoardCommand) string { return shell.Program(k.Command) }, stops)
	list = slices.DeleteFunc(list, func(k sameCommands) bool { return k.key == "" })
	list = list[:min(len(list), mostPrograms)]
	missing := missingTools(ctx, d.environ, lists.Of(list, func(k sameCommands) string { return k.key })...)
	var found []Finding
	for _, k := range list {
		if slices.Contains(missing, k.key) {
			found = append(found, Finding{check, k.state, k.where() + ": there is no program " + k.key + " here; install it, or name another command", k.rename()})
		}
	}
	if len(found) == 0 {
		return []Finding{fine(check, "%d that the board's commands begin with, all there", len(list))}
	}
	return found
}

// confinement says how far the kernel confines sessions and the board's commands.
func (d *Doctor) confinement(ctx context.Context) Finding {
	const check = "confinement"
	settings, err := confine.ReadSettings(ctx, &d.repo.Config.Configuration, d.environ)
	state, stateErr := settings.State()
	if r, is := errors.AsType[*flow.Refusal](cmp.Or(err, stateErr)); is {
		return bad(check, r.Hint, "%s", r.Reason)
	}
	if err != nil {
		return bad(check, "", "%s", err)
	}
	line := cmp.Or(confine.Line(ctx, &d.repo.Config.Configuration, d.environ), state.String())
	if state == proc.Unconfined && !settings.Off {
		return Finding{Check: check, State: "warn", Text: line + ": sessions and gates reach whatever you reach", Hint: "git config liza.confine off"}
	}
	closed := ""
	if state != proc.Unconfined && !settings.Sockets {
		closed = ", without pushes by ssh, UNIX sockets of tests and docker (git config liza.confine.sockets all)"
	}
	return fine(check, "of sessions and gates: %s%s", line, closed)
}

// sameCommands are the commands of a board with something in common.
type sameCommands struct {
	BoardCommand        // the first of them
	key          string // what they have in common
	places       []string
	state        string // of a finding about all of them
}

func (k sameCommands) where() string { return someOf(k.places) }

// rename is the command that puts another one in the place of a command of the board.
func (k BoardCommand) rename() string {
	if gate, is := strings.CutPrefix(k.Where, "gate "); is {
		return "git liza config gates." + gate + ".command CMD"
	}
	if k.Before != 0 {
		return "git liza config post_worktree CMD"
	}
	return "git liza task edit " + k.Where + " --verify CMD"
}

// mergeCommands joins the commands with the same key, in the order of the first ones.
func mergeCommands(list []BoardCommand, key func(BoardCommand) string, stops func(BoardCommand) bool) []sameCommands {
	var merged []sameCommands
	place := map[string]int{}
	for _, k := range list {
		i, known := place[key(k)]
		if !known {
			i = len(merged)
			place[key(k)] = i
			merged = append(merged, sameCommands{BoardCommand: k, key: key(k), state: "warn"})
		}
		merged[i].places = append(merged[i].places, k.Where)
		if stops(k) {
			merged[i].state = "fail"
		}
	}
	return merged
}
