package resident

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// takeLimit is how long a client waits until its move is taken. A process that runs takes it
// within a millisecond on a machine at rest, and within this time where six processes want
// each processor; a stopped one costs every command so much.
const takeLimit = 20 * time.Millisecond

// longWait is how long a client waits before it says for whom.
const longWait = 3 * time.Second

// divertingVars are the variables that give a process another repository or another time than
// those that the resident has.
var divertingVars = []string{
	"LIZA_NOW", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_COMMON_DIR",
	"GIT_NAMESPACE", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE",
}

// Finder returns what connects to the resident of a clone, for
// [gitstore.Store.FindResident].
func Finder(repo *git.Repo, environ []string) func(context.Context) (gitstore.HandOver, func()) {
	if slices.ContainsFunc(environ, func(kv string) bool {
		name, value, _ := strings.Cut(kv, "=")
		return slices.Contains(divertingVars, name) && value != ""
	}) {
		return nil
	}
	return func(ctx context.Context) (gitstore.HandOver, func()) {
		if _, err := os.Lstat(filepath.Join(folder(repo), socketName)); err != nil {
			return nil, nil
		}
		conn, err := proc.Dial(ctx, folder(repo), socketName)
		if err != nil {
			return nil, nil
		}
		end := func() { conn.Close() }
		peer, err := proc.PeerOf(conn)
		if err != nil || peer.UID != os.Getuid() {
			end()
			return nil, nil
		}
		return func(ctx context.Context, h gitstore.Handover) (gitstore.Answer, bool) {
			return handOver(ctx, conn, h, func() {
				if !repo.Turns.TellOther(peer.PID) && repo.Notice != nil { // the rush may wait too
					repo.Notice(fmt.Sprintf("waiting for process %d, whose rush makes the moves of this clone; if it is stopped, type fg in its terminal, or: kill -CONT %[1]d", peer.PID))
				}
			})
		}, end
	}
}

// goneLimit is how long a client that was interrupted waits for the answer: a resident that
// runs has not begun its move, or ends it soon.
const goneLimit = 2 * time.Second

// handOver gives a move to the resident, and calls late after a long wait. sent is true as
// soon as it may have the move.
func handOver(ctx context.Context, conn *net.UnixConn, h gitstore.Handover, late func()) (answer gitstore.Answer, sent bool) {
	text, err := json.Marshal(h)
	if err != nil {
		return gitstore.AnswerRefuse, false
	}
	_ = conn.SetDeadline(time.Now().Add(takeLimit))
	if _, err := conn.Write(append(text, '\n')); err != nil {
		return "", true
	}
	in := json.NewDecoder(bufio.NewReader(conn))
	var first taken
	if in.Decode(&first) != nil || !first.Taken {
		return "", true
	}
	_ = conn.SetDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() {
		_ = conn.SetDeadline(time.Now().Add(goneLimit))
		_ = conn.CloseWrite() // says that this client is gone
	})
	defer stop()
	waits := time.AfterFunc(longWait, late)
	defer waits.Stop()
	var second answered
	if in.Decode(&second) != nil {
		return "", true
	}
	return second.Answer, true
}
