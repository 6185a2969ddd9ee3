package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit in which Linux tells when a process began, and half of
// what uptime and the times of files are rounded to beside it.
const clockTick = 10 * time.Millisecond

// noGitRunsSince reports whether no running git that may work in this repository began
// before a time, some ticks of the clock allowed for. Then no living process made a
// lock of that time here. It is false where the system does not tell.
func (j *Journal) noGitRunsSince(at time.Time) bool {
	now := time.Now() // before the system is asked: if this process pauses between, others seem older
	text, err := os.ReadFile("/proc/uptime")
	seconds, _, _ := strings.Cut(string(text), " ")
	up, parseErr := strconv.ParseFloat(seconds, 64)
	processes, listErr := os.ReadDir("/proc")
	if err != nil || parseErr != nil || listErr != nil {
		return false
	}
	boot := now.Add(-time.Duration(up * float64(time.Second)))
	for _, process := range processes {
		pid, err := strconv.Atoi(process.Name())
		if err != nil || slices.Contains(j.above, pid) {
			continue
		}
		start, state := readStart(pid)
		ticks, err := strconv.ParseInt(start, 10, 64)
		if err != nil || state == "Z" || state == "X" || boot.Add(time.Duration(ticks)*clockTick).After(at.Add(5*clockTick)) {
			continue
		}
		if j.mayHoldLocksHere(pid) {
			return false
		}
	}
	return true
}

// lockless are subcommands of git that run for long and take no lock themselves.
var lockless = []string{"liza", "fsmonitor--daemon", "cat-file"}

// mayHoldLocksHere reports whether a process is a git that may hold a lock of this
// repository.
func (j *Journal) mayHoldLocksHere(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	name, err := os.ReadFile(dir + "/comm")
	if err != nil || strings.TrimSpace(string(name)) != "git" && !strings.HasPrefix(string(name), "git-receive-pac") {
		return false
	}
	line, err := os.ReadFile(dir + "/cmdline")
	if err != nil {
		return false
	}
	cwd, err := os.Readlink(dir + "/cwd")
	if errors.Is(err, fs.ErrNotExist) {
		return false // it has ended
	}
	// After the command line: while that is empty, so is the environment.
	environ, envErr := os.ReadFile(dir + "/environ")
	return j.mayHoldLocks(string(line), cwd, string(environ), err == nil && envErr == nil)
}

// mayHoldLocks decides by what the system tells of a git: its command line, its folder
// and its environment, where the last two are known. In the middle of its exec a
// process has a name and neither of these two yet: then it may hold a lock anywhere.
func (j *Journal) mayHoldLocks(line, cwd, environ string, known bool) bool {
	if line == "" {
		return true
	}
	args := strings.Split(strings.TrimSuffix(line, "\x00"), "\x00")
	if slices.Contains(lockless, subcommand(args[1:])) {
		return false
	}
	if !known {
		return true // another account's
	}
	for _, word := range append(strings.Split(environ, "\x00"), args...) {
		gitDir, named := strings.CutPrefix(word, "GIT_DIR=")
		if !named {
			gitDir, named = strings.CutPrefix(word, "--git-dir=")
		}
		if !named {
			continue
		}
		if filepath.IsAbs(gitDir) {
			return j.isOwn(gitDir)
		}
		gitDir = filepath.Join(cwd, gitDir)
		return j.isOwn(gitDir) || !fileExists(gitDir) && fileExists(cwd) // it may have gone elsewhere since
	}
	return j.isOwn(gitDirAbove(cwd)) || slices.Contains(args, "--git-dir")
}

// gitDirAbove returns the git directory that git finds from a folder, "" if none.
func gitDirAbove(dir string) string {
	for {
		inside := filepath.Join(dir, ".git")
		if info, err := os.Stat(inside); err == nil && info.IsDir() {
			return inside
		}
		if text, err := ReadSmall(inside); err == nil {
			target, _ := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir, target)
			}
			return target
		}
		if fileExists(filepath.Join(dir, "HEAD")) && fileExists(filepath.Join(dir, "objects")) || fileExists(filepath.Join(dir, "commondir")) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// isOwn reports whether a git directory is this repository's, or that of one of
// its work trees.
func (j *Journal) isOwn(gitDir string) bool {
	mine, err := os.Stat(j.repo.commonDir)
	if err != nil {
		return true
	}
	its, err := os.Stat(commonDirOf(gitDir))
	return err == nil && os.SameFile(mine, its)
}

// commonDirOf is the git directory that a work tree's own one belongs to; any other
// one is its own.
func commonDirOf(gitDir string) string {
	text, err := ReadSmall(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	common := strings.TrimSpace(string(text))
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return common
}
