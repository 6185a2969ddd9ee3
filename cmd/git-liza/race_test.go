package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/torture"
	"github.com/stretchr/testify/require"
)

// A playground is a repository with a board in which tests run the program
// as processes of its own.
type playground struct {
	t    *testing.T
	bin  string // holds git-liza
	repo string
	env  []string
}

var playgrounds gittest.Template

func newPlayground(t *testing.T) *playground {
	t.Helper()
	p := emptyPlayground(t, t.TempDir())
	require.NoError(t, playgrounds.Copy(p.repo, func(dir string) error {
		made := *p
		made.repo = dir
		made.init()
		return nil
	}))
	return p
}

// newPlaygroundAt makes one in a folder that is there.
func newPlaygroundAt(t *testing.T, root string) *playground {
	t.Helper()
	p := emptyPlayground(t, root)
	require.NoError(t, os.Mkdir(p.repo, 0o755))
	p.init()
	return p
}

func emptyPlayground(t *testing.T, root string) *playground {
	t.Helper()
	p := &playground{t: t, bin: filepath.Join(root, "bin"), repo: filepath.Join(root, "repo")}
	require.NoError(t, os.MkdirAll(p.bin, 0o755))
	require.NoError(t, os.Symlink(built, filepath.Join(p.bin, "git-liza")))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".gitconfig"), []byte("[user]\n\tname = Ann\n\temail = ann@example.org\n"+unattended), 0o644))
	p.env = []string{"GORACE=atexit_sleep_ms=0", "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC", "PATH=" + p.bin + ":" + os.Getenv("PATH"),
		"GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	return p
}

// init makes the repository and its board.
func (p *playground) init() {
	p.t.Helper()
	require.NoError(p.t, os.Mkdir(filepath.Join(p.repo, "specs"), 0o755))
	require.NoError(p.t, os.WriteFile(filepath.Join(p.repo, "specs", "vision.md"), []byte("# Race\n"), 0o644))
	for _, args := range [][]string{{"git", "init", "-q", "-b", "main"}, {"git", "add", "-A"}, {"git", "commit", "-q", "-m", "first"}, {"git-liza", "init"}} {
		p.must(args...)
	}
}

// run runs a command in the repository and returns exit code, stdout, stderr.
func (p *playground) run(extra []string, args ...string) (int, string, string) {
	path := args[0]
	if path == "git-liza" {
		path = filepath.Join(p.bin, path)
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = p.repo
	cmd.Env = append(append([]string{}, p.env...), extra...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), stdout.String(), stderr.String()
	}
	require.NoError(p.t, err)
	return 0, stdout.String(), stderr.String()
}

func (p *playground) must(args ...string) string {
	p.t.Helper()
	code, stdout, stderr := p.run(nil, args...)
	require.Zero(p.t, code, "%v: %s%s", args, stdout, stderr)
	return strings.TrimSpace(stdout)
}

func (p *playground) add(id string) {
	p.must("git-liza", "task", "add", id, "--title", "T", "--done-when", "D", "--spec", "specs/vision.md", "--scope", "S", "--kind", "docs")
}

// show is a task as its JSON has it.
func (p *playground) show(id string) map[string]any {
	var answer struct {
		Data map[string]any `json:"data"`
	}
	require.NoError(p.t, json.Unmarshal([]byte(p.must("git-liza", "show", id, "--json")), &answer))
	return answer.Data
}

func rounds(short, long int) int {
	if torture.Wanted() {
		return long
	}
	return short
}

// Sixteen processes claim one task: one wins, the others are told, and the
// winner's worktree and branch are as if it had been alone.
func TestTortureOneWinner(t *testing.T) {
	t.Parallel()
	const claimers = 16
	p := newPlayground(t)
	for round := range rounds(2, 20) {
		id := fmt.Sprintf("race-%d", round)
		p.add(id)
		type outcome struct {
			code           int
			stdout, stderr string
		}
		outcomes := make([]outcome, claimers)
		var wg sync.WaitGroup
		for i := range claimers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				code, stdout, stderr := p.run(nil, "git-liza", "claim", id, "--as", fmt.Sprintf("coder-%d", round*claimers+i+1), "--json")
				outcomes[i] = outcome{code, stdout, stderr}
			}()
		}
		wg.Wait()
		winner := -1
		for i, o := range outcomes {
			if o.code == 0 {
				require.Equal(t, -1, winner, "two winners")
				winner = i
				continue
			}
			require.Equal(t, exitRefused, o.code, o.stdout+o.stderr)
			require.Contains(t, o.stdout, `"rule":"lease"`)
		}
		require.NotEqual(t, -1, winner, "nobody won")
		task := p.show(id)
		require.Equal(t, fmt.Sprintf("coder-%d", round*claimers+winner+1), task["assigned_to"])
		tree := filepath.Join(p.repo, ".worktrees", id)
		require.Equal(t, p.must("git", "rev-parse", "integration"), p.must("git", "-C", tree, "rev-parse", "HEAD"))
		require.Equal(t, "liza/"+id, p.must("git", "-C", tree, "rev-parse", "--abbrev-ref", "HEAD"))
		require.Empty(t, p.must("git", "-C", tree, "status", "--porcelain"))
		require.Equal(t, "1", p.must("sh", "-c", "git for-each-ref 'refs/heads/liza/"+id+"*' | wc -l"))
	}
	p.must("git-liza", "fsck", "--full")
}

