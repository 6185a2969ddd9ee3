// Package broker carries commands that are typed in a confined session to its supervisor,
// which runs them outside. They go over a socket of sequential packets: one packet with the
// command and its three standard files there, one with its exit code back.
package broker

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// A Call is a command of a session. Whoever holds the token is the session: its socket can be
// found by others.
type Call struct {
	Form  int      `json:"form"` // 1
	Token string   `json:"token"`
	Args  []string `json:"args"`
	Dir   string   `json:"dir"`   // in which it was typed
	Index string   `json:"index"` // GIT_INDEX_FILE there

	In, Out, Err *os.File `json:"-"`
}

// An answer ends a call. Refused says why nothing was run.
type answer struct {
	Code    int    `json:"code"`
	Refused string `json:"refused,omitempty"`
}

// Variable leads a session to its socket. The file of its token lies beside that.
const (
	Variable = "LIZA_SOCKET"
	Socket   = "socket"
	Token    = "token"
)

const (
	form     = 1
	mostSize = 64 << 10        // of a call's packet, in bytes
	mostTime = 2 * time.Second // until its packet is there
	mostRun  = 8               // calls at once
)

// A Server runs the calls of one session.
type Server struct {
	Token string
	// Run runs a call and returns its exit code. Its context ends when the caller has gone.
	Run func(context.Context, Call) int
}

// Serve serves calls until the listener is closed, and ends those that run then.
func (s *Server) Serve(ctx context.Context, l *net.UnixListener) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	places := make(chan bool, mostRun)
	for {
		conn, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(mostTime) // no descriptor is free
			continue
		}
		select {
		case places <- true:
			go func() {
				defer func() { <-places }()
				s.serve(ctx, conn)
			}()
		default:
			go func() {
				_ = conn.SetDeadline(time.Now().Add(mostTime))
				call, _ := receive(conn) // or the caller would be told nothing
				call.close()
				refuse(conn, fmt.Sprintf("%d commands run already", mostRun))
			}()
		}
	}
}

func (s *Server) serve(ctx context.Context, conn *net.UnixConn) {
	peer, err := proc.PeerOf(conn)
	if err != nil || peer.UID != os.Getuid() {
		conn.Close()
		return
	}
	_ = conn.SetDeadline(time.Now().Add(mostTime))
	call, err := receive(conn)
	defer call.close()
	switch {
	case err != nil:
		refuse(conn, err.Error())
		return
	case call.Form != form:
		refuse(conn, "another version of git-liza runs this session; end it")
		return
	case subtle.ConstantTimeCompare([]byte(call.Token), []byte(s.Token)) != 1:
		refuse(conn, "this is the socket of another session")
		return
	}
	_ = conn.SetDeadline(time.Time{})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = conn.Read(make([]byte, 1)) // nothing more comes
		cancel()
	}()
	end(conn, answer{Code: s.Run(ctx, call)})
}

// receive reads a call.
func receive(conn *net.UnixConn) (c Call, err error) {
	text, control := make([]byte, mostSize+1), make([]byte, unix.CmsgSpace(3*4))
	n, controlled, flags, _, err := conn.ReadMsgUnix(text, control)
	if err != nil {
		return c, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:controlled])
	var files []*os.File
	for _, m := range messages {
		fds, _ := unix.ParseUnixRights(&m)
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "stream"))
		}
	}
	if err == nil && (len(files) != 3 || n > mostSize || flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0) {
		err = fmt.Errorf("a command has three files and at most %d bytes", mostSize)
	}
	if err == nil {
		err = json.Unmarshal(text[:n], &c)
	}
	if err != nil {
		for _, f := range files {
			f.Close()
		}
		return Call{}, err
	}
	c.In, c.Out, c.Err = files[0], files[1], files[2]
	return c, nil
}

func (c Call) close() {
	for _, f := range []*os.File{c.In, c.Out, c.Err} {
		if f != nil {
			f.Close()
		}
	}
}

func refuse(conn *net.UnixConn, why string) { end(conn, answer{1, why}) }

// end answers a call; whoever does not read that waits for nothing.
func end(conn *net.UnixConn, a answer) {
	text, _ := json.Marshal(a)
	_ = conn.SetDeadline(time.Now().Add(mostTime))
	_, _ = conn.Write(text)
	conn.Close()
}

// dial connects to a server, which may be starting.
func dial(ctx context.Context, folder, name string) (*net.UnixConn, error) {
	for begun := time.Now(); ; {
		conn, err := proc.Dial(ctx, "unixpacket", folder, name)
		if !errors.Is(err, proc.ErrNobodyListens) || time.Since(begun) > mostTime || ctx.Err() != nil {
			return conn, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Do has the server at a socket run a call, and returns its exit code. The error says why it was
// not run, or that nobody knows how it ended.
func (c Call) Do(ctx context.Context, folder, name string) (code int, err error) {
	conn, err := dial(ctx, folder, name)
	if err != nil {
		return 0, fmt.Errorf("the supervisor of this session: %w", err)
	}
	defer conn.Close()
	c.Form = form
	text, err := json.Marshal(c)
	if err != nil {
		return 0, err
	}
	rights := unix.UnixRights(int(c.In.Fd()), int(c.Out.Fd()), int(c.Err.Fd()))
	if _, _, err := conn.WriteMsgUnix(text, rights, nil); err != nil {
		return 0, fmt.Errorf("the supervisor of this session: %w", err)
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	reply := make([]byte, 4096)
	n, err := conn.Read(reply)
	var a answer
	if err == nil {
		err = json.Unmarshal(reply[:n], &a)
	}
	switch {
	case ctx.Err() != nil:
		return 0, ctx.Err()
	case err != nil:
		return 0, fmt.Errorf("the supervisor of this session went while the command ran (%w): look before you repeat it", err)
	case a.Refused != "":
		return 0, errors.New(a.Refused)
	}
	return a.Code, nil
}
