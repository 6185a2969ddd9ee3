package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A recording is what processes wrote and synced, read from strace, as a file
// system keeps it that has one journal: what was made or renamed is durable with
// the next flush, what is in a file once it was written out itself.
type recording struct {
	t              *testing.T
	p              *playground
	at             int               // the call that is read
	flush          int               // the last call that flushed the journal
	out            map[string]bool   // files whose content was written out, by path
	named          map[string]int    // the call that gave a file its name
	value          map[string]string // what was written into locks of refs
	moved          map[string]string // refs of the board that moved since the last answer
	moves, answers int
}

// recordedCalls are those that count, and what is asked of strace to tell.
const recordedCalls = "openat,open,creat,write,pwrite64,rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync,sync_file_range,syncfs"

var (
	unfinished = regexp.MustCompile(`^(\d+) +(.*) <unfinished \.\.\.>$`)
	resumed    = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)$`)
	systemCall = regexp.MustCompile(`^\d+ +(\w+)\((.*)\) += ([0-9-]+)`)
	quotedPath = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	openPath   = regexp.MustCompile(`^\d+<([^>]*)>`)
	boardRef   = regexp.MustCompile(`/\.git/(refs/liza/(?:state|saved/.*|marks/.*)|refs/heads/integration)$`)
)

// lines joins what strace took apart.
func (r *recording) lines(text string) {
	begun := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := unfinished.FindStringSubmatch(line); m != nil {
			begun[m[1]] = m[2]
			continue
		}
		if m := resumed.FindStringSubmatch(line); m != nil {
			line = m[1] + " " + begun[m[1]] + m[2]
		}
		if m := systemCall.FindStringSubmatch(line); m != nil && !strings.HasPrefix(m[3], "-") {
			r.at++
			r.read(m[1], m[2])
		}
	}
}

func (r *recording) read(name, args string) {
	var paths []string
	for _, m := range quotedPath.FindAllStringSubmatch(args, -1) {
		path := m[1]
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.p.repo, ".git", path) // where our git processes run
		}
		paths = append(paths, path)
	}
	file := ""
	if m := openPath.FindStringSubmatch(args); m != nil {
		file = m[1]
	}
	switch name {
	case "openat", "open", "creat":
		if len(paths) > 0 && strings.Contains(args, "O_CREAT") {
			r.made(paths[0])
		}
	case "write", "pwrite64":
		delete(r.out, file)
		if text := quotedPath.FindStringSubmatch(args); strings.HasSuffix(file, ".lock") && text != nil {
			r.value[file] += strings.TrimSuffix(text[1], `\n`)
		}
	case "fsync", "fdatasync", "sync_file_range", "syncfs":
		r.out[file] = true
		if name != "sync_file_range" {
			r.flush = r.at
		}
	case "rename", "renameat", "renameat2", "link", "linkat":
		r.renamed(paths[0], paths[1])
	}
}

// durable tells whether a file survives a cut now; what was there before the
// recording does.
func (r *recording) durable(path string) bool {
	named, recorded := r.named[path]
	return !recorded || r.out[path] && named < r.flush
}

// made looks at a file that is new: git takes the lock of the state ref only when
// the journal says so.
func (r *recording) made(path string) {
	if strings.Contains(filepath.Base(path), ".answered-") {
		r.answered(filepath.Base(path))
	}
	delete(r.out, path)
	delete(r.value, path)
	r.named[path] = r.at
	if !strings.HasSuffix(path, "/refs/liza/state.lock") {
		return
	}
	kept := 0
	for entry := range r.named {
		if strings.Contains(entry, "/liza/journal/") && !strings.HasSuffix(entry, ".new") && r.durable(entry) {
			kept++
		}
	}
	require.NotZero(r.t, kept, "the state is locked, and no entry of the journal is on the disk")
}

// renamed looks at a ref that moves: what it leads to must be on the disk.
func (r *recording) renamed(from, to string) {
	r.named[to] = r.at
	if r.out[from] {
		r.out[to] = true
	} else {
		delete(r.out, to)
	}
	delete(r.named, from)
	ref := boardRef.FindStringSubmatch(to)
	if ref == nil {
		return
	}
	require.True(r.t, r.out[to], "%s moves, and its content is not on the disk", ref[1])
	r.moves++
	r.moved[to] = ref[1]
	for id := range strings.FieldsSeq(r.p.must("git", "rev-list", "--objects", "--no-object-names", r.value[from])) {
		path := filepath.Join(r.p.repo, ".git", "objects", id[:2], id[2:])
		require.True(r.t, r.durable(path), "%s moves to %s, and %s is not on the disk", ref[1], r.value[from], path)
	}
}

// answered looks at the moment after a command: its moves must be on the disk.
func (r *recording) answered(what string) {
	r.answers++
	for path, ref := range r.moved {
		require.Less(r.t, r.named[path], r.flush, "%s: %s has moved, and that is not on the disk", what, ref)
	}
	clear(r.moved)
}

// Where nobody may mount a disk the order of writes and syncs shows the same: at
// every point at which the power could be cut, what a ref of the board leads to
// is on the disk, a lock has its entry, and an answer its move.
func TestPowerCutRecorded(t *testing.T) {
	t.Parallel()
	r := record(t, `liza task add t-1 --title T --done-when D --spec specs/vision.md --scope S --kind docs
liza claim t-1 --as coder-1
liza intent t-1 --as coder-1 --summary S --validation V
mkdir -p .worktrees/t-1/src/deep
echo one >.worktrees/t-1/src/deep/one.txt
git -C .worktrees/t-1 add -A
git -C .worktrees/t-1 commit -q -m one
liza submit t-1 --as coder-1
liza review t-1 --as code-reviewer-1
liza approve t-1 --as code-reviewer-1 --commit $(git rev-parse liza/t-1)
echo two >.worktrees/t-1/src/two.txt
liza merge t-1
git commit -q --allow-empty -m 'of a person'
git merge -q -m both integration
liza adopt main --reason R
`)
	require.GreaterOrEqual(t, r.moves, 12, "the recording shows hardly any moves")
	require.Equal(t, 8, r.answers)
}

// record runs a story, in which liza is a command after whose answer the power may be cut.
func record(t *testing.T, text string) *recording {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("without strace no writes and syncs are recorded")
	}
	p := newPlayground(t)
	dir := t.TempDir()
	story, log := filepath.Join(dir, "story.sh"), filepath.Join(dir, "log")
	require.NoError(t, os.WriteFile(story, []byte("set -e\nliza() { git-liza \"$@\"; : >\"$0.answered-$1\"; }\n"+text), 0o644))
	code, stdout, stderr := p.run(nil, strace, "-f", "--seccomp-bpf", "-y", "-s", "96", "-e", "trace="+recordedCalls, "-o", log, "sh", story)
	if code != 0 && strings.Contains(stderr, "ptrace") {
		t.Skipf("nobody may trace here: %s", stderr)
	}
	require.Zero(t, code, stdout+stderr)
	written, err := os.ReadFile(log)
	require.NoError(t, err)
	r := &recording{t: t, p: p, out: map[string]bool{}, named: map[string]int{}, value: map[string]string{}, moved: map[string]string{}}
	r.lines(string(written))
	return r
}
