package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// gitLimit is how long one git process may take unless Cmd.Limit says more.
const gitLimit = 2 * time.Minute

// killDelay is how long a git process that was asked to end may take to
// remove its lock files before it is killed.
const killDelay = 5 * time.Second

// ErrMissing is wrapped when there is no git on PATH. The command line
// tests it to tell the user to install git.
var ErrMissing = errors.New("git is not installed or not on PATH")

// A Cmd describes one git process. Zero fields mean the default.
type Cmd struct {
	Dir   string   // working directory; the shared git directory if empty
	Args  []string // what follows `git`
	Stdin []byte
	Input io.Reader // in place of Stdin
	Env   []string  // added to the environment, last one wins

	// Environ, if set, is there in place of this process's environment: for what
	// runs hooks or filters of a tree that somebody else has written.
	Environ []string

	// GitDir, if set, is a private git directory to run in, over the
	// repository's own objects and untouched by the user's, the system's and
	// the environment's configuration.
	GitDir string

	// WorkTree runs git as a user would in Dir: the repository is found from
	// there, and the environment names none.
	WorkTree bool

	// Remote is for a process that talks to a remote: it has no terminal, asks no
	// questions, and gets no variable that begins with LIZA_. All processes that it
	// starts end with it.
	Remote bool

	// Via runs the process in the place of [exec.Cmd.Run]: below a guard, for example. Its
	// error has a method ExitCode if the process ended.
	Via func(context.Context, *Process) error

	// Limit is the time the process may take, 2 minutes if zero.
	Limit time.Duration

	// Locks are lock files, absolute, beside those of refs, that the process takes
	// in this repository. One that is in the way is waited for a moment and is then
	// a *Locked; one that a killed process leaves is cleared by the next.
	Locks []string

	Leaves Leftovers // what the process may leave: noted in the journal before it starts
}

// A Process is one of git's that has not started.
type Process = exec.Cmd

// An Error tells how a git process went wrong. Code is its exit code, or -1
// if it did not start or was killed.
type Error struct {
	Args   []string
	Code   int
	Stderr string
	Err    error
}

