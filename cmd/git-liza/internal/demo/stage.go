package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// makeRepository makes the repository: the product's first commit, then the board.
func (r *run) makeRepository(ctx context.Context) error {
	if err := unpack(r.report.Dir); err != nil {
		return err
	}
	if err := keepTasks(r.report.Dir, r.keep); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(r.report.Dir, filepath.FromSlash(playbook.DefaultPath)))
	if err != nil {
		return err
	}
	p, err := playbook.Parse(playbook.DefaultPath, data)
	if err != nil {
		return err
	}
	for _, t := range p.Plan {
		r.cast = append(r.cast, t.ID)
	}
	return r.configureRepository(ctx)
}

// configureRepository sets git's configuration for this repository only: a name if the machine
// has none, no signing key to unlock, no conversion of files, and trust in the
// planner's verify commands.
func (r *run) configureRepository(ctx context.Context) error {
	if _, err := r.command(ctx, "git", "init", "-q", "-b", "main"); err != nil {
		return err
	}
	settings := [][2]string{{"commit.gpgSign", "false"}, {"core.autocrlf", "false"}, {"gc.auto", "0"},
		{"liza.provider", "script"}, {"liza.trust.planner", "true"}}
	for _, own := range [][2]string{{"user.name", "Demo"}, {"user.email", "demo@example.org"}} {
		known, err := r.proc(ctx, nil, "git", "config", "--get", own[0])
		if err != nil {
			return err
		}
		if known.Code != 0 || strings.TrimSpace(known.Excerpt) == "" {
			settings = append(settings, own)
		}
	}
	for _, s := range settings {
		if _, err := r.command(ctx, "git", "config", "--local", s[0], s[1]); err != nil {
			return err
		}
	}
	for _, argv := range [][]string{
		{"git", "add", "-A"},
		{"git", "commit", "-q", "-m", "A spec for tally, and what its agents do"},
		{r.Program, "init"},
	} {
		if _, err := r.command(ctx, argv...); err != nil {
			return err
		}
	}
	return nil
}

// proc runs a program in the repository.
func (r *run) proc(ctx context.Context, out io.Writer, argv ...string) (proc.Result, error) {
	return proc.Run(ctx, proc.Command{Path: argv[0], Args: argv[1:], Dir: r.report.Dir, Env: r.environ(), Output: out,
		Grace: 10 * time.Second, Excerpt: 1 << 20})
}

// command runs a program that must succeed, as proc does, and returns its output.
func (r *run) command(ctx context.Context, argv ...string) (string, error) {
	result, err := r.proc(ctx, nil, argv...)
	if err != nil {
		return "", err
	}
	if !result.Passed() {
		return "", fmt.Errorf("%s: %s, exit %d: %s", strings.Join(argv, " "), result.Reason, result.Code, strings.TrimSpace(result.Excerpt))
	}
	return result.Excerpt, nil
}

// boundVariables are the variables that bind a process to another repository, agent or
// clock.
var boundVariables = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"}

// environ returns the environment with this git-liza first on its PATH, so that `git
// liza` runs it.
func (r *run) environ() []string {
	env := []string{}
	path := filepath.Dir(r.Program)
	for _, entry := range r.Environ {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case strings.HasPrefix(name, "LIZA_"), slices.Contains(boundVariables, name):
		case name == "PATH":
			path = filepath.Dir(r.Program) + string(filepath.ListSeparator) + value
		default:
			env = append(env, entry)
		}
	}
	return append(env, "PATH="+path)
}
