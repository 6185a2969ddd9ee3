package web

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow"
)

// mostConnections is how many connections are open at once; others wait.
const mostConnections = 32

// A limitedListener accepts connections while fewer than the limit are open.
type limitedListener struct {
	net.Listener
	room   chan struct{} // has an element for each open connection
	closed chan struct{}
	once   sync.Once
}

func limitConnections(l net.Listener) *limitedListener {
	return &limitedListener{Listener: l, room: make(chan struct{}, mostConnections), closed: make(chan struct{})}
}

// Accept waits until there is room for a connection, and for the connection.
func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &limitedConn{Conn: conn, leave: sync.OnceFunc(func() { <-l.room })}, nil
}

// Close ends the listener, also while it waits for room.
func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// A limitedConn makes room for another when it is closed.
type limitedConn struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// listenAt binds an address. Another one than this machine's own needs a name by which
// browsers ask for it. The refusal of a taken port says who has it, where that is known.
func listenAt(addr string, hosts []string) (net.Listener, error) {
	again := "git liza web --addr 127.0.0.1:0"
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &flow.Refusal{Rule: flow.RuleUsage, Hint: again, Reason: fmt.Sprintf("--addr takes an address and a port, such as 127.0.0.1:8080, not %q", flow.Excerpt(addr, 80))}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return nil, &flow.Refusal{Rule: flow.RuleUsage, Hint: again, Reason: fmt.Sprintf("--addr takes an address in digits, not the name %q", flow.Excerpt(host, 80))}
	}
	if !ip.IsLoopback() && len(hosts) == 0 {
		return nil, &flow.Refusal{Rule: flow.RuleUsage, Hint: "git liza web --addr " + addr + " --host NAME",
			Reason: "another machine reaches " + host + ": name the host by which browsers ask for it"}
	}
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &flow.Refusal{Rule: flow.RuleObstacle, Hint: again, Reason: addr + " is taken" + holder(addr)}
	}
	return l, err
}

// holder says which process listens at an address, "" if that is not known.
func holder(addr string) string {
	at, err := netip.ParseAddrPort(addr)
	if err != nil {
		return ""
	}
	text := ""
	for _, p := range proc.ListenersAt(at) {
		if isWebCommand(proc.Words(p.PID)) {
			return fmt.Sprintf(" by git liza web, process %d", p.PID)
		}
		text = fmt.Sprintf(" by process %d", p.PID)
	}
	return text
}

// isWebCommand reports whether a command line is that of git liza web.
func isWebCommand(words []string) bool {
	return len(words) > 1 && strings.HasPrefix(filepath.Base(words[0]), "git-liza") && slices.Contains(words[1:], "web")
}
