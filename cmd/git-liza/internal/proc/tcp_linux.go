package proc

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// SeesPeers says whether this system tells which processes are at the other end of a
// connection.
const SeesPeers = true

// The states of a socket in /proc/net/tcp that are asked for here (include/net/tcp_states.h).
const (
	connected = "01"
	listening = "0A"
)

// A tcpSocket is a row of /proc/net/tcp.
type tcpSocket struct {
	local, remote netip.AddrPort
	state         string
	uid           int
	inode         string
}

// PeersOf returns the processes on this machine that have the other end of a connection
// open. local and remote are the addresses of our end. It is empty if none can be seen:
// the other end is on another machine, is another user's, or was closed.
func PeersOf(local, remote netip.AddrPort) []Peer {
	return holdersOf(func(s tcpSocket) bool {
		return s.state == connected && s.local == plainAddr(remote) && s.remote == plainAddr(local)
	})
}

// ListenersAt returns the processes on this machine that listen at an address, or at its
// port of all addresses.
func ListenersAt(at netip.AddrPort) []Peer {
	return holdersOf(func(s tcpSocket) bool {
		return s.state == listening && s.local.Port() == at.Port() && (s.local.Addr().IsUnspecified() || at.Addr().IsUnspecified() || s.local == plainAddr(at))
	})
}

// Words returns the command line of a process, none if it cannot be read.
func Words(pid int) []string {
	text, err := readProc(strconv.Itoa(pid) + "/cmdline")
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// holdersOf returns the processes that have a socket open that is asked for.
func holdersOf(is func(tcpSocket) bool) []Peer {
	users := map[string]int{} // by the socket's name in /proc/PID/fd
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		for _, s := range readSockets(table) {
			if s.inode != "0" && is(s) {
				users["socket:["+s.inode+"]"] = s.uid
			}
		}
	}
	if len(users) == 0 {
		return nil
	}
	var list []Peer
	folders, _ := filepath.Glob("/proc/[0-9]*/fd")
	for _, folder := range folders {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // another user's, or it has ended
		}
		for _, entry := range entries {
			name, err := os.Readlink(filepath.Join(folder, entry.Name()))
			uid, asked := users[name]
			if p := (Peer{PID: pid, UID: uid}); err == nil && asked && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// readSockets reads a table of sockets, see proc_pid_net(5).
func readSockets(table string) (list []tcpSocket) {
	f, err := os.Open(table)
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 {
			continue
		}
		local, ok := parseSocketAddr(fields[1])
		remote, other := parseSocketAddr(fields[2])
		uid, err := strconv.Atoi(fields[7])
		if ok && other && err == nil {
			list = append(list, tcpSocket{local, remote, fields[3], uid, fields[9]})
		}
	}
	return list
}

// parseSocketAddr reads an address as the table has it: words of four bytes, each in the
// order of this machine, and the port.
func parseSocketAddr(text string) (netip.AddrPort, bool) {
	words, port, _ := strings.Cut(text, ":")
	bytes, err := hex.DecodeString(words)
	n, bad := strconv.ParseUint(port, 16, 16)
	if err != nil || bad != nil || len(bytes)%4 != 0 {
		return netip.AddrPort{}, false
	}
	if isLittleEndian() {
		for word := range slices.Chunk(bytes, 4) {
			slices.Reverse(word)
		}
	}
	addr, ok := netip.AddrFromSlice(bytes)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), ok
}

// isLittleEndian reports how this machine orders the bytes of a word.
func isLittleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// plainAddr is an address in the form of the table.
func plainAddr(at netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
}
