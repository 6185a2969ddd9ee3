//go:build !linux

package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// launch starts the command, with a watchdog if it is bound.
func (g *running) launch(cmd *exec.Cmd, c Command) error {
	p, ended, err := startGroup(cmd)
	if err != nil {
		return err
	}
	g.descendants, g.ended, g.gone = p, ended, closedChannel()
	if !c.Bound {
		return nil
	}
	w, err := startWatchdog(cmd.Process.Pid, c.Grace)
	if err != nil {
		p.kill()
		p.reap()
		return err
	}
	g.descendants = watchedGroup{p, w}
	return nil
}

// watchedGroup is a process group that ends with this process.
type watchedGroup struct {
	processGroup
	watchdog *watchdog
}

func (g watchedGroup) reap() syscall.WaitStatus {
	g.watchdog.stop()
	return g.processGroup.reap()
}

// A watchdog ends a process group when this process has ended, even by KILL. A shell
// waits for the end of a pipe that only this process holds open.
type watchdog struct {
	cmd  *exec.Cmd
	hold *os.File
}

// watchdogScript is the shell's script. It ignores the signals of a terminal.
const watchdogScript = `trap '' HUP INT QUIT TERM
read -r _
kill -TERM -"$1" && sleep "$2" && kill -KILL -"$1"`

// startWatchdog watches over the group of a leader. The group gets grace between TERM
// and KILL.
func startWatchdog(leader int, grace time.Duration) (*watchdog, error) {
	theirs, hold, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("watchdog: %w", err)
	}
	defer theirs.Close()
	seconds := int(grace / time.Second)
	w := &watchdog{cmd: exec.Command("sh", "-c", watchdogScript, "sh", strconv.Itoa(leader), strconv.Itoa(max(seconds, 1))), hold: hold}
	w.cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	w.cmd.Stdin = theirs
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := w.cmd.Start(); err != nil {
		hold.Close()
		return nil, fmt.Errorf("watchdog: %w", err)
	}
	return w, nil
}

// stop ends the watchdog without ending the group. Call it before the leader is reaped:
// after that another group may get the number.
func (w *watchdog) stop() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
	w.hold.Close()
}
