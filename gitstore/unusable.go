package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An UnusableFile is a file or folder of moves that the user whose repository it is can
// not read and write, as commands leave that were run by sudo. Moves that wait for each
// other fail on it.
type UnusableFile struct {
	Path string
	Hint string // the command that gives it to that user
}

// UnusableFiles lists the locks of turns and the entries of moves that wait, and their
// folders, that are unusable.
func UnusableFiles(r *git.Repo) ([]UnusableFile, error) {
	private := filepath.Join(r.CommonDir(), layout.Private)
	paths := append([]string{private}, lists.Of(git.TurnFiles(), func(lock string) string { return filepath.Join(private, lock) })...)
	entries, err := os.ReadDir(waitingDir(r))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ENOTDIR) {
		return nil, err
	}
	paths = append(paths, outboxDir(r), waitingDir(r))
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			paths = append(paths, filepath.Join(waitingDir(r), entry.Name()))
		}
	}
	owner, err := ownerOf(r.CommonDir())
	if err != nil {
		return nil, err
	}
	var list []UnusableFile
	for _, path := range paths {
		at, err := ownerOf(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the process that it was of has ended
		}
		if err != nil {
			return nil, err
		}
		switch {
		case at.user != owner.user && !at.sharedWith(owner):
			list = append(list, UnusableFile{path, "sudo chown " + strconv.Itoa(int(owner.user)) + " " + shell.Quote(path)})
		case at.user == owner.user && at.mode&0o600 != 0o600, unix.Access(path, unix.R_OK|unix.W_OK) != nil && isThere(path):
			list = append(list, UnusableFile{path, "chmod u+rwX " + shell.Quote(path)})
		}
	}
	return list, nil
}

// An ownership is who may read and write a file.
type ownership struct {
	user, group uint32
	mode        fs.FileMode
}

func ownerOf(path string) (ownership, error) {
	info, err := os.Stat(path)
	if err != nil {
		return ownership{}, err
	}
	stat := info.Sys().(*syscall.Stat_t)
	return ownership{stat.Uid, stat.Gid, info.Mode()}, nil
}

// sharedWith reports whether the file is readable and writable for the group of a
// repository, as core.sharedRepository makes it, or for everybody.
func (o ownership) sharedWith(repository ownership) bool {
	return o.mode&0o006 == 0o006 || o.group == repository.group && o.mode&0o060 == 0o060
}
