package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
)

// A dialog asks the person at the terminal. What was typed or pasted before a question is
// shown does not answer it: it may have been meant for another one.
type dialog struct {
	*invocation
	lines  *bufio.Reader
	unmark atomic.Pointer[func()] // restores the terminal, see [dialog.markPastes]
}

func newDialog(inv *invocation) *dialog {
	return &dialog{invocation: inv, lines: bufio.NewReader(inv.stdin)}
}

// openDialog returns the dialog with the person at the terminal. It is nil where
// nobody would see a question or could answer it: without a terminal, in the
// background, for JSON, and for an agent.
func openDialog(inv *invocation) *dialog {
	if inv.json || inv.call != nil || !isTerminal(inv.stderr) || !inForeground(inv.stdin) || (hints{inv}).agent() != "" {
		return nil
	}
	return newDialog(inv)
}

// fd is the file descriptor of the terminal at which the person types, -1 if it is none.
func (d *dialog) fd() int {
	if f, ok := d.stdin.(*os.File); ok {
		return int(f.Fd())
	}
	return -1
}

// ask shows a question on standard error and returns the line that the person types.
// Several lines that come at once are not taken. The error wraps io.EOF if there is no
// line, and is that of the context after a signal.
func (d *dialog) ask(question string) (string, error) {
	for {
		text, err := d.askText(question, "this question takes one line")
		if err != nil || !strings.Contains(text, "\n") {
			return text, err
		}
		d.progress("%v, and nothing was taken: this question takes one line", errAtOnce)
	}
}

// askText is [dialog.ask] for a text, which has several lines if it was pasted and the
// terminal says so. otherwise is what a person does whose lines are not taken.
func (d *dialog) askText(question, otherwise string) (string, error) {
	for {
		text, err := d.askOnce(question)
		switch {
		case errors.Is(err, errAtOnce), errors.Is(err, errLong):
			d.progress("%v, and nothing was taken: %s", err, otherwise)
		case errors.Is(err, errKeys):
			d.progress("%v, and nothing was taken", err)
		default:
			return text, err
		}
	}
}

func (d *dialog) askOnce(question string) (string, error) {
	dropTyped(d.ctx, d.fd())
	d.lines.Reset(d.stdin)
	unmark := d.markPastes()
	defer unmark()
	fmt.Fprint(d.stderr, question+" ")
	text, err := d.readEntry()
	if errors.Is(err, io.EOF) || d.ctx.Err() != nil {
		fmt.Fprintln(d.stderr)
	}
	return text, err
}

// readLine reads a line that the person types. The error is io.EOF if the line was not
// ended, and that of the context after a signal, which does not interrupt the reading.
func readLine(ctx context.Context, from *bufio.Reader) (string, error) {
	type typed struct {
		line string
		err  error
	}
	read := make(chan typed, 1)
	go func() {
		line, err := from.ReadString('\n')
		read <- typed{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case got := <-read:
		return got.line, got.err
	}
}

// confirm asks for yes or no. No is the default.
func (d *dialog) confirm(question string) (bool, error) {
	line, err := d.ask(question + " [y/N]")
	if d.ctx.Err() != nil {
		return false, err
	}
	if err != nil {
		return false, errors.Join(errors.New("no answer, which counts as no"), err)
	}
	line = strings.ToLower(line)
	return line == "y" || line == "yes", nil
}
