package proc

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Foreground runs a command in the user's terminal, such as an editor: in the process
// group of this process, so that it may read the terminal, with Command.Output as its
// standard output and without limits. It returns the exit code, -1 if a signal ended
// the command. The error says why it could not be started. As git does for its
// editor, it ignores SIGINT and SIGQUIT meanwhile: they go to the command as well.
// Afterwards both have their default effect until the caller asks for them again.
func Foreground(c Command, stderr io.Writer) (code int, err error) {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, c.Stdin, c.Output, stderr
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	signal.Ignore(os.Interrupt, syscall.SIGQUIT) // the command would inherit it before
	err = cmd.Wait()
	signal.Reset(os.Interrupt, syscall.SIGQUIT)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}
