package web

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// mostConnections is how many connections are open at once. For another one the one
// that has been quiet longest is closed; while none is quiet, others wait.
const mostConnections = 32

// A limitedListener accepts connections while fewer than the limit are open.
type limitedListener struct {
	net.Listener
	mu     sync.Mutex
	less   sync.Cond // says that a connection was closed or fell quiet, or the listener was closed
	open   int
	quiet  []*limitedConn // open ones that are not in the middle of a request, longest so first
	closed bool
}

func limitConnections(l net.Listener) *limitedListener {
	limited := &limitedListener{Listener: l}
	limited.less.L = &limited.mu
	return limited
}

// Accept waits for a connection, and for room for it.
func (l *limitedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.open >= mostConnections && !l.closed {
		if len(l.quiet) > 0 {
			l.quiet[0].Conn.Close()
			l.drop(l.quiet[0])
		} else {
			l.less.Wait()
		}
	}
	if l.closed {
		conn.Close()
		return nil, net.ErrClosed
	}
	c := &limitedConn{Conn: conn, of: l}
	l.open++
	l.quiet = append(l.quiet, c)
	return c, nil
}

// drop makes room for another connection. It is called under the lock.
func (l *limitedListener) drop(c *limitedConn) {
	if !c.gone {
		c.gone = true
		l.open--
		l.forget(c)
		l.less.Signal()
	}
}

// forget takes a connection from the quiet ones. It is called under the lock.
func (l *limitedListener) forget(c *limitedConn) {
	l.quiet = slices.DeleteFunc(l.quiet, func(other *limitedConn) bool { return other == c })
}

// Close ends the listener, also while it waits for room.
func (l *limitedListener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.less.Signal()
	l.mu.Unlock()
	return l.Listener.Close()
}

// A limitedConn makes room for another when it is closed. It is quiet until the head of a
// request has arrived, and again after the answer.
type limitedConn struct {
	net.Conn
	of   *limitedListener
	gone bool
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	c.of.mu.Lock()
	c.of.drop(c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// setQuiet says whether the connection is quiet.
func (c *limitedConn) setQuiet(quiet bool) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.forget(c)
	if quiet && !c.gone {
		c.of.quiet = append(c.of.quiet, c)
		c.of.less.Signal()
	}
}

// connectionKey is the key of the connection in the context of its requests.
type connectionKey struct{}

// noteState notes that an answer was sent.
func noteState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*limitedConn); ok && state == http.StateIdle {
		c.setQuiet(true)
	}
}

// listenAt binds an address. Another one than this machine's own needs a name by which
// browsers ask for it. The refusal of a taken port says who has it, where that is known.
func listenAt(addr string, hosts []string) (net.Listener, error) {
	again := "git liza web --addr 127.0.0.1:0"
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &flow.Refusal{Rule: flow.RuleUsage, Hint: again, Reason: fmt.Sprintf("--addr takes an address and a port, such as 127.0.0.1:8080, not %q", board.Excerpt(addr, 80))}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return nil, &flow.Refusal{Rule: flow.RuleUsage, Hint: again, Reason: fmt.Sprintf("--addr takes an address in digits, not the name %q", board.Excerpt(host, 80))}
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
