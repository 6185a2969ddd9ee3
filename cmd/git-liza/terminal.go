package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// isTerminal reports whether a stream of the invocation is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// inForeground reports whether a stream is a terminal that this process may
// read. The system stops a background process that reads one.
func inForeground(stream any) bool {
	if !isTerminal(stream) {
		return false
	}
	group, err := unix.IoctlGetInt(int(stream.(interface{ Fd() uintptr }).Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// hasScreen reports whether a person sees what is drawn and can press keys: on a terminal
// that moves its cursor, in the foreground, and not in an agent's session.
func hasScreen(inv *invocation) bool {
	term := inv.getenv("TERM")
	return !inv.json && isTerminal(inv.stdout) && inForeground(inv.stdin) && term != "" && term != "dumb" && (hints{inv}).agent() == ""
}

// A keyboard says to whom the signals of the keyboard are addressed: to this program, or
// to the pager or editor that it runs in the foreground.
type keyboard struct{ lent atomic.Int32 }

// notify returns a context that a signal ends, except one from the keyboard while a
// program is in the foreground: Ctrl-C in a pager ends its search, not this program.
func (k *keyboard) notify(list []os.Signal) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	received := make(chan os.Signal, 1)
	watch := func() {
		signal.Notify(received, list...)
		go k.heed(received, cancel)
	}
	return &signalContext{Context: ctx, watch: watch}, func() { signal.Stop(received); cancel(nil) }
}

// heed ends a context when a signal says so.
func (k *keyboard) heed(received <-chan os.Signal, end context.CancelCauseFunc) {
	for s := range received {
		switch {
		case s != os.Interrupt:
			end(nil)
		case k.lent.Load() == 0:
			end(errInterrupt)
		}
	}
}

// A signalContext watches for signals from the moment that its end matters to somebody.
// Until then a signal ends the process, as it does any other program. A command that waits
// for nothing and starts nothing so saves three threads.
type signalContext struct {
	context.Context
	once  sync.Once
	watch func()
}

// Done begins to watch.
func (c *signalContext) Done() <-chan struct{} {
	c.once.Do(c.watch)
	return c.Context.Done()
}

// Err begins to watch.
func (c *signalContext) Err() error {
	c.once.Do(c.watch)
	return c.Context.Err()
}

// errInterrupt is the cause of a context that a signal from the keyboard ended.
var errInterrupt = errors.New("interrupted")

// foreground runs a program in the user's terminal, see [proc.Foreground].
func foreground(inv *invocation, c proc.Command) (code int, err error) {
	inv.ctx.Done() // what follows is the program's, and not this one's
	if inv.keyboard != nil {
		inv.keyboard.lent.Add(1)
		defer inv.keyboard.lent.Add(-1)
	}
	quit := make(chan os.Signal, 1) // as an interrupt, it is the program's
	signal.Notify(quit, syscall.SIGQUIT)
	defer signal.Stop(quit)
	return proc.Foreground(c, inv.stderr)
}

// isColored reports whether colors are seen on a stream: on a terminal, and, as git
// has it, in the pager that git started for this program.
func isColored(stream *os.File) bool {
	if isTerminal(stream) {
		return true
	}
	info, err := stream.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0 && os.Getenv("GIT_PAGER_IN_USE") == "true" && os.Getenv("LIZA_AGENT_ID") == ""
}
