package work

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// switchFolder is where switch files stand in the main work tree.
const switchFolder = ".liza"

// abortSwitch is the switch file that ends rushes.
const abortSwitch = "ABORT"

// pauseSwitch is the switch file that holds new claims as long as it lies there.
const pauseSwitch = "PAUSE"

// A Switch is a file by which a person steers where no command can be typed: PAUSE,
// CHECKPOINT or ABORT in the folder .liza of the main work tree. CHECKPOINT and ABORT ask
// for a checkpoint, once for each time that they are written; to remove them resumes
// nothing. PAUSE is [CheckPause].
type Switch struct {
	Path   string    // from the root of the work tree
	Text   string    // its first line, shortened
	Aborts bool      // it ends the rushes of the clone, too
	Pauses bool      // it holds new claims, and asks for no checkpoint
	Taken  time.Time // when it was heeded as it is now; zero if it was not
	Fault  string    // why it is not heeded, and what helps; "" if it is

	name    string
	written writtenFile
}

// A writtenFile tells whether a file was written anew.
type writtenFile struct {
	Inode uint64    `json:"ino"`
	Mtime int64     `json:"mtime_ns"` // since 1970
	Size  int64     `json:"size"`     // bytes
	Taken time.Time `json:"taken"`    // zero while it is only looked at
}

// Switches finds the switch files of a clone. What was heeded stands in a file that all
// processes of the clone share, and that is safe to delete. It is for one goroutine.
type Switches struct {
	repo   *git.Repo
	faults map[Switch]string // of files as they were when they were judged
}

// Reason returns what the file says in parentheses, "" if it says nothing.
func (s Switch) Reason() string {
	if s.Text == "" {
		return ""
	}
	return " (" + s.Text + ")"
}

// OpenSwitches returns the switch files of a clone.
func OpenSwitches(repo *git.Repo) *Switches {
	return &Switches{repo: repo, faults: map[Switch]string{}}
}

// Find returns the switch files that are there now.
func (s *Switches) Find(ctx context.Context) (list []Switch, err error) {
	return s.findIn(ctx, s.repo.MainWorkTree(), abortSwitch, "CHECKPOINT", pauseSwitch)
}

// CheckPause refuses to claim anew while a file .liza/PAUSE that is heeded lies in the main
// work tree of a clone, or in the one that it was opened in.
func CheckPause(ctx context.Context, repo *git.Repo) *flow.Refusal {
	for _, root := range []string{repo.MainWorkTree(), repo.WorkTree()} {
		list, err := OpenSwitches(repo).findIn(ctx, root, pauseSwitch)
		if err != nil || len(list) > 0 && list[0].Fault == "" {
			var why string
			for _, one := range list {
				why = one.Reason()
			}
			file := filepath.Join(root, switchFolder, pauseSwitch)
			return &flow.Refusal{Rule: flow.RuleControl, Reason: "no new claims while " + file + " lies there" + why, Hint: "rm " + shell.Quote(file)}
		}
	}
	return nil
}

// findIn returns those of the switch files that a work tree has.
func (s *Switches) findIn(ctx context.Context, root string, names ...string) (list []Switch, err error) {
	if root == "" {
		return nil, nil
	}
	var taken map[string]writtenFile
	for _, name := range names {
		one := Switch{Path: path.Join(switchFolder, name), Aborts: name == abortSwitch, Pauses: name == pauseSwitch, name: name}
		info, err := os.Lstat(filepath.Join(root, one.Path))
		if err != nil {
			continue // none, or in a folder that nobody can read
		}
		if taken == nil {
			taken = s.taken()
		}
		one.written = writtenFile{Mtime: info.ModTime().UnixNano(), Size: info.Size()}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			one.written.Inode = stat.Ino
		}
		known := taken[name]
		one.Taken, known.Taken = known.Taken, time.Time{}
		if known != one.written {
			one.Taken = time.Time{}
			if one.Fault, err = s.fault(ctx, root, one, info); err != nil {
				return nil, err
			}
		}
		if one.Fault == "" {
			text, _ := git.ReadSmall(filepath.Join(root, one.Path)) // the file says enough by being there
			first, _, _ := strings.Cut(board.Clean(string(text)), "\n")
			one.Text = board.Excerpt(first, 200)
		}
		list = append(list, one)
	}
	return list, nil
}

// fault says why a switch file is not heeded: it may be another user's word, or come
// with the work of an agent.
func (s *Switches) fault(ctx context.Context, root string, one Switch, info fs.FileInfo) (string, error) {
	folder, err := os.Lstat(filepath.Join(root, switchFolder))
	switch {
	case err != nil:
		return "", err
	case !folder.IsDir() || !isOwn(folder):
		return "the folder " + switchFolder + " is a link or another user's", nil
	case !info.Mode().IsRegular() || !isOwn(info):
		return "it is no file of yours", nil
	case info.Mode()&0o022 != 0:
		return "others may write it: chmod go-w " + one.Path, nil
	}
	if fault, known := s.faults[one]; known {
		return fault, nil
	}
	_, err = s.repo.Git(ctx, "-C", root, "ls-files", "--error-unmatch", "--", one.Path)
	fault := ""
	switch {
	case err == nil:
		fault = "git tracks it: git rm --force --cached " + one.Path
	case git.ExitCode(err) != 1:
		return "", err
	}
	s.faults[one] = fault
	return fault, nil
}

// isOwn reports whether a file belongs to the user of this process.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// NoteTaken notes that a switch file was heeded. The caller keeps others of the clone
// from heeding it at the same time.
func (s *Switches) NoteTaken(one Switch, at time.Time) error {
	taken := s.taken()
	for name := range taken {
		if _, err := os.Lstat(filepath.Join(s.repo.MainWorkTree(), switchFolder, name)); errors.Is(err, fs.ErrNotExist) {
			delete(taken, name)
		}
	}
	one.written.Taken = at
	taken[one.name] = one.written
	return git.ReplaceJSON(s.memory(), taken)
}

// taken returns the switch files that were heeded. Without a memory none was.
func (s *Switches) taken() map[string]writtenFile {
	if taken, err := git.ReadJSON[map[string]writtenFile](s.memory()); err == nil && taken != nil {
		return taken
	}
	return map[string]writtenFile{}
}

func (s *Switches) memory() string {
	return filepath.Join(s.repo.CommonDir(), layout.Private, "switches.json")
}
