package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
)

// ErrDamaged is wrapped when objects that a ref or a move needs are missing or
// cannot be read. The command line tests it for its rule.
var ErrDamaged = errors.New("objects are missing or damaged")

// A Flusher makes durable what git has written to a repository: it stays there after
// a power cut. The setting liza.fsync says how.
type Flusher struct{ repo *Repo }

// durableMax is how many commits are remembered as durable. One recent commit
// would do: what lies behind it is not looked at again.
const durableMax = 32

// objectsAtOnce is how many files of objects are open while they are synced.
const objectsAtOnce = 200

// MakeDurable makes commits durable with everything behind them, as liza.fsync
// says. An agent's git commits without syncing loose objects, and the kernel
// may keep them to itself for longer than the move that names them. Only what
// lies between the commits and those that were made durable before is looked
// at; the error wraps ErrDamaged where some of that is not whole. Where nothing
// was made durable before, the whole file system is synced.
func (fl *Flusher) MakeDurable(ctx context.Context, commits ...ID) error {
	mode, err := fl.FsyncMode(ctx)
	if err != nil || mode == fsyncNone {
		return err
	}
	known := fl.durableCommits()
	if commits, err = fl.unsyncedCommits(ctx, commits, known); err != nil || len(commits) == 0 {
		return err
	}
	if len(known) == 0 {
		err = fl.syncRepository()
	} else {
		err = fl.syncObjects(ctx, mode, commits, known)
		if errors.Is(err, ErrDamaged) { // perhaps only one that is known has gone bad since
			err = fl.syncObjects(ctx, mode, commits, fl.readable(ctx, known))
		}
	}
	if err != nil {
		return fmt.Errorf("making %s durable: %w", commits[0].Short(), err)
	}
	fl.keepDurable(append(commits, known...))
	return nil
}

// keepDurable writes down which commits are durable. A failure costs time only: they
// are looked at again.
func (fl *Flusher) keepDurable(list []ID) {
	var text strings.Builder
	for _, id := range list[:min(len(list), durableMax)] {
		text.WriteString(string(id) + "\n")
	}
	_ = ReplaceFile(fl.durableFile(), []byte(text.String()))
}

// unsyncedCommits returns those of the commits that are in the repository and not
// known to be durable.
func (fl *Flusher) unsyncedCommits(ctx context.Context, commits, known []ID) ([]ID, error) {
	o := fl.repo.Objects(ctx)
	var list []ID
	for _, id := range commits {
		if id == "" || slices.Contains(known, id) || slices.Contains(list, id) {
			continue
		}
		if _, _, err := o.Size(id); errors.Is(err, ErrNoObject) {
			continue // whether it must be here is asked elsewhere
		} else if err != nil {
			return nil, err
		}
		list = append(list, id)
	}
	return list, nil
}

// readable are the commits that can be read.
func (fl *Flusher) readable(ctx context.Context, commits []ID) []ID {
	return slices.DeleteFunc(slices.Clone(commits), func(id ID) bool {
		bad, err := fl.repo.UnreadableObjects(ctx, []ID{id}, 1)
		return err != nil || len(bad) > 0
	})
}

// updatedCommits returns the new commits of updates, without those that this process
// wrote on top of the old value of a ref of the board. Some of them may be damaged and
// are moved to all the same: the state, which is judged by its replay, and what is
// rescued. They are returned as old.
func (fl *Flusher) updatedCommits(ctx context.Context, updates []RefUpdate) (list, old []ID) {
	o := fl.repo.Objects(ctx)
	ours := lists.Where(updates, func(u RefUpdate) bool {
		return strings.HasPrefix(u.Name, layout.Refs) && !strings.HasPrefix(u.Name, layout.RemoteRefs)
	})
	before := lists.Of(ours, func(u RefUpdate) ID { return u.Old })
	for _, u := range updates {
		if u.New == "" || strings.HasPrefix(u.Name, layout.PinRefs) { // what they lead to is the person's, or moves a branch
			continue
		}
		if parents, written := o.flushedCommit(u.New); written && !slices.ContainsFunc(parents, func(id ID) bool { return !slices.Contains(before, id) }) {
			continue
		}
		if u.Name == layout.State || strings.HasPrefix(u.Name, layout.RescueRefs) {
			old = append(old, u.New)
		} else {
			list = append(list, u.New)
		}
	}
	return list, old
}

func (fl *Flusher) durableFile() string {
	return filepath.Join(fl.repo.commonDir, layout.Private, "durable")
}

// durableCommits returns the commits that are known to be durable with everything
// behind them, the latest first.
func (fl *Flusher) durableCommits() []ID {
	data, _ := os.ReadFile(fl.durableFile())
	var list []ID
	for line := range strings.Lines(string(data)) {
		if id := ID(strings.TrimSpace(line)); fl.repo.CheckID(id) == nil {
			list = append(list, id)
		}
	}
	return list
}

