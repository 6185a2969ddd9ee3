package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/internal/torture"
	"github.com/stretchr/testify/require"
)

// A cutDisk is a playground on a file system of its own, of which pictures are
// taken as a power cut would leave it: what the kernel has not written out yet
// is not on them. The file system writes nothing out by itself for five minutes.
type cutDisk struct {
	*playground
	image string // the disk, as a file
	mount string // where the playground's file system is
	whole string // the script that fails unless all is there
	cuts  int
}

// newCutDisk skips the test where nobody may mount a disk.
func newCutDisk(t *testing.T) *cutDisk {
	t.Helper()
	dir := t.TempDir()
	d := &cutDisk{image: filepath.Join(dir, "disk"), mount: filepath.Join(dir, "mount"), whole: isWhole}
	require.NoError(t, os.Mkdir(d.mount, 0o755))
	setup := `set -e; truncate -s 48M "$0"; mkfs.ext4 -q -E lazy_itable_init=0 "$0"; mount -o loop,commit=300 "$0" "$1"`
	if out, err := exec.Command("sh", "-c", setup, d.image, d.mount).CombinedOutput(); err != nil {
		t.Skipf("nobody may mount a disk here, so no power cut was tried: %v %s", err, out)
	}
	t.Cleanup(func() {
		out, err := exec.Command("umount", d.mount).CombinedOutput()
		require.NoError(t, err, string(out))
	})
	d.playground = newPlaygroundAt(t, d.mount)
	return d
}

// cut runs a script in the repository as it is after a power cut now; nothing
// that it does counts afterwards. The file system is at its place there, so that
// the paths in it are true.
func (d *cutDisk) cut(what, script string) {
	d.t.Helper()
	d.cuts++
	picture := fmt.Sprintf("%s.%d", d.image, d.cuts)
	out, err := exec.Command("cp", "--sparse=always", d.image, picture).CombinedOutput()
	require.NoError(d.t, err, string(out))
	d.boot("this was answered: "+what, picture, script)
}

// boot runs a script in the repository as a picture of the disk has it, and
// removes the picture.
func (d *cutDisk) boot(when, picture, script string) {
	d.t.Helper()
	cmd := exec.Command("unshare", "--mount", "sh", "-c",
		`set -e; mount -o loop "$0" "$1"; cd "$2"; exec sh -c "$3"`, picture, d.mount, d.repo, "set -e\n"+script)
	cmd.Env = d.env
	out, err := cmd.CombinedOutput()
	require.NoError(d.t, err, "after a power cut when %s\n%s\n%s", when, script, out)
	require.NoError(d.t, os.Remove(picture))
}

// refsOfBoard are the refs whose moves are answered.
const refsOfBoard = "git for-each-ref refs/liza/state refs/liza/saved refs/liza/marks refs/liza/rescue refs/heads/integration"

// isWhole fails unless everything behind these refs can be read, the board is
// sound, and the next move is made.
const isWhole = `
refs=$(` + refsOfBoard + ` | cut -d' ' -f1)
git rev-list --objects --no-object-names $refs | git cat-file --batch >/dev/null
git fsck --strict --no-dangling --no-progress $refs
git-liza fsck --full
git-liza note 'after the power cut'
git-liza fsck
find .git/hooks hooks -type f -size 0 2>/dev/null | { ! grep .; }
`

// acked runs a command, and cuts the power when it has answered: the refs of the
// board are where they were, and whole.
func (d *cutDisk) acked(args ...string) {
	d.t.Helper()
	d.must(args...)
	d.stays(args...)
}

// stays cuts the power.
func (d *cutDisk) stays(args ...string) {
	d.t.Helper()
	d.cut(strings.Join(args, " "), "[ \"$("+refsOfBoard+")\" = '"+d.must("sh", "-c", refsOfBoard)+"' ]\n"+d.whole)
}

// write changes a file in the worktree of a task.
func (d *cutDisk) write(id, name, text string) {
	path := filepath.Join(d.repo, ".worktrees", id, "src", id, name)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(d.t, os.WriteFile(path, []byte(text), 0o644))
}

// commit is what an agent does, with a git that syncs as git does by default.
func (d *cutDisk) commit(id, text string) {
	d.write(id, "file.txt", text)
	tree := filepath.Join(d.repo, ".worktrees", id)
	d.must("git", "-C", tree, "add", "-A")
	d.must("git", "-C", tree, "commit", "-q", "-m", text)
}

