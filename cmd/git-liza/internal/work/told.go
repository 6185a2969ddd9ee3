package work

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Told is one thing that an agent is to be told while its session runs. The board has
// the words.
type Told struct {
	Note   board.RecordID // "" if it is about something else
	Answer board.RecordID // the question that was answered
	Text   string         // the path of a text that changed
}

// ToldNote returns the line of a note.
func ToldNote(id board.RecordID) string { return "note " + string(id) }

// ToldText returns the line of a text that changed.
func ToldText(path string) string { return "text " + path }

// ToldAnswer returns the line of the answer to a question.
func ToldAnswer(id board.RecordID) string { return "answer " + string(id) }

// Tell notes for the session of an agent that runs in this clone what it is to be told.
// Its next prompt has it in any case.
func Tell(repo *git.Repo, agent board.AgentID, lines ...string) error {
	defer lockTold(repo)()
	path := toldPath(repo, agent)
	known, _ := git.ReadSmall(path) // none, or one that is no file of ours
	return git.ReplaceFile(path, append(known, strings.Join(lines, "\n")+"\n"...))
}

// TakeTold returns what an agent is to be told since its session began, once.
func TakeTold(repo *git.Repo, agent board.AgentID) (list []Told) {
	defer lockTold(repo)()
	path := toldPath(repo, agent)
	known, err := git.ReadSmall(path)
	if err != nil {
		return nil
	}
	// A sandbox may keep the agent from removing it. Then it is told again.
	_ = os.Remove(path)
	for line := range strings.Lines(string(known)) {
		switch kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); kind {
		case "note":
			list = append(list, Told{Note: board.RecordID(rest)})
		case "answer":
			list = append(list, Told{Answer: board.RecordID(rest)})
		case "text":
			list = append(list, Told{Text: rest})
		}
	}
	return list
}

// NoteRefused keeps for the supervisor of an agent's session what its last move was refused for.
func NoteRefused(repo *git.Repo, agent board.AgentID, text string) error {
	return git.ReplaceFile(toldPath(repo, agent)+".refused", []byte(text))
}

// TakeRefused returns what the last move of an agent's session was refused for, once; "" if none was.
func TakeRefused(repo *git.Repo, agent board.AgentID) string {
	path := toldPath(repo, agent) + ".refused"
	text, err := git.ReadSmall(path)
	if err != nil || os.Remove(path) != nil {
		return ""
	}
	return board.Clean(string(text))
}

// lockTold keeps others from the files of what agents are to be told, until the function
// that it returns is called: what is added between reading and removing one would be lost.
// Where the git directory cannot be written nobody is kept away.
func lockTold(repo *git.Repo) (unlock func()) {
	f, err := git.OpenLock(repo.CommonDir(), "told.lock")
	if err != nil || git.AwaitLock(context.Background(), f) != nil {
		return func() {}
	}
	return func() { f.Close() }
}

// toldPath is the file of what an agent is to be told.
func toldPath(repo *git.Repo, agent board.AgentID) string {
	return filepath.Join(repo.CommonDir(), layout.Private, "told", string(agent))
}