// syncRepository makes everything durable on the file systems of the
// repository.
func (fl *Flusher) syncRepository() error {
	dirs, err := fl.repo.objectDirs()
	if err != nil {
		return err
	}
	for _, dir := range append(dirs, fl.repo.commonDir) {
		f, err := os.Open(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = syncFileSystem(f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// syncObjects makes durable what commits need beyond what known ones have.
func (fl *Flusher) syncObjects(ctx context.Context, mode string, commits, known []ID) error {
	list, err := fl.repo.Reachable(ctx, commits, known, "--ignore-missing") // known ones that are gone
	if err != nil {
		return err
	}
	dirs, err := fl.repo.objectDirs()
	if err != nil {
		return err
	}
	var paths []string
	packed := false
	for _, id := range list {
		path, err := loosePathIn(dirs, id)
		if err != nil {
			return err
		}
		if path == "" {
			packed = true
			continue
		}
		paths = append(paths, path)
	}
	if packed {
		for _, dir := range dirs {
			paths = append(paths, PathsIn(filepath.Join(dir, "pack"), "pack-", "")...)
		}
	}
	return fl.syncPaths(mode, paths)
}

// Reachable lists the objects that lead from commits and not from known ones,
// with more options for `git rev-list`. Trees, commits and the presence of all are
// checked on the way: the error wraps ErrDamaged. What a promisor remote has is
// not looked for.
func (r *Repo) Reachable(ctx context.Context, commits, known []ID, options ...string) ([]ID, error) {
	var revs bytes.Buffer
	for _, id := range commits {
		fmt.Fprintln(&revs, id)
	}
	args := append([]string{"rev-list", "--objects", "--no-object-names", "--stdin"}, options...)
	for _, id := range known {
		fmt.Fprintf(&revs, "^%s\n", id)
	}
	if r.Config.IsPartial(ctx) {
		args = append(args, "--exclude-promisor-objects")
	}
	out, err := r.Run(ctx, Cmd{Args: args, Stdin: revs.Bytes()})
	if ExitCode(err) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	return idsIn(out), nil
}

// loosePathIn returns the file of a loose object in one of the folders, "" if the
// object is packed.
func loosePathIn(dirs []string, id ID) (string, error) {
	for _, dir := range dirs {
		path := loosePath(dir, id)
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Size() == 0 {
			err = fmt.Errorf("%w: %s is empty", ErrDamaged, path)
		}
		return path, err
	}
	return "", nil
}

// SyncFiles makes files durable that were just written, and their names, as
// liza.fsync says.
func (fl *Flusher) SyncFiles(ctx context.Context, paths ...string) error {
	mode, err := fl.FsyncMode(ctx)
	if err != nil || mode == fsyncNone {
		return err
	}
	return fl.syncPaths(mode, paths)
}

// syncPaths makes files of objects durable. Those on the file system of the
// repository's own objects share one flush, with a file that is new: one that
// was durable already would not make the file system write its journal.
func (fl *Flusher) syncPaths(mode string, paths []string) error {
	for chunk := range slices.Chunk(paths, objectsAtOnce) {
		if err := fl.syncChunk(mode, chunk); err != nil {
			return err
		}
	}
	return flushNew(fl.repo.objectDir, mode, foldersOf(paths)...)
}

func (fl *Flusher) syncChunk(mode string, paths []string) error {
	var here, each []*os.File // written out together, synced one by one
	home, err := os.Stat(fl.repo.objectDir)
	if err != nil {
		return err
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // packed, or repacked, meanwhile
		}
		if err != nil {
			return err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && mode == fsyncBatch && sameDevice(info, home) {
			here = append(here, f)
		} else {
			each = append(each, f)
		}
	}
	done, err := writeOut(here) // the flush is the caller's
	if err != nil {
		return err
	}
	if !done {
		each = append(each, here...)
	}
	for _, f := range each {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}

func sameDevice(a, b fs.FileInfo) bool {
	x, ok := a.Sys().(*syscall.Stat_t)
	y, also := b.Sys().(*syscall.Stat_t)
	return ok && also && x.Dev == y.Dev
}

// foldersOf lists the folder of each object's file and the one above it, in which the
// first object of a folder made it.
func foldersOf(paths []string) []string {
	list := make([]string, 0, 2*len(paths))
	for _, path := range paths {
		dir := filepath.Dir(path)
		list = append(list, dir, filepath.Dir(dir))
	}
	return list
}

// maxAlternates bounds how many folders of objects are followed.
const maxAlternates = 32

// objectDirs are the folders in which git looks for objects, the repository's
// own first, as gitrepository-layout(5) describes.
func (r *Repo) objectDirs() ([]string, error) {
	list := []string{r.objectDir}
	if home := filepath.Join(r.commonDir, "objects"); home != r.objectDir {
		list = append(list, home)
	}
	return followAlternates(append(list, filepath.SplitList(os.Getenv(alternatesVar))...))
}

// Stores are the folders in which git looks for objects that are in one, or that it borrows.
// Those that others borrow from come first: git follows alternates five levels deep, and no
// further from a folder that it knows. Beside an error they are those that could be read.
func Stores(objects string) ([]string, error) {
	list, err := followAlternates([]string{objects})
	slices.Reverse(list)
	return list, err
}

// followAlternates adds the folders from which those of a list borrow.
func followAlternates(list []string) ([]string, error) {
	for i := 0; i < len(list) && len(list) <= maxAlternates; i++ {
		data, err := os.ReadFile(filepath.Join(list[i], "info", "alternates"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return list, fmt.Errorf("folders of objects: %w", err)
		}
		for line := range strings.Lines(string(data)) {
			dir := strings.TrimSpace(line)
			if dir == "" || dir[0] == '#' {
				continue
			}
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(list[i], dir)
			}
			if !slices.Contains(list, dir) {
				list = append(list, dir)
			}
		}
	}
	return list, nil
}
