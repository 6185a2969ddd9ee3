package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
)

// A dialog asks the person at the terminal, a line at a time.
type dialog struct {
	*invocation
	lines *bufio.Reader
}

// openDialog returns the dialog with the person at the terminal. It is nil where
// nobody would see a question or could answer it: without a terminal, in the
// background, for JSON, and for an agent.
func openDialog(inv *invocation) *dialog {
	if inv.json || inv.call != nil || !isTerminal(inv.stderr) || !inForeground(inv.stdin) || (hints{inv}).agent() != "" {
		return nil
	}
	return &dialog{inv, bufio.NewReader(inv.stdin)}
}

// ask shows a question on standard error and returns the line that the person
// types. The error wraps io.EOF if there is no line, and is that of the context
// after a signal.
func (d *dialog) ask(question string) (string, error) {
	fmt.Fprint(d.stderr, question+" ")
	line, err := readLine(d.ctx, d.lines)
	if err != nil {
		fmt.Fprintln(d.stderr)
	}
	return strings.TrimSpace(line), err
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
	if err != nil {
		return false, errors.Join(errors.New("no answer, which counts as no"), err)
	}
	line = strings.ToLower(line)
	return line == "y" || line == "yes", nil
}