// Whatever was answered is whole after a power cut: the move, the commits that
// it names with everything in them, and integration.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	cutPower(t, 1)
}

// The same for many tasks one after the other.
func TestTorturePowerCut(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	cutPower(t, 3)
}

// cutPower tells as many stories, also where each file is synced by itself.
func cutPower(t *testing.T, stories int) {
	for _, mode := range []string{"batch", "all"} {
		d := newCutDisk(t)
		d.must("git", "config", "liza.fsync", mode)
		for n := range stories {
			d.story(n + 1)
		}
	}
}

// story does the n-th pair of tasks: one is merged, the other is abandoned.
func (d *cutDisk) story(n int) {
	d.t.Helper()
	merged, abandoned := fmt.Sprintf("merged-%d", n), fmt.Sprintf("abandoned-%d", n)
	if n == 1 {
		d.cut("git-liza init", d.whole)
	}
	d.add(merged)
	d.acked("git-liza", "claim", merged, "--as", "coder-1")
	d.must("git-liza", "intent", merged, "--as", "coder-1", "--summary", "S", "--validation", "V")
	d.commit(merged, "one")
	d.acked("git-liza", "submit", merged, "--as", "coder-1")
	d.acked("git-liza", "review", merged, "--as", "code-reviewer-1")
	d.acked("git-liza", "approve", merged, "--as", "code-reviewer-1", "--commit", d.must("git", "rev-parse", "liza/"+merged))
	d.commit(merged, "after the review")
	d.write(merged, "untracked.txt", "left out")
	d.acked("git-liza", "merge", merged)
	require.Contains(d.t, d.must("git", "ls-tree", "-r", "refs/liza/saved/"+merged+"/2"), "untracked.txt")

	d.must("git", "commit", "-q", "--allow-empty", "-m", "of a person")
	d.must("git", "merge", "-q", "-m", "both", "integration")
	d.must("git", "-c", "core.fsync=none", "repack", "-q", "-a", "-d")
	d.acked("git-liza", "adopt", "main", "--reason", "R")

	d.add(abandoned)
	d.must("git-liza", "claim", abandoned, "--as", "coder-1")
	d.write(abandoned, "untracked.txt", "never committed")
	d.must("git-liza", "block", abandoned, "--as", "coder-1", "--reason", "R", "--question", "Q")
	d.acked("git-liza", "task", "abandon", abandoned, "--reason", "R")
	require.Contains(d.t, d.must("git", "ls-tree", "-r", "refs/liza/saved/"+abandoned+"/1"), "untracked.txt")
}

// A power cut while git holds the lock of the state ref: the entry that says
// whose it is is on the disk too, so that nobody has to clear it by hand.
func TestPowerCutInsideAMove(t *testing.T) {
	t.Parallel()
	d := newCutDisk(t)
	d.cut("git-liza init", isWhole)
	d.must("git-liza", "note", "before")
	before := d.must("sh", "-c", refsOfBoard)
	picture := d.image + ".inside"
	require.NoError(t, os.WriteFile(filepath.Join(d.repo, ".git", "hooks", "reference-transaction"), []byte(
		"#!/bin/sh\n[ $1 = prepared ] || exit 0\n[ -e "+d.repo+"/.git/refs/liza/state.lock ] && cp --sparse=always "+d.image+" "+picture+"\nexit 0\n"), 0o755))
	d.must("git-liza", "note", "cut")
	d.boot("a note held its lock", picture, "[ -s .git/refs/liza/state.lock ]\n[ \"$("+refsOfBoard+")\" = '"+before+"' ]\n"+isWhole)
}

