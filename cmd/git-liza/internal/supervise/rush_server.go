package supervise

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// largestRequest is how many bytes of a request are read.
const largestRequest = 16 << 10

// A server takes the requests of people for a crew.
type server struct {
	rush *Rush
	crew *crew

	staffing sync.Mutex // of calls of Staff
}

// readBoard reads the board as it is now. A board belongs to one goroutine, and so does
// the store that it loads its documents from: each request has its own.
func (s *server) readBoard(ctx context.Context) (*board.Board, error) {
	b, _, err := gitstore.OpenStore(ctx, s.rush.Clone.Repo, s.rush.Clone.Store.Now).Board(ctx)
	return b, err
}

// listen takes requests for a crew until the function that it returns is called. The
// rush goes on if that cannot be, and says so.
func (r *Rush) listen(ctx context.Context, c *crew) (stop func()) {
	l, remove, err := openSocket(socketFolder(r.Clone.Repo.CommonDir()))
	if err != nil {
		r.say(fmt.Sprintf("nobody can stop, restart or add agents from outside: %v", err))
		return func() {}
	}
	s := &server{rush: r, crew: c}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			conn, err := l.AcceptUnix()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil {
				time.Sleep(work.QuickLook) // such as no free file
				continue
			}
			wait.Go(func() { s.serve(ctx, conn) })
		}
	})
	return func() {
		l.Close()
		remove()
		wait.Wait()
	}
}

// openSocket makes a socket in a folder that is this user's alone, under a name that no
// other process uses.
func openSocket(folder string) (l *net.UnixListener, remove func(), err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, err
	}
	name, err := gitstore.RandomID()
	if err != nil {
		return nil, nil, err
	}
	l, err = proc.Listen("unix", folder, name)
	return l, func() { os.Remove(filepath.Join(folder, name)) }, err
}

// serve answers one request. The process that asks is looked at before its request is
// read, while it must be there.
func (s *server) serve(ctx context.Context, conn *net.UnixConn) {
	defer conn.Close()
	peer, err := proc.PeerOf(conn)
	if err != nil {
		return
	}
	wrong := s.checkPeer(ctx, peer)
	_ = conn.SetDeadline(time.Now().Add(offerLimit))
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) })
	defer stop()
	var q Request
	if err := json.NewDecoder(io.LimitReader(bufio.NewReader(conn), largestRequest)).Decode(&q); err != nil {
		return
	}
	out := json.NewEncoder(conn)
	mine := s.takes(q)
	// Who has gone meanwhile gets no answer, and what it asked for is not done: it was
	// told so.
	if out.Encode(offer{os.Getpid(), mine}) != nil || !mine {
		return
	}
	reply := Reply{PID: os.Getpid()}
	if wrong == nil {
		wrong = s.grant(ctx, q, &reply)
	}
	if wrong != nil {
		reply.Refused = refusedBy(wrong)
	}
	_ = conn.SetDeadline(time.Now().Add(offerLimit))
	_ = out.Encode(reply)
}

// checkPeer refuses whoever is not this user, or works in a session of an agent.
func (s *server) checkPeer(ctx context.Context, p proc.Peer) error {
	b, err := s.readBoard(ctx)
	if err != nil {
		return err
	}
	return work.CheckPeer(s.rush.Clone.Repo, b.Settings().Board, p, "agents are steered")
}

// refusedBy is a refusal or another error for a reply.
func refusedBy(err error) *Refused {
	if refusal, ok := errors.AsType[*flow.Refusal](err); ok {
		return &Refused{refusal.Rule, refusal.Reason, refusal.Hint}
	}
	return &Refused{flow.RuleFailed, err.Error(), "git liza agents"}
}

// takes reports whether a request is for this crew.
func (s *server) takes(q Request) bool {
	switch q.Act {
	case AddAgents:
		return s.rush.Staff != nil
	case StopAgent:
		m := s.crew.find(q.Agent)
		return m != nil && !m.isOver()
	case RestartAgent:
		m := s.crew.find(q.Agent)
		return m != nil && m.isOver() == q.Ended
	}
	return false
}

