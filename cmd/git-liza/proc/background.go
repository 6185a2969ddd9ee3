package proc

import (
	"os/exec"
	"syscall"
)

// Background starts a command that nobody waits for: in a terminal session of
// its own, so that it outlives this process and its terminal, and without
// streams, since a shell that reads this process's output is not to wait for it.
// Of the Command it takes path, arguments, folder and environment.
func Background(c Command) error {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
