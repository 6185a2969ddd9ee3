package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/lists"
)

// The time that a command has, and that it has to end after it was told to.
const (
	commandTime  = 30 * time.Second
	commandGrace = 5 * time.Second
)

// displays are the variables beside those of every command by which a program reaches the
// person's screen.
var displays = []string{"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}

// send gives the command a message on its standard input, and the keys of the calls in
// LIZA_ALARM_KEYS, one a line.
func (n *Notifier) send(ctx context.Context, m Message) error {
	keys := lists.Of(m.Items, func(i Item) string { return i.Key })
	limit := cmp.Or(n.limit, commandTime)
	path, args := proc.Shell(n.Command)
	r, err := proc.Run(ctx, proc.Command{Path: path, Args: args, Dir: n.Dir, Stdin: strings.NewReader(m.Text()), Wall: limit, Grace: min(limit, commandGrace), Bound: n.Bound,
		Env: proc.Environment(n.Environ, displays, "LIZA_ALARM_KEYS="+strings.Join(keys, "\n")), Excerpt: 512})
	switch {
	case err != nil:
		return err
	case r.Passed():
		return nil
	case r.Reason == proc.WallLimit:
		return fmt.Errorf("it did not end within %s and was ended", limit)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	lines := strings.Split(strings.TrimSpace(r.Excerpt), "\n")
	return errors.New(strings.TrimSuffix(fmt.Sprintf("it ends with exit code %d: %s", r.Code, plain(lines[len(lines)-1])), ": "))
}
