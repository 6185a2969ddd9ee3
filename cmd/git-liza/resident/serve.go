// Package resident has a process that stays make the moves of the commands of its clone,
// through a socket in the git directory: liza/resident, this user's alone. A client sends one
// [gitstore.Handover] as a line of JSON. It gets one line at once, when the move is taken, and
// one with the answer. Whatever goes wrong, the client makes the move itself, and finds on the
// board if it was made already.
package resident

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// socketName is the name of the socket in the private folder of the git directory; its lock
// has a name of its own.
const (
	socketName = "resident"
	lockName   = "resident.lock"
)

func folder(repo *git.Repo) string { return filepath.Join(repo.CommonDir(), layout.Private) }

// A taken is the first line that a client gets.
type taken struct {
	Taken bool `json:"taken"`
}

// An answered is the second line that a client gets.
type answered struct {
	Answer gitstore.Answer `json:"answer"`
}

const (
	sendLimit = time.Second // until a client has sent its move
	longest   = 2*gitstore.MaxMove + 1<<20
	mostAsked = 256 // clients that are served at once
)

// Serve makes the moves of other processes until the context ends, and then those that it has
// begun. If another process of the clone does, it waits until that one ends. The error is
// that of the socket: all goes on without it.
func Serve(ctx context.Context, repo *git.Repo, now func() time.Time) error {
	unlock, err := git.HoldLock(ctx, repo.CommonDir(), lockName)
	if err != nil {
		return endOf(ctx, err)
	}
	defer unlock()
	store, err := gitstore.OpenStore(ctx, repo, now)
	if err != nil {
		return endOf(ctx, err)
	}
	l, err := proc.Listen(folder(repo), socketName)
	if err != nil {
		return err
	}
	defer os.Remove(filepath.Join(folder(repo), socketName))
	s := &server{repo: repo, resident: gitstore.NewResident(store), verification: store.Verification}
	var wait sync.WaitGroup
	wait.Go(func() { s.resident.Run(ctx) })
	wait.Go(func() { s.accept(ctx, l, &wait) })
	<-ctx.Done()
	l.Close()
	wait.Wait()
	return nil
}

// endOf is an error, nil if it is that of the context.
func endOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// A server takes handovers from clients.
type server struct {
	repo         *git.Repo
	resident     *gitstore.Resident
	verification *gitstore.Verification
}

func (s *server) accept(ctx context.Context, l *net.UnixListener, wait *sync.WaitGroup) {
	places := make(chan struct{}, mostAsked)
	for {
		conn, err := l.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			if git.Wait(ctx, work.QuickLook) != nil { // such as no free file
				return
			}
			continue
		}
		select {
		case places <- struct{}{}:
			wait.Go(func() {
				defer func() { <-places }()
				s.serve(ctx, conn)
			})
		default:
			conn.Close() // its client goes on by itself
		}
	}
}

// serve takes one move, and says what became of it. The line that it is taken comes first:
// its client waits for that only a moment.
func (s *server) serve(ctx context.Context, conn *net.UnixConn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(sendLimit))
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })
	defer stop()
	peer, err := proc.PeerOf(conn)
	if err != nil || peer.UID != os.Getuid() {
		return
	}
	// Who connected is looked at before there is a move: its client builds that meanwhile.
	marks, err := work.MarksOver(s.repo, peer)
	if err != nil {
		return
	}
	in := bufio.NewReader(io.LimitReader(conn, longest))
	line, err := in.ReadBytes('\n')
	out := json.NewEncoder(conn)
	if err != nil || ctx.Err() != nil || out.Encode(taken{true}) != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	_ = out.Encode(answered{s.makeMove(ctx, marks, line, in)})
}

// makeMove has the move of a line made for a client with some marks over it, and returns the
// answer. The client sends nothing more; when the rest of what it sends ends, it is gone.
func (s *server) makeMove(ctx context.Context, marks work.Marks, line []byte, rest io.ByteReader) gitstore.Answer {
	var h gitstore.Handover
	if json.Unmarshal(line, &h) != nil || h.Form != gitstore.HandoverForm {
		return gitstore.AnswerRefuse
	}
	gone := make(chan struct{})
	go func() {
		_, _ = rest.ReadByte()
		close(gone)
	}()
	answer, taken := s.resident.Take(h, gone, func(ctx context.Context, b *flow.Board, m flow.Move) error {
		if err := marks.CheckActor(b.Settings().Board, m.By, m.Generation); err != nil {
			return err
		}
		return s.verification.AllowMove(ctx, m)
	})
	if !taken {
		return gitstore.AnswerRefuse
	}
	return answer()
}