// Error says in one line which command went wrong and what git said.
func (e *Error) Error() string {
	said := strings.Join(strings.FieldsFunc(e.Stderr, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
	if len(said) > 500 {
		said = said[:500] + "…"
	}
	if said == "" || e.Code < 0 {
		said = strings.TrimSuffix(e.Err.Error()+": "+said, ": ")
	}
	return "git " + subcommand(e.Args) + ": " + said
}

// Unwrap returns what os/exec or the context said.
func (e *Error) Unwrap() error { return e.Err }

// subcommand is the first argument that is neither an option of git itself nor
// the value of one.
func subcommand(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" || args[i] == "-C" {
			i++
			continue
		}
		if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return strings.Join(args, " ")
}

// Git runs `git ARGS` in the repository, as its work tree sees it, and returns
// its standard output. The error is a *Error.
func (r *Repo) Git(ctx context.Context, args ...string) ([]byte, error) {
	return r.Run(ctx, Cmd{Args: args})
}

// Run runs one git process and returns its standard output, also when it fails
// (`merge-tree` speaks through its exit code). The error is a *Error, or a
// *Locked where it takes locks.
func (r *Repo) Run(ctx context.Context, c Cmd) (out []byte, err error) {
	if len(c.Locks) > 0 {
		c.Leaves.idle, c.Leaves.Objects = c.Locks, true
		err = r.Journal.RunUnlocked(ctx, c.Leaves, func() error {
			out, err = r.runLocking(ctx, c)
			return err
		})
		return out, err
	}
	return r.runLocking(ctx, c)
}

// runLocking runs a process that takes locks, with an entry in the journal.
func (r *Repo) runLocking(ctx context.Context, c Cmd) (out []byte, err error) {
	p := r.process(ctx, c)
	defer p.cancel()
	if !c.Leaves.any() {
		return p.run()
	}
	if err := r.Journal.Recover(ctx); err != nil {
		return nil, err
	}
	c.Leaves.limit = c.limit() + killDelay
	entry, err := r.Journal.open(ctx, c.Leaves)
	if err != nil {
		return nil, err
	}
	defer func() { entry.close(err) }()
	p.ExtraFiles = []*os.File{entry.file} // the entry stays locked while git lives
	return p.run()
}

// limit is how long the process may take.
func (c Cmd) limit() time.Duration { return cmp.Or(c.Limit, gitLimit) }

// streamOutput runs one git process and hands its output to read as it comes. An
// error of read ends the process and is returned.
func (r *Repo) streamOutput(ctx context.Context, c Cmd, read func(*bufio.Reader) error) error {
	p := r.process(ctx, c)
	defer p.cancel()
	out, err := p.StdoutPipe()
	if err != nil {
		return err
	}
	start := time.Now()
	if err := p.wrapFailure(p.Start()); err != nil {
		return err
	}
	readErr := read(bufio.NewReaderSize(out, 64<<10))
	enough := readErr != nil && p.ctx.Err() == nil
	if readErr != nil {
		p.cancel()
		out.Close()
	}
	err = p.wrapFailure(p.Wait())
	trace(p.args, start, err)
	if enough {
		return readErr
	}
	return errors.Join(readErr, err)
}

// A process is one of git's. It is asked to end, and can so remove its locks,
// before it is killed. cancel must be called after it has ended.
type process struct {
	*exec.Cmd
	args   []string
	ctx    context.Context
	cancel context.CancelFunc
	stderr tail
	via    func(context.Context, *Process) error
}

// newProcess prepares a process with our environment, less the variables named.
func newProcess(ctx context.Context, limit time.Duration, args []string, without ...[]string) *process {
	p := &process{args: args}
	p.ctx, p.cancel = context.WithTimeout(ctx, limit)
	p.Cmd = exec.CommandContext(p.ctx, "git", args...)
	p.Cmd.Cancel = func() error { return p.Process.Signal(syscall.SIGTERM) }
	p.WaitDelay = killDelay
	p.Env = baseEnv(os.Environ(), without...)
	p.Stderr = &p.stderr
	return p
}

// process prepares a process in the repository.
func (r *Repo) process(ctx context.Context, c Cmd) *process {
	private := c.GitDir != "" && !c.WorkTree
	without := [][]string{locationVars}
	if private {
		without = append(without, configVars)
	}
	if r.Planted != nil && c.Args[0] != "config" && r.Planted() {
		c.Args = append([]string{"-c", "core.hooksPath=" + os.DevNull}, c.Args...)
	}
	p := newProcess(ctx, c.limit(), c.Args, without...)
	p.via = c.Via
	if c.Environ != nil {
		p.Env = baseEnv(c.Environ, without...)
	}
	p.Dir = cmp.Or(c.Dir, r.commonDir)
	switch {
	case private:
		// No configuration but that of the git directory itself, over the objects of this one.
		p.Env = append(p.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_ATTR_NOSYSTEM=1", "GIT_OBJECT_DIRECTORY="+r.objectDir, "GIT_DIR="+c.GitDir)
	case !c.WorkTree:
		p.Env = append(p.Env, "GIT_DIR="+r.gitDir)
	}
	if c.Remote {
		p.detach()
	}
	p.Env = append(p.Env, c.Env...)
	p.Stdin = c.Input
	if c.Stdin != nil {
		p.Stdin = bytes.NewReader(c.Stdin)
	}
	return p
}

// detach takes the terminal and everything of ours away from a process: over
// a local path git hands the environment on to the hooks of the other side. An
// empty GIT_ASKPASS keeps git from looking for another program to ask with.
func (p *process) detach() {
	p.Env = slices.DeleteFunc(p.Env, func(kv string) bool { return strings.HasPrefix(kv, "LIZA_") })
	p.Env = append(p.Env, "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never")
	p.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.Cmd.Cancel = func() error { return syscall.Kill(-p.Process.Pid, syscall.SIGTERM) }
}

func (p *process) run() ([]byte, error) {
	var out bytes.Buffer
	p.Stdout = &out
	start := time.Now()
	if p.via == nil {
		p.via = func(context.Context, *Process) error { return p.Run() }
	}
	err := p.wrapFailure(p.via(p.ctx, p.Cmd))
	trace(p.args, start, err)
	return out.Bytes(), err
}

// wrapFailure turns what os/exec says into a *Error, or nil.
func (p *process) wrapFailure(err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Args: p.args, Code: -1, Stderr: strings.TrimSpace(p.stderr.String()), Err: err}
	var exit interface{ ExitCode() int }
	switch {
	case errors.Is(err, exec.ErrNotFound):
		e.Err = fmt.Errorf("%w (%w)", ErrMissing, err)
	case p.ctx.Err() != nil:
		e.Err = fmt.Errorf("%w (%w)", p.ctx.Err(), err)
	case errors.As(err, &exit):
		e.Code = exit.ExitCode()
	}
	return e
}

// ExitCode returns the exit code of the git process that err tells of, or -1.
func ExitCode(err error) int {
	if e, is := errors.AsType[*Error](err); is {
		return e.Code
	}
	return -1
}

// trace prints one line per git process if LIZA_TRACE is set.
func trace(args []string, start time.Time, err error) {
	if v := os.Getenv("LIZA_TRACE"); v == "" || v == "0" {
		return
	}
	end := "ok"
	if err != nil {
		end = err.Error()
	}
	fmt.Fprintf(os.Stderr, "git %s (%s, %s)\n", strings.Join(args, " "), time.Since(start).Round(100*time.Microsecond), end)
}

// locationVars name a repository or an index; a process of ours is told its
// own. The object directories stay: in a hook they name the quarantine.
var locationVars = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX",
	"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF", "GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// configVars bring configuration in from the environment; GIT_CONFIG_KEY_n and
// GIT_CONFIG_VALUE_n are unused without the count.
var configVars = []string{
	"GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
	"GIT_ATTR_SOURCE", "GIT_SHALLOW_FILE", "GIT_OBJECT_DIRECTORY",
}

// baseEnv makes the environment of a git process of ours. The graft file is
// one that cannot exist: an empty one would make git print advice.
func baseEnv(environ []string, without ...[]string) []string {
	drop := slices.Concat(without...)
	env := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(drop, name)
	})
	return append(env, "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null/none", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
}

// A tail keeps the last tailMax bytes that were written to it.
type tail struct{ buf []byte }

const tailMax = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailMax; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.buf) }