// grant does what a request asks for.
func (s *server) grant(ctx context.Context, q Request, reply *Reply) (err error) {
	within, cancel := context.WithTimeout(ctx, grantLimit-offerLimit)
	defer cancel()
	if q.Act == AddAgents {
		s.rush.say(fmt.Sprintf("asked to add %s=%d", q.Role, q.Count))
		reply.Agents, err = s.add(within, q)
		return err
	}
	m := s.crew.find(q.Agent)
	if m == nil {
		return fmt.Errorf("%s has left meanwhile", q.Agent)
	}
	s.rush.say(fmt.Sprintf("asked to %s %s", q.Act, q.Agent))
	reply.Agents = []board.AgentID{q.Agent}
	if q.Act == RestartAgent {
		if !s.crew.reserve(1) {
			return errors.New("the rush is ending")
		}
		reply.Held, err = s.restart(within, m)
		return err
	}
	b, err := s.readBoard(within)
	if err == nil {
		reply.Held, err = s.crew.dismiss(within, b, m)
	}
	return err
}

// restart ends a member and begins another one in its place, under the same id. A place
// is reserved for it.
func (s *server) restart(ctx context.Context, m *member) (held []board.TaskID, err error) {
	id := m.agent()
	b, err := s.readBoard(ctx)
	if err == nil {
		held, err = s.crew.dismiss(ctx, b, m)
	}
	if err != nil {
		s.crew.done()
		return held, err
	}
	slot := m.slot
	slot.ID = id
	_, err = s.awaitEntry(ctx, s.crew.hire(b, slot))
	return held, err
}

// add begins agents of a role.
func (s *server) add(ctx context.Context, q Request) (agents []board.AgentID, err error) {
	if n := s.crew.count(q.Role) + q.Count; q.Count < 1 || n > MostOfRole {
		return nil, &flow.Refusal{Rule: flow.RuleForm, Hint: "git liza agents", Reason: fmt.Sprintf("between 1 and %d agents of a role, not %d", MostOfRole, n)}
	}
	b, err := s.readBoard(ctx)
	if err != nil {
		return nil, err
	}
	slot, err := s.staff(ctx, b, q)
	if err != nil {
		return nil, err
	}
	if !s.crew.reserve(q.Count) {
		return nil, errors.New("the rush is ending")
	}
	var members []*member
	for range q.Count {
		members = append(members, s.crew.hire(b, slot))
	}
	for _, m := range members {
		id, failed := s.awaitEntry(ctx, m)
		if failed != nil {
			err = failed
			continue
		}
		agents = append(agents, id)
	}
	slices.SortFunc(agents, func(x, y board.AgentID) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) })
	return agents, err
}

// staff returns the slot of an agent to add, and refuses one whose program cannot run.
func (s *server) staff(ctx context.Context, b *board.Board, q Request) (Slot, error) {
	s.staffing.Lock()
	defer s.staffing.Unlock()
	slot, err := s.rush.Staff(b, q.Role, q.Provider)
	if err != nil {
		return slot, err
	}
	why := checkRow(b, slot.Role, slot.Provider)
	if why == (Unfit{}) {
		why = checkProgram(ctx, s.rush, slot.Provider)
	}
	if why != (Unfit{}) {
		return slot, &flow.Refusal{Rule: flow.RuleFailed, Hint: cmp.Or(why.Hint, why.Override, "git liza providers"), Reason: why.Reason}
	}
	return slot, nil
}

// awaitEntry waits until the agent of a member is registered.
func (s *server) awaitEntry(ctx context.Context, m *member) (board.AgentID, error) {
	look := time.NewTicker(work.QuickLook)
	defer look.Stop()
	for {
		if p, active := m.sup.presence.current(); active {
			return p.Agent, nil
		}
		select {
		case <-m.ended:
			if m.err == nil {
				return m.sup.id, errors.New("it has ended already")
			}
			return m.sup.id, m.err
		case <-ctx.Done():
			return "", errors.New("an agent is not registered yet: git liza agents")
		case <-look.C:
		}
	}
}
