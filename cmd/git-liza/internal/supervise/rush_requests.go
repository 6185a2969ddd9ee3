package supervise

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
)

// What a request asks for.
const (
	StopAgent    = "stop"    // an agent ends and gives back what it holds
	RestartAgent = "restart" // the same, then it begins anew
	AddAgents    = "add"     // agents of a role begin
)

// A Request is what a person asks of the supervisors that run in a clone.
type Request struct {
	Act      string        `json:"act"`
	Agent    board.AgentID `json:"agent,omitempty"`    // to stop or restart
	Ended    bool          `json:"ended,omitempty"`    // to restart although it has ended
	Role     board.Role    `json:"role,omitempty"`     // of agents to add
	Count    int           `json:"count,omitempty"`    // of them
	Provider string        `json:"provider,omitempty"` // of them; "" is what is configured
}

// A Reply is what the process says that a request was for.
type Reply struct {
	PID    int             `json:"pid"` // of the process
	Taken  bool            `json:"-"`
	Agents []board.AgentID `json:"agents"` // that it is about
	Held   []board.TaskID  `json:"held"`   // what a stopped agent held and gave back

	Refused *Refused `json:"refused,omitempty"`
}

// A Refused says why a request was not granted.
type Refused struct {
	Rule   flow.Rule `json:"rule"`
	Reason string    `json:"reason"`
	Hint   string    `json:"hint"`
}

// An offer is the first answer to a request.
type offer struct {
	PID  int  `json:"pid"`
	Mine bool `json:"mine"` // the process takes it
}

// The times that parts of a conversation may take.
const (
	offerLimit = 5 * time.Second  // until a process says whether it takes a request
	grantLimit = 90 * time.Second // until it has granted it: a session has its grace, and an agent its leave
)

// socketFolder is where the supervisors of a clone listen.
func socketFolder(commonDir string) string {
	return filepath.Join(commonDir, layout.Private, "rushes")
}

// Ask asks the supervisors that run in a clone, the oldest first, until one takes the
// request. Taken is false if none does; listening is how many answered. Errors are of a
// process that does not answer, or that ended before it had.
func Ask(ctx context.Context, commonDir string, q Request) (reply Reply, listening int, err error) {
	folder := socketFolder(commonDir)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Reply{}, 0, err
	}
	slices.SortStableFunc(entries, func(x, y fs.DirEntry) int { return begunAt(x).Compare(begunAt(y)) })
	for _, entry := range entries {
		if entry.Name()[0] == '.' {
			continue
		}
		reply, err = askOne(ctx, folder, entry.Name(), q)
		var dead *deadSocket
		switch {
		case errors.As(err, &dead):
			continue
		case err != nil, reply.Taken:
			return reply, listening + 1, err
		}
		listening++
	}
	return Reply{}, listening, nil
}

// begunAt is when a socket was made, for the order of the processes.
func begunAt(entry fs.DirEntry) time.Time {
	info, err := entry.Info()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// A deadSocket is the error for a socket whose process has ended.
type deadSocket struct{ name string }

func (d *deadSocket) Error() string { return d.name + ": nobody listens" }

// askOne asks one process.
func askOne(ctx context.Context, folder, name string, q Request) (Reply, error) {
	conn, err := dialSocket(ctx, folder, name)
	if err != nil {
		return Reply{}, err
	}
	defer conn.Close()
	peer, err := proc.PeerOf(conn)
	if err != nil || peer.UID != os.Getuid() || isOfSession(folder, peer) {
		return Reply{}, cmp.Or(err, error(&deadSocket{name})) // not ours to speak to
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	in := json.NewDecoder(bufio.NewReader(conn))
	var first offer
	_ = conn.SetDeadline(time.Now().Add(offerLimit))
	if err := json.NewEncoder(conn).Encode(q); err != nil {
		return Reply{}, lostProcess(peer, err)
	}
	if err := in.Decode(&first); err != nil {
		return Reply{}, lostProcess(peer, err)
	}
	if !first.Mine {
		return Reply{}, nil
	}
	var reply Reply
	_ = conn.SetDeadline(time.Now().Add(grantLimit))
	if err := in.Decode(&reply); err != nil {
		return Reply{}, lostProcess(peer, err)
	}
	reply.Taken = true
	return reply, nil
}

// isOfSession reports whether a process that listens in a folder is no supervisor but descends
// from a session of its clone.
func isOfSession(folder string, peer proc.Peer) bool {
	private := filepath.Dir(folder)
	marks, _, err := proc.AbovePeer(filepath.Join(private, "guards"), peer)
	place, _ := proc.Place(filepath.Dir(private))
	return err != nil || slices.ContainsFunc(marks, func(m proc.Mark) bool { return m.Place == place })
}

// dialSocket connects to the socket of a process. It removes one that a killed process
// left; no other process makes one of that name.
func dialSocket(ctx context.Context, folder, name string) (*net.UnixConn, error) {
	conn, err := proc.Dial(ctx, "unix", folder, name)
	if errors.Is(err, proc.ErrNobodyListens) {
		os.Remove(filepath.Join(folder, name))
		err = &deadSocket{name}
	}
	return conn, err
}

// lostProcess says of a process that it did not answer.
func lostProcess(p proc.Peer, err error) error {
	if late, is := errors.AsType[net.Error](err); is && late.Timeout() {
		return fmt.Errorf("the supervisors of process %d do not answer; if it is stopped, type fg in its terminal, or: kill -CONT %[1]d", p.PID)
	}
	return fmt.Errorf("the supervisors of process %d ended before they had answered", p.PID)
}
