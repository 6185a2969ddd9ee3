//go:build !linux

package proc

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
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

// Confinement is what the kernel can keep a command from.
func Confinement() Confined { return Unconfined }

// awaitExit is not available: waitid of macOS also returns for a child that was only
// stopped (golang.org/issue/19314).
func awaitExit(int) error { return errors.ErrUnsupported }

// workingFolders returns that of this process: this system does not tell those of others.
func workingFolders() []string {
	at, _ := os.Getwd()
	at, _ = filepath.EvalSymlinks(at)
	return []string{at} // "" is below no folder
}

// Above returns the marks of the guards that this process descends from. There are no
// guards on this system.
func Above(string) (marks, doubtful []Mark, err error) { return nil, nil, nil }

// IsBlind reports nothing on this system.
func IsBlind(string) bool { return false }

// Boot returns the id of this boot of the machine. This system does not tell it.
func Boot() string { return "" }

// Living returns the marks of the guards of a folder that live on this machine. There
// are no guards on this system.
func Living(string) ([]Mark, error) { return nil, nil }

// SeesPeers says whether this system tells which processes are at the other end of a
// connection.
const SeesPeers = false

// PeersOf returns the processes at the other end of a connection: none, because this
// system does not tell them.
func PeersOf(_, _ netip.AddrPort) []Peer { return nil }

// ListenersAt returns the processes that listen at an address: none, because this system
// does not tell them.
func ListenersAt(netip.AddrPort) []Peer { return nil }

// Words returns the command line of a process: none, because this system does not tell it.
func Words(int) []string { return nil }

// A Peer is the process at the other end of a socket.
type Peer struct{ PID, UID int }

// PeerOf returns the process at the other end of a socket. This system does not tell it;
// the folder of the socket is its user's alone.
func PeerOf(*net.UnixConn) (Peer, error) { return Peer{0, os.Getuid()}, nil }

// shortPath returns a name of a file for the address of a socket.
func shortPath(folder, name string) (path string, done func(), err error) {
	return filepath.Join(folder, name), func() {}, nil
}

// AbovePeer is [Above] for another process.
func AbovePeer(string, Peer) (marks, doubtful []Mark, err error) { return nil, nil, nil }

// HoldName holds no name: this system has none that belong to their holders.
func HoldName(string) (release func(), ok bool) { return func() {}, true }
