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

// launch starts the command, bound if c is.
func (g *group) launch(cmd *exec.Cmd, c Command) error {
	p, ended, err := runPack(cmd)
	if err != nil {
		return err
	}
	g.kin, g.ended, g.gone = p, ended, unfollowed()
	if !c.Bound {
		return nil
	}
	b, err := bind(cmd.Process.Pid, c.Grace)
	if err != nil {
		p.kill()
		p.reap()
		return err
	}
	g.kin = bound{p, b}
	return nil
}

// bound is a pack that ends with this process.
type bound struct {
	pack
	bond *bond
}

func (b bound) reap() syscall.WaitStatus {
	b.bond.release()
	return b.pack.reap()
}

// A bond ends a group when this process is no more, even if it was killed: a
// shell waits for the end of a pipe that only this process holds.
type bond struct {
	cmd  *exec.Cmd
	hold *os.File
}

// vigil is what the shell does. Signals from a terminal are not for it.
const vigil = `trap '' HUP INT QUIT TERM
read -r _
kill -TERM -"$1" && sleep "$2" && kill -KILL -"$1"`

// bind bonds the group with the given leader, which gets grace between TERM and
// KILL.
func bind(leader int, grace time.Duration) (*bond, error) {
	theirs, hold, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("bond: %w", err)
	}
	defer theirs.Close()
	seconds := int(grace / time.Second)
	b := &bond{cmd: exec.Command("sh", "-c", vigil, "sh", strconv.Itoa(leader), strconv.Itoa(max(seconds, 1))), hold: hold}
	b.cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	b.cmd.Stdin = theirs
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := b.cmd.Start(); err != nil {
		hold.Close()
		return nil, fmt.Errorf("bond: %w", err)
	}
	return b, nil
}

// release ends the vigil without harm to anybody. It comes before the leader is
// reaped, after which the group's number may be another's.
func (b *bond) release() {
	_ = b.cmd.Process.Kill()
	_ = b.cmd.Wait()
	b.hold.Close()
}
