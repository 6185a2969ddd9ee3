package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
)

// longTurn is how long a process waits for its turn before it names the holder. No
// process that runs has the turn for so long.
const longTurn = 3 * time.Second

// isCommandName reports whether a word can be the name of a command: only such ones are
// repeated from a lock file, which other programs can write.
func isCommandName(word string) bool {
	return word != "" && len(word) <= 31 && word[0] != '-' && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// holderLine is the length of the line in a lock file, in bytes, so that a shorter
// text replaces a longer one in a single write.
const holderLine = 48

// MarkHolder writes this process into the first line of a lock file that it has locked,
// for [ReadHolder]. The lock is the kernel's: the text is only for processes that wait, and
// may be missing.
func MarkHolder(f *os.File) {
	name := "-"
	if len(os.Args) > 1 && isCommandName(os.Args[1]) {
		name = os.Args[1]
	}
	_, _ = f.WriteAt(fmt.Appendf(nil, "%-*s\n", holderLine-1, strconv.Itoa(os.Getpid())+" "+name), 0)
}

// A Turn is one of the three that processes of a clone wait for.
type Turn struct{ file, what string }

// The turns of a clone: to write, to move refs for all whose moves wait, and to talk to
// the remote.
var (
	turnToWrite = Turn{"queue.lock", "write"}
	TurnToMove  = Turn{"move.lock", "move refs"}
	TurnToPush  = Turn{"push.lock", "talk to the remote"}
)

// TurnFiles are the names of the lock files of the turns, in liza below the git directory.
func TurnFiles() []string { return []string{turnToWrite.file, TurnToMove.file, TurnToPush.file} }

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

// TellHolder tells once which process has the turn, after a long wait.
func (w *TurnWait) TellHolder() {
	if !w.told && time.Since(w.since) >= longTurn {
		w.told = true
		w.repo.Turns.tellHolder(w.turn)
	}
}

// tellHolder tells which process holds a lock, once for each process.
func (ts *Turns) tellHolder(t Turn) {
	pid, line := ReadHolder(filepath.Join(ts.repo.commonDir, layout.Private, t.file), "has this clone's turn to "+t.what)
	if pid == 0 || ts.repo.Notice == nil {
		return
	}
	ts.repo.mu.Lock()
	news := ts.told != line
	ts.told = line
	ts.repo.mu.Unlock()
	if news {
		ts.repo.Notice(line)
	}
}

// ReadHolder returns the process that marked a lock file as its holder last, and what to
// tell of it while it is waited for, with what it does; 0 if that is not known or is this
// process.
func ReadHolder(path, does string) (pid int, line string) {
	text, err := ReadSmall(path)
	if err != nil {
		return 0, ""
	}
	number, name, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	pid, err = strconv.Atoi(number)
	if err != nil || pid <= 1 || pid == os.Getpid() {
		return 0, ""
	}
	command := "git liza"
	if isCommandName(name) {
		command += " " + name
	}
	return pid, fmt.Sprintf("waiting for process %d (%s), which %s; if it is stopped, type fg in its terminal, or: kill -CONT %d",
		pid, command, does, pid)
}
