package work

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Tell notes for a session that runs in this clone that a note was written to its agent.
// Its next prompt has the note in any case.
func Tell(repo *git.Repo, agent flow.AgentID, note flow.RecordID) error {
	path := toldPath(repo, agent)
	known, _ := git.ReadSmall(path) // none, or one that is no file of ours
	return git.ReplaceFile(path, append(known, note+"\n"...))
}

// TakeTold returns the notes that were written to an agent since its session began, once.
func TakeTold(repo *git.Repo, agent flow.AgentID) (notes []flow.RecordID) {
	path := toldPath(repo, agent)
	known, err := git.ReadSmall(path)
	if err != nil {
		return nil
	}
	// A sandbox may keep the agent from removing it. Then it is told again.
	_ = os.Remove(path)
	for _, line := range strings.Fields(string(known)) {
		notes = append(notes, flow.RecordID(line))
	}
	return notes
}

// toldPath is the file of what an agent is to be told. It has the ids of notes, whose
// text is on the board.
func toldPath(repo *git.Repo, agent flow.AgentID) string {
	return filepath.Join(repo.CommonDir(), layout.Private, "told", string(agent))
}
