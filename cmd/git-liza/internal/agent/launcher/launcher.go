// Package launcher says where the sessions of agents run: as processes of this machine, or
// each in a container of its own, by podman or docker.
//
// A container has what a session needs and nothing else of this machine: the worktree,
// git's data, which it may read, and the folders of its provider. It has a user without
// privileges, bounded memory and a bounded number of processes. Nothing is downloaded
// for it: its image must be here, with the provider's program and git. Its network is that
// of the engine.
//
// The package starts a session's command by the engine's, which package proc runs. So
// the end of the session is the end of the engine's client, and after it the container is
// removed. A record of each container tells what a supervisor that was killed left behind.
package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// A Launcher runs sessions. The zero value runs them as processes of this machine.
type Launcher struct {
	Engine    string // the program that runs containers, such as podman; "" for none
	Image     string
	User      string   // UID:GID in the container
	Memory    string   // at most, as the engine reads it
	Processes int      // at most
	Fault     *Unable  // why no container can be made, as far as the settings tell
	Environ   []string // of the engine's program
}

// Contains reports whether sessions run in containers.
func (l Launcher) Contains() bool { return l.Engine != "" }

// Unable says why no session can begin, with the command that mends it.
type Unable struct{ Reason, Hint string }

// Error is the reason.
func (u *Unable) Error() string { return u.Reason }

// ErrNotBegun is wrapped by errors that say that the engine, or the program in its image,
// could not be started. Supervisors test it.
var ErrNotBegun = errors.New("the container could not be started")

const (
	// engineLimit is how long the engine may take for an answer.
	engineLimit = 20 * time.Second
	// removeLimit is how long it may take to end and remove a container.
	removeLimit = time.Minute
)

// Check says why no session can begin: the engine or the image is missing, or the session
// would run as root. The error is an [*Unable]. It takes the engine some tenths of a second.
func (l Launcher) Check(ctx context.Context) error {
	if !l.Contains() {
		return nil
	}
	if l.Fault != nil {
		return l.Fault
	}
	said, err := l.ask(ctx, engineLimit, l.infoArguments()...)
	switch {
	case proc.Unstartable(err):
		return &Unable{fmt.Sprintf("there is no program %s that runs containers", l.Engine), "git config liza.launcher process"}
	case err != nil:
		return &Unable{fmt.Sprintf("%s does not answer: %s", l.Engine, lastLine(err.Error())), l.Engine + " info"}
	case !l.isPodman() && strings.Contains(said, "rootless"):
		return &Unable{fmt.Sprintf("%s runs without root, where only root of a container can write the worktree", l.Engine), "git config liza.container.engine podman"}
	}
	if _, err := l.ask(ctx, engineLimit, "image", "inspect", "--format", "{{.Id}}", l.Image); err != nil {
		return &Unable{fmt.Sprintf("%s has no image %s on this machine", l.Engine, l.Image), l.Engine + " pull " + l.Image}
	}
	return nil
}

func (l Launcher) isPodman() bool { return strings.Contains(filepath.Base(l.Engine), "podman") }

// infoArguments ask the engine whether it works. The engine's server has to answer too.
func (l Launcher) infoArguments() []string {
	if l.isPodman() {
		return []string{"info", "--format", "{{.Host.Arch}}"}
	}
	return []string{"info", "--format", "{{.SecurityOptions}}"}
}

// ask runs the engine's program and returns what it printed.
func (l Launcher) ask(ctx context.Context, limit time.Duration, args ...string) (string, error) {
	r, err := proc.Run(ctx, proc.Command{Path: l.Engine, Args: args, Dir: os.TempDir(), Env: proc.Environment(l.Environ, engineVariables), Wall: limit, Grace: time.Second})
	if err != nil {
		return "", err
	}
	if !r.Passed() {
		return "", fmt.Errorf("%s %s, %s, exit %d: %s", l.Engine, args[0], r.Reason, r.Code, strings.TrimSpace(r.Excerpt))
	}
	return r.Excerpt, nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// engineVariables tell the engine's program where its server and its files are.
var engineVariables = []string{"DOCKER_*", "CONTAINER_*", "CONTAINERS_*", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}

// Begin returns the command by which c runs in its place, for a session. A container is
// recorded before it exists. The caller runs the command, then calls [Launcher.End].
func (l Launcher) Begin(c proc.Command, s Session) (proc.Command, error) {
	if !l.Contains() {
		return c, nil
	}
	if l.Fault != nil {
		return c, fmt.Errorf("%w: %w", ErrNotBegun, l.Fault)
	}
	if err := s.record(l.Engine); err != nil {
		return c, err
	}
	mounts, err := s.mounts(c.Env)
	if err != nil {
		return c, err
	}
	c.Args = l.arguments(c, s, mounts)
	c.Env = proc.Environment(l.Environ, engineVariables, c.Env...)
	c.Path, c.Dir = l.Engine, s.Common
	return c, nil
}

// End removes the session's container, whether or not it still runs. The error says that
// it could not; then it stays on record.
func (l Launcher) End(ctx context.Context, s Session) error {
	if !l.Contains() {
		return nil
	}
	return l.remove(ctx, s.recordPath())
}

// The exit codes of engines whose container, or the program in it, could not be started.
const (
	engineFailed  = 125
	notExecutable = 126
	notFound      = 127
)

// CheckExit says why the session's program could not be started, nil if it was. A program
// that is a shell ends with two of the codes itself.
func (l Launcher) CheckExit(r proc.Result, isShell bool) error {
	switch {
	case !l.Contains() || r.Reason != proc.Exited:
	case r.Code == engineFailed:
		return fmt.Errorf("%w: %s: %s", ErrNotBegun, l.Engine, lastLine(r.Excerpt))
	case (r.Code == notExecutable || r.Code == notFound) && !isShell:
		return fmt.Errorf("%w: its program is not in the image %s: %s", ErrNotBegun, l.Image, lastLine(r.Excerpt))
	}
	return nil
}
