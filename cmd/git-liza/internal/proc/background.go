package proc

import (
	"os/exec"
	"syscall"
)

// Background starts a command and does not wait for it. The command has a terminal
// session of its own, so that it outlives this process and its terminal. It has no
// streams, so that a shell that reads this process's output does not wait for it.
// Background uses the path, arguments, folder and environment of the Command.
func Background(c Command) error {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