// killer is a git that kills the program that runs it at the n-th call,
// before or after the call's work.
const killer = `#!/bin/sh
echo x >>"$KILL_COUNT"
n=$(wc -l <"$KILL_COUNT")
[ "$n" -eq "$KILL_AT" ] || exec "$REAL_GIT" "$@"
[ "$KILL_WHEN" = before ] || "$REAL_GIT" "$@"
kill -9 $PPID
`

// killed runs a command of the program with a kill at every git process that
// it starts; after each kill the same command is typed again and must
// complete what the first one began. Each round starts from prepare.
func (p *playground) killed(prepare func(round int) []string, check func(round int)) {
	real, err := exec.LookPath("git")
	require.NoError(p.t, err)
	dir := p.t.TempDir()
	require.NoError(p.t, os.WriteFile(filepath.Join(dir, "git"), []byte(killer), 0o755))
	round := 0
	for _, when := range []string{"before", "after"} {
		for at := 1; ; at++ {
			round++
			args := prepare(round)
			count := filepath.Join(dir, strconv.Itoa(round))
			code, stdout, stderr := p.run([]string{"PATH=" + dir + ":" + p.bin + ":" + os.Getenv("PATH"), "REAL_GIT=" + real,
				"KILL_COUNT=" + count, "KILL_AT=" + strconv.Itoa(at), "KILL_WHEN=" + when}, args...)
			if code == 0 {
				require.Greater(p.t, at, 4, "the command ran hardly any git: %s", stdout)
				check(round)
				break
			}
			require.Equal(p.t, -1, code, "killed %s call %d of %v: %s%s", when, at, args, stdout, stderr)
			code, stdout, stderr = p.run(nil, args...)
			require.Zero(p.t, code, "again after a kill %s call %d: %s%s", when, at, stdout, stderr)
			check(round)
		}
	}
	p.must("git-liza", "fsck", "--full")
	p.must("git", "fsck", "--strict", "--no-dangling")
}

func TestTortureKilledClaim(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	p := newPlayground(t)
	prepare := func(round int) []string {
		id := fmt.Sprintf("claim-%d", round)
		p.add(id)
		return []string{"git-liza", "claim", id, "--as", fmt.Sprintf("coder-%d", round)}
	}
	p.killed(prepare, func(round int) {
		id := fmt.Sprintf("claim-%d", round)
		tree := filepath.Join(p.repo, ".worktrees", id)
		require.Equal(t, "CLAIMED", p.show(id)["status"])
		require.Equal(t, p.must("git", "rev-parse", "integration"), p.must("git", "-C", tree, "rev-parse", "HEAD"))
		require.Equal(t, "liza/"+id, p.must("git", "-C", tree, "rev-parse", "--abbrev-ref", "HEAD"))
		require.Empty(t, p.must("git", "-C", tree, "status", "--porcelain"))
	})
}

func TestTortureKilledMerge(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	p := newPlayground(t)
	p.must("git-liza", "config", "gates.unit.command", "test -d specs")
	p.must("git-liza", "config", "gates.unit.required", "true")
	prepare := func(round int) []string {
		id, coder := fmt.Sprintf("merge-%d", round), fmt.Sprintf("coder-%d", round)
		p.add(id)
		p.must("git-liza", "claim", id, "--as", coder)
		p.must("git-liza", "intent", id, "--as", coder, "--summary", "S", "--validation", "V")
		tree := filepath.Join(p.repo, ".worktrees", id)
		require.NoError(t, os.WriteFile(filepath.Join(tree, id+".txt"), []byte(id+"\n"), 0o644))
		p.must("git", "-C", tree, "add", "-A")
		p.must("git", "-C", tree, "commit", "-q", "-m", id)
		p.must("git-liza", "submit", id, "--as", coder)
		p.must("git-liza", "review", id, "--as", "code-reviewer-1")
		p.must("git-liza", "approve", id, "--as", "code-reviewer-1", "--commit", p.must("git", "rev-parse", "liza/"+id))
		return []string{"git-liza", "merge", id}
	}
	p.killed(prepare, func(round int) {
		id := fmt.Sprintf("merge-%d", round)
		task := p.show(id)
		require.Equal(t, "MERGED", task["status"])
		require.Equal(t, p.must("git", "rev-parse", "integration"), task["merge_commit"])
		require.Equal(t, id, p.must("git", "show", "integration:"+id+".txt"))
		require.NoDirExists(t, filepath.Join(p.repo, ".worktrees", id))
		require.Empty(t, p.must("git", "for-each-ref", "refs/heads/liza/"+id))
		require.NotEmpty(t, p.must("git", "for-each-ref", "refs/liza/saved/"+id))
	})
}

