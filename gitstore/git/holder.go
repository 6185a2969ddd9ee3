package git

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
)

// slow is how long a process waits for its turn before it says for whom: longer
// than anybody is who goes on.
const slow = 3 * time.Second

// act is what a command may be called where it is repeated: the file that it
// stands in is not ours alone.
var act = regexp.MustCompile(`^[a-z][a-z-]{0,30}$`)

// holder is how long what stands in a lock file is, so that a shorter one
// replaces a longer one in a single write.
const holder = 48

// markHolder writes into a lock file that is held who holds it. The lock is the
// kernel's; this is only for those who wait, and may be missing.
func markHolder(f *os.File) {
	name := "-"
	if len(os.Args) > 1 && act.MatchString(os.Args[1]) {
		name = os.Args[1]
	}
	_, _ = f.WriteAt(fmt.Appendf(nil, "%-*s\n", holder-1, strconv.Itoa(os.Getpid())+" "+name), 0)
}

// A Turn is one of the two that processes of a clone wait for.
type Turn struct{ file, what string }

// The turns of a clone: to write, and to talk to the remote.
var (
	turnToWrite = Turn{"queue.lock", "write"}
	TurnToPush  = Turn{"push.lock", "talk to the remote"}
)

// A TurnWait is the wait of a process for its turn.
type TurnWait struct {
	repo  *Repo
	turn  Turn
	since time.Time
	told  bool
}

// AwaitTurn begins a wait for a turn.
func (ts *Turns) AwaitTurn(t Turn) *TurnWait {
	return &TurnWait{repo: ts.repo, turn: t, since: time.Now()}
}

// TellHolder tells once who has the turn, when it has taken long.
func (w *TurnWait) TellHolder() {
	if !w.told && time.Since(w.since) >= slow {
		w.told = true
		w.repo.tellHolder(w.turn)
	}
}

// tellHolder tells who holds a lock, once for each.
func (ts *Turns) tellHolder(t Turn) {
	text, err := ReadSmall(filepath.Join(ts.repo.commonDir, layout.Private, t.file))
	if err != nil || ts.repo.Notice == nil {
		return
	}
	number, name, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 1 || pid == os.Getpid() {
		return
	}
	command := "git liza"
	if act.MatchString(name) {
		command += " " + name
	}
	line := fmt.Sprintf("waiting for process %d (%s), which has this clone's turn to %s; if it is stopped, type fg in its terminal, or: kill -CONT %d",
		pid, command, t.what, pid)
	ts.repo.mu.Lock()
	news := ts.told != line
	ts.told = line
	ts.repo.mu.Unlock()
	if news {
		ts.repo.Notice(line)
	}
}
