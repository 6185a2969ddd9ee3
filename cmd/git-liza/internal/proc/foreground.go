package proc

import (
	"errors"
	"io"
	"os/exec"
)

// Foreground runs a command in the user's terminal, such as an editor: in the process
// group of this process, so that it may read the terminal, with Command.Output as its
// standard output and without limits. It returns the exit code, -1 if a signal ended
// the command. The error says why it could not be started. Signals of the keyboard go
// to the command and to this process: the caller decides what they mean to it.
func Foreground(c Command, stderr io.Writer) (code int, err error) {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, c.Stdin, c.Output, stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}
