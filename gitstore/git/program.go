package git

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/git-liza/git-liza/flow/layout"
)

// A program is a git executable, as it stood on the disk when it was asked about itself:
// another file in its place is another program.
type program struct {
	Path            string
	Device, Inode   uint64
	Size, Modified  int64 // bytes, nanoseconds of Unix time
	Version, System string
}

// programsFile remembers programs, in the folder liza of a git directory. It is derived
// and safe to delete. A session can write it as it can write the configuration, so of
// what it says only what is plausible counts, see isPlausible.
const programsFile = "git.json"

// maxPrograms is how many executables are remembered: `git liza` and `git-liza` may find
// different ones.
const maxPrograms = 8

// findProgram returns the git on PATH, without version and system; ok is false if it is
// no plain file.
func findProgram() (p program, ok bool) {
	path, err := exec.LookPath("git")
	if err != nil {
		return program{}, false
	}
	if path, err = filepath.EvalSymlinks(path); err != nil || !filepath.IsAbs(path) {
		return program{}, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return program{}, false
	}
	p = program{Path: path, Size: info.Size(), Modified: info.ModTime().UnixNano()}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok {
		p.Device, p.Inode = uint64(stat.Dev), stat.Ino
	}
	return p, ok
}

// isSame reports whether two entries are about one file.
func (p program) isSame(other program) bool {
	p.Version, p.System = other.Version, other.System
	return p == other
}

// isPlausible reports whether an entry can be believed: git's file for all users is
// below a folder that git itself lies in, which is not a session's to write, and its
// version is one whose reading of configuration is known.
func (p program) isPlausible() bool {
	root, ok := strings.CutSuffix(p.System, "/etc/gitconfig")
	return ok && strings.HasPrefix(p.Path, root+"/") && strings.HasPrefix(p.Version, "2.") && isNew(p.Version, oldest)
}

// recallProgram returns the git on PATH with what a git directory remembers of it, and
// whether it was ever asked. System is "" where nothing that can be believed is known.
func recallProgram(commonDir string) (p program, asked bool) {
	p, ok := findProgram()
	if !ok {
		return p, false
	}
	for _, known := range readPrograms(commonDir) {
		if known.isSame(p) {
			if known.isPlausible() {
				p = known
			}
			return p, true
		}
	}
	return p, false
}

func readPrograms(commonDir string) []program {
	list, _ := ReadJSON[[]program](filepath.Join(commonDir, layout.Private, programsFile))
	return list
}

// LearnGit has later commands and hooks in a repository know the git on PATH, if they do
// not: it asks git about itself, in a process of its own. Whatever stands in the way of that
// leaves everything as it was.
func LearnGit(ctx context.Context, r *Repo) {
	if r.unknownGit.Swap(false) {
		learnProgram(ctx, r.commonDir)
	}
}

// learnProgram asks the git on PATH for its version and its file for all users, and
// remembers them. What a killed process leaves of the file is no list, and so nothing.
func learnProgram(ctx context.Context, commonDir string) {
	p, ok := findProgram()
	if !ok {
		return
	}
	f, err := OpenOwn(filepath.Join(commonDir, layout.Private, programsFile), 0)
	if err != nil {
		return // nor could it be remembered
	}
	defer f.Close()
	if p.ask(ctx, commonDir); ctx.Err() != nil {
		return
	}
	list := slices.DeleteFunc(readPrograms(commonDir), func(known program) bool { return known.Path == p.Path })
	list = append([]program{p}, list...)
	text, err := json.Marshal(list[:min(len(list), maxPrograms)])
	if err == nil && f.Truncate(0) == nil {
		_, _ = f.Write(append(text, '\n'))
	}
}

// tellProgram is an editor that prints the executable of the git which starts it, and
// the file that it is given.
const tellProgram = `readlink "/proc/$PPID/exe" && printf '%s\n'`

// ask starts the program as `git config --system --edit`, with an editor that prints
// what the program is and which file it would edit. That file is not opened. Version and
// system stay empty where another program runs than the file that was found, as with a
// wrapper, and without /proc.
func (p *program) ask(ctx context.Context, dir string) {
	child := newProcess(ctx, gitLimit, []string{"config", "--system", "--edit"}, locationVars, configVars, programVars)
	defer child.cancel()
	child.Dir = dir
	child.Env = append(child.Env, "GIT_EDITOR="+tellProgram)
	out, version, err := child.runVersioned()
	lines := strings.Split(string(bytes.TrimSuffix(out, []byte("\n"))), "\n")
	if err != nil || len(lines) != 2 || !filepath.IsAbs(lines[1]) {
		return
	}
	ran, ranErr := os.Stat(lines[0])
	found, foundErr := os.Stat(p.Path)
	if ranErr == nil && foundErr == nil && os.SameFile(ran, found) {
		p.Version, p.System = version, filepath.Clean(lines[1])
	}
}

// programVars would have git name another file than the one it was built for.
var programVars = []string{"GIT_CONFIG_NOSYSTEM", "GIT_EDITOR", "GIT_EXEC_PATH"}
