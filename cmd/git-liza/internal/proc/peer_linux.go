package proc

import (
	"cmp"
	"errors"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A Peer is the process at the other end of a socket, as it was when it connected or
// began to listen.
type Peer struct {
	PID int // 0 if it is in a namespace of processes that this process does not see
	UID int

	start string // when it began, as /proc shows it; "" if the kernel is older than Linux 6.5
}

// unseen is the start of a process that has ended, or that /proc does not show.
const unseen = "unseen"

// PeerOf returns the process at the other end of a socket.
func PeerOf(conn *net.UnixConn) (Peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Peer{}, err
	}
	var cred *unix.Ucred
	var failed, unheld error
	var handle int
	err = raw.Control(func(fd uintptr) {
		cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		handle, unheld = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	})
	if err == nil && unheld == nil {
		defer unix.Close(handle)
	}
	if err = cmp.Or(err, failed); err != nil {
		return Peer{}, err
	}
	peer := Peer{PID: int(cred.Pid), UID: int(cred.Uid), start: unseen}
	if unheld == unix.ENOPROTOOPT {
		peer.start = ""
	} else if p, there := readProcess(strconv.Itoa(peer.PID)); unheld == nil && there {
		// While the process has not ended, nobody else has its number.
		if n, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, 0); n == 0 && err == nil {
			peer.start = p.start
		}
	}
	return peer, nil
}

// shortPath returns a name of a file for the address of a socket, which has little room.
// It is good until done is called.
func shortPath(folder, name string) (path string, done func(), err error) {
	f, err := os.Open(folder)
	if err != nil {
		return "", nil, err
	}
	return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) + "/" + name, func() { f.Close() }, nil
}

// AbovePeer is [Above] for another process. A process that /proc does not show here, or that
// has ended, may descend from each living guard: who left it the other end is not known.
func AbovePeer(folder string, p Peer) (marks, doubtful []Mark, err error) {
	own, err := os.Readlink("/proc/self")
	if p.PID != 0 && err == nil && own == strconv.Itoa(os.Getpid()) {
		name := strconv.Itoa(p.PID)
		before, there := readProcess(name)
		marks, doubtful, _, err = above(folder, name)
		now, still := readProcess(name)
		if there && still && now.start == before.start && (p.start == "" || p.start == now.start) {
			return marks, doubtful, err
		}
	}
	doubtful, err = Living(folder)
	return nil, doubtful, err
}

// HoldName holds a name of this machine that belongs to its holder alone: no file stands for
// it, so nobody can write, lock or remove it. ok is false if another process holds it. The
// name ends with its holder. Processes with a network of their own do not share it.
func HoldName(name string) (release func(), ok bool) {
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: "@git-liza/" + name, Net: "unixgram"})
	if err != nil {
		return func() {}, !errors.Is(err, unix.EADDRINUSE)
	}
	return func() { l.Close() }, true
}