// A power cut in a clone while its remote judges a submission: what the move names is
// on the disk before another machine hears of it.
func TestPowerCutBeforeAPush(t *testing.T) {
	t.Parallel()
	d := newCutDisk(t)
	server := filepath.Join(t.TempDir(), "server.git")
	d.must("git", "init", "-q", "--bare", server)
	d.must("git", "remote", "add", "origin", server)
	d.must("git-liza", "sync", "--set", "origin")
	d.add("t-1")
	d.must("git-liza", "claim", "t-1", "--as", "coder-1")
	d.must("git-liza", "intent", "t-1", "--as", "coder-1", "--summary", "S", "--validation", "V")
	d.commit("t-1", "one")
	picture := d.image + ".judged"
	require.NoError(t, os.WriteFile(filepath.Join(server, "hooks", "pre-receive"), []byte("#!/bin/sh\ncp --sparse=always "+d.image+" "+picture+"\n"), 0o755))
	d.must("git-liza", "submit", "t-1", "--as", "coder-1")
	commit := d.must("git", "rev-parse", "refs/liza/saved/t-1/1")
	d.boot("a submission was judged", picture, "git rev-list --objects --no-object-names "+commit+" | git cat-file --batch >/dev/null\ngit fsck --strict --no-dangling --no-progress "+commit)
}

// isWholeMirror also fails if git cannot fetch, for which it reads all refs.
const isWholeMirror = isWhole + `
find .git/refs -type f -size 0 | { ! grep .; }
git fetch -q origin
`

// A clone of a shared remote, which is on another disk: what it was answered is
// in the mirror after a power cut, with what it names, its next move reaches
// the remote, and git fetches from it.
func TestTorturePowerCutOfAMirror(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	d := newCutDisk(t)
	d.whole = isWholeMirror
	server := filepath.Join(t.TempDir(), "server.git")
	d.must("git", "init", "-q", "--bare", server)
	d.must("git", "-C", server, "liza", "hooks", "install", "--server")
	d.must("git", "remote", "add", "origin", server)
	d.must("git-liza", "sync", "--set", "origin")
	d.story(1)
}

// A clone that has just joined a board.
func TestTorturePowerCutOfAJoin(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	d, p := newCutDisk(t), newPlayground(t)
	server := filepath.Join(t.TempDir(), "server.git")
	p.must("git", "init", "-q", "--bare", server)
	p.must("git", "-C", server, "liza", "hooks", "install", "--server")
	p.must("git", "remote", "add", "origin", server)
	p.must("git-liza", "sync", "--set", "origin")
	p.must("git", "push", "-q", "origin", "main")
	d.repo = filepath.Join(d.mount, "joined")
	p.must("git", "clone", "-q", "-b", "main", server, d.repo)
	d.must("git", "config", "user.name", "N")
	d.must("git", "config", "user.email", "n@example.org")
	d.must("sync") // git syncs nothing of a new repository
	d.must("git-liza", "init", "--remote", "origin")
	d.cut("git-liza init --remote origin", isWholeMirror)
	d.add("t-1")
	p.must("git-liza", "note", "news")
	d.acked("git-liza", "sync")
}

// The same on a server, whose git unpacks what it gets into loose objects, and
// answers before its refs need be on the disk.
func TestPowerCutOfAServer(t *testing.T) {
	t.Parallel()
	d, p := newCutDisk(t), newPlayground(t)
	d.repo = filepath.Join(d.mount, "server.git")
	p.must("git", "init", "-q", "--bare", d.repo)
	d.must("sync") // git syncs nothing of a new repository
	d.must("git-liza", "hooks", "install", "--server")
	p.must("git", "remote", "add", "origin", d.repo)
	pushed := func(args ...string) {
		t.Helper()
		p.must(args...)
		refs := strings.Replace(refsOfBoard, "refs/liza/rescue ", "", 1)
		d.cut(strings.Join(args, " "), "[ \"$("+refs+")\" = '"+d.must("sh", "-c", refs)+"' ]\n"+strings.Replace(isWhole, "git-liza note", ": git-liza note", 1))
	}
	pushed("git-liza", "sync", "--set", "origin")
	p.add("t-1")
	p.must("git-liza", "claim", "t-1", "--as", "coder-1")
	pushed("git-liza", "intent", "t-1", "--as", "coder-1", "--summary", "S", "--validation", "V")
	(&cutDisk{playground: p}).commit("t-1", "one")
	pushed("git-liza", "submit", "t-1", "--as", "coder-1")
	p.must("git-liza", "review", "t-1", "--as", "code-reviewer-1")
	p.must("git-liza", "approve", "t-1", "--as", "code-reviewer-1", "--commit", p.must("git", "rev-parse", "liza/t-1"))
	pushed("git-liza", "merge", "t-1")
}