// Eight processes make moves while others read, pack refs and collect
// garbage: every move is one commit, and no reader ever fails.
func TestTortureMoves(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	const writers, moves = 8, 50
	p := newPlayground(t)
	before, err := strconv.Atoi(p.must("git", "rev-list", "--count", "refs/liza/state"))
	require.NoError(t, err)
	done := make(chan struct{})
	var beside, writing sync.WaitGroup
	var failures [3]string
	for i, command := range [][]string{
		{"sh", "-c", "git rev-parse --verify refs/liza/state && git liza status"},
		{"git-liza", "log", "-n", "3", "--json"},
		// A lock that somebody holds for a moment is no fault: git waits a second for
		// those of refs, and a machine can be slower.
		{"sh", "-c", "git -c core.filesRefLockTimeout=60000 -c core.packedRefsTimeout=60000 pack-refs --all && git -c core.filesRefLockTimeout=60000 -c core.packedRefsTimeout=60000 gc --quiet"},
	} {
		beside.Add(1)
		go func() {
			defer beside.Done()
			for {
				select {
				case <-done:
					return
				default:
				}
				if code, stdout, stderr := p.run(nil, command...); code != 0 {
					failures[i] += fmt.Sprintf("%v exits %d: %s%s\n", command, code, stdout, stderr)
				}
			}
		}()
	}
	problems := make([]string, writers)
	for w := range writers {
		writing.Add(1)
		go func() {
			defer writing.Done()
			for n := range moves {
				if code, stdout, stderr := p.run(nil, "git-liza", "note", fmt.Sprintf("note %d of %d", n, w)); code != 0 {
					problems[w] += fmt.Sprintf("exits %d: %s%s\n", code, stdout, stderr)
				}
			}
		}()
	}
	writing.Wait()
	close(done)
	beside.Wait()
	require.Empty(t, strings.Join(problems, ""))
	require.Empty(t, failures[0], "a reader failed")
	require.Empty(t, failures[1], "a reader failed")
	require.Empty(t, failures[2], "git's own housekeeping failed")
	after, err := strconv.Atoi(p.must("git", "rev-list", "--count", "refs/liza/state"))
	require.NoError(t, err)
	require.Equal(t, writers*moves, after-before)
	subjects := strings.Count(p.must("git", "log", "--format=%b", "refs/liza/state"), "request: ")
	require.Equal(t, after, subjects)
	p.must("git-liza", "fsck", "--board")
	p.must("git", "fsck", "--strict")
}

// Of merges that race on a conflict one is counted as the setback.
func TestMergesRaceOnAConflict(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	for _, cmd := range []struct{ id, by string }{{"a", "coder-1"}, {"b", "coder-2"}} {
		p.must("git-liza", "task", "add", cmd.id, "--title", "t", "--done-when", "d", "--spec", "specs/vision.md", "--scope", "s", "--owns", cmd.id+".txt", "--kind", "docs")
		p.must("git-liza", "claim", cmd.id, "--as", cmd.by)
		p.must("git-liza", "intent", cmd.id, "--as", cmd.by, "--summary", "s", "--validation", "v", "--extend", "shared.txt")
		tree := filepath.Join(p.repo, ".worktrees", cmd.id)
		require.NoError(t, os.WriteFile(filepath.Join(tree, "shared.txt"), []byte(cmd.id+"\n"), 0o644))
		p.must("git", "-C", tree, "add", "-A")
		p.must("git", "-C", tree, "commit", "-qm", cmd.id)
	}
	for i, id := range []string{"a", "b"} {
		p.must("git-liza", "submit", id, "--as", "coder-"+strconv.Itoa(i+1))
		p.must("git-liza", "review", id, "--as", "code-reviewer-1")
		_, commit, _ := p.run(nil, "git", "rev-parse", "liza/"+id)
		p.must("git-liza", "approve", id, "--as", "code-reviewer-1", "--commit", strings.TrimSpace(commit))
	}
	p.must("git-liza", "merge", "a")
	outcomes := make([]string, 4)
	var racing sync.WaitGroup
	for i := range outcomes {
		racing.Go(func() {
			_, out, said := p.run(nil, "git-liza", "merge", "b", "--json")
			var answer struct{ Outcome string }
			if json.Unmarshal([]byte(out), &answer) != nil {
				answer.Outcome = out + said
			}
			outcomes[i] = answer.Outcome
		})
	}
	racing.Wait()
	changed := 0
	for _, outcome := range outcomes {
		if outcome == "changed" {
			changed++
			continue
		}
		require.Contains(t, []string{"already", "refused"}, outcome, outcomes)
	}
	require.Equal(t, 1, changed, outcomes)
}
