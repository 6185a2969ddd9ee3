package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
)

type watchCommand struct {
	Words []string `arg:"" optional:"" name:"filter" help:"On a terminal: only what all these words hold for, such as agent:coder-2 or status:blocked; see git liza help list."`
	Once  bool     `xor:"form" help:"Print the alarms that are on, and end: with exit code 1 if one of them is a call."`
	JSONL bool     `name:"jsonl" xor:"form" help:"One JSON object a line, for each alarm that fires or ends."`
}

func (c *watchCommand) Run(inv *invocation) error {
	screen := !c.Once && !c.JSONL && hasScreen(inv)
	switch _, err := view.ParseFilter(c.Words); {
	case err != nil:
		return usagef("git liza help list", "%v", err)
	case screen:
		return showScreen(inv, strings.Join(c.Words, " "))
	case len(c.Words) > 0:
		return usagef("git liza help watch", "the words of a filter are for the board on a terminal; alarms are printed all")
	case c.Once:
		return c.printOnce(inv)
	case inv.json:
		return usagef("git liza watch --once --json", "watch prints lines until it is ended: --json goes with --once, or take --jsonl")
	}
	inv.json = c.JSONL // errors too
	return c.printLines(inv)
}

// printOnce prints the alarms that are on.
func (c *watchCommand) printOnce(inv *invocation) error {
	list, at, err := readAlarms(inv)
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Next = hints{inv}.adapt(list[i].Next)
	}
	data := map[string]any{"alarms": append([]view.Alarm{}, list...)}
	calls := view.CountCalls(list)
	if calls == 0 || !inv.json {
		if err := inv.answer("", data, view.AlarmLines(list, at)); err != nil || calls == 0 {
			return err
		}
	}
	return &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RuleFailed, hint: list[0].Next, reason: fmt.Sprintf("%s for a person", view.Count(calls, "call"))}, data}
}

// printLines prints alarms as they fire and end, until an interrupt or until nobody reads
// them.
func (c *watchCommand) printLines(inv *invocation) error {
	defer surviveReader()()
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	keeper, err := newAlarmKeeper(inv, clone)
	if err != nil {
		return err
	}
	if keeper.trips, err = newTripper(inv, clone); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(inv.ctx)
	defer cancel()
	if out, ok := inv.stdout.(*os.File); ok {
		go endWithReader(ctx, out, cancel)
	}
	return keeper.watch(ctx, func(e view.AlarmEvent) error {
		e.Alarm.Next = hints{inv}.adapt(e.Alarm.Next)
		if c.JSONL {
			return inv.encode(e)
		}
		return inv.answer("", nil, e.Text())
	})
}

// endWithReader calls end when nobody reads a pipe any more. Without it the end of the reader
// would show with the next line only.
func endWithReader(ctx context.Context, out *os.File, end func()) {
	const look = time.Second
	info, err := out.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return
	}
	for ctx.Err() == nil {
		list := []unix.PollFd{{Fd: int32(out.Fd())}}
		n, err := unix.Poll(list, int(look.Milliseconds()))
		if n > 0 && list[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0 {
			end()
			return
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
