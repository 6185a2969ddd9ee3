package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
)

// The time that a command has, and that it has to end after it was told to.
const (
	commandTime  = 30 * time.Second
	commandGrace = 5 * time.Second
)

// displays are the variables beside those of every command by which a program reaches the
// person's screen.
var displays = []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}

// A command is a shell command line of this machine. It gets the message on its standard
// input, and the keys of the calls in LIZA_ALARM_KEYS, one a line.
type command struct {
	line    string
	dir     string
	environ []string
	bound   bool // it ends with this process
	time    time.Duration
	grace   time.Duration
}

func (c command) name() string { return "command" }

func (c command) send(ctx context.Context, m Message) error {
	var keys []string
	for _, i := range m.Items {
		keys = append(keys, i.Key)
	}
	path, args := proc.Shell(c.line)
	r, err := proc.Run(ctx, proc.Command{Path: path, Args: args, Dir: c.dir, Stdin: strings.NewReader(m.Text()), Wall: c.time, Grace: c.grace, Bound: c.bound,
		Env: proc.Environment(c.environ, displays, "LIZA_ALARM_KEYS="+strings.Join(keys, "\n")), Excerpt: 512})
	switch {
	case err != nil:
		return err
	case r.Passed():
		return nil
	case r.Reason == proc.WallLimit:
		return fmt.Errorf("it did not end within %s and was ended", c.time)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	lines := strings.Split(strings.TrimSpace(r.Excerpt), "\n")
	return errors.New(strings.TrimSuffix(fmt.Sprintf("it ends with exit code %d: %s", r.Code, plain(lines[len(lines)-1])), ": "))
}
