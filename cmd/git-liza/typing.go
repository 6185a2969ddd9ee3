package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/sys/unix"
)

// quiet is for how long nothing may come before a question is asked and after it was
// answered. The lines of a pasted text follow each other faster, and no person types
// as fast.
const quiet = 50 * time.Millisecond

// dropTyped discards what was typed at a terminal and not read yet, also the beginning of
// a line. It returns once the terminal is quiet, and reports whether anything was there.
func dropTyped(ctx context.Context, fd int) (dropped bool) {
	restore, err := changeModes(fd, func(m *unix.Termios) {
		m.Lflag &^= unix.ICANON | unix.ECHO // a line that has not ended is seen, and shown to nobody
		m.Cc[unix.VMIN], m.Cc[unix.VTIME] = 1, 0
	})
	if err != nil {
		return false
	}
	defer restore()
	for ctx.Err() == nil && hasInput(fd, quiet) && discardInput(fd) == nil {
		dropped = true
	}
	return dropped
}

// hasInput reports whether a file can be read before the time has passed.
func hasInput(fd int, wait time.Duration) bool {
	for {
		var set unix.FdSet // macOS polls no terminal
		set.Set(fd)
		timeout := unix.NsecToTimeval(wait.Nanoseconds())
		n, err := unix.Select(fd+1, &set, nil, nil, &timeout)
		if !errors.Is(err, unix.EINTR) {
			return n > 0 && err == nil
		}
	}
}

// changeModes changes the modes of a terminal until restore is called.
func changeModes(fd int, change func(*unix.Termios)) (restore func(), err error) {
	was, err := unix.IoctlGetTermios(fd, getModes)
	if err != nil {
		return nil, err
	}
	is := *was
	change(&is)
	return func() { _ = unix.IoctlSetTermios(fd, setModes, was) }, unix.IoctlSetTermios(fd, setModes, &is)
}

// What a terminal in which pastes are marked sends before and after a pasted text
// (xterm's control sequences, "Bracketed Paste Mode").
const pasteBegins, pasteEnds = "\x1b[200~", "\x1b[201~"

// marksPastes reports whether the terminal may know how to mark what is pasted.
func (d *dialog) marksPastes() bool {
	term := d.getenv("TERM")
	return term != "" && term != "dumb" && isTerminal(d.stderr)
}

// markPastes lets the terminal mark what is pasted until unmark is called. A terminal that
// does not know how marks nothing.
func (d *dialog) markPastes() (unmark func()) {
	if !d.marksPastes() {
		return func() {}
	}
	// The marks are not to be seen: without this mode an escape is shown as ^[.
	restore, err := changeModes(d.fd(), func(m *unix.Termios) { m.Lflag &^= unix.ECHOCTL })
	if err != nil {
		return func() {}
	}
	fmt.Fprint(d.stderr, "\x1b[?2004h")
	unmark = sync.OnceFunc(func() {
		fmt.Fprint(d.stderr, "\x1b[?2004l")
		restore()
	})
	d.unmark.Store(&unmark)
	return unmark
}

// unmarkAtPanic restores the terminal while another goroutine asks, if this one panics.
func (d *dialog) unmarkAtPanic() {
	if r := recover(); r != nil {
		if unmark := d.unmark.Load(); unmark != nil {
			(*unmark)()
		}
		panic(r)
	}
}

// An entry that is not taken has one of these reasons.
var (
	errAtOnce = errors.New("several lines came at once")
	errLong   = errors.New("the line is too long for the terminal")
	errKeys   = errors.New("arrow keys and the like do not work here")
)

// readEntry reads what the person types until Enter, which does not end a text within the
// marks of a paste. The error is one of those above, or that of [readLine].
func (d *dialog) readEntry() (string, error) {
	var text string
	var long bool
	for {
		line, err := readLine(d.ctx, d.lines)
		if err != nil {
			return "", err
		}
		text += line
		long = long || len(line) > longestLine
		if long || strings.LastIndex(text, pasteBegins) <= strings.LastIndex(text, pasteEnds) {
			break
		}
	}
	more := dropTyped(d.ctx, d.fd())
	text = strings.TrimSpace(strings.NewReplacer(pasteBegins, "", pasteEnds, "").Replace(text))
	switch {
	case long:
		return "", errLong
	case more:
		return "", errAtOnce
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		return "", errKeys
	}
	return text, nil
}
