package work

import (
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// NoteOffline records for the supervisor of an agent that a command of its
// session did not reach the remote, with the command's error. A failure to
// write is ignored: the session then counts like any other.
func NoteOffline(commonDir string, agent flow.AgentID, said string) {
	path := offlinePath(commonDir, agent)
	_ = os.RemoveAll(path) // an agent may have put a folder there
	_ = git.ReplaceFile(path, []byte(flow.Excerpt(said, 500)))
}

// Offline returns the error of a command of an agent's session that did not
// reach the remote since a time, "" if there is none. The agent wrote it, so it
// proves nothing.
func Offline(commonDir string, agent flow.AgentID, since time.Time) string {
	return flow.Excerpt(string(readSince(offlinePath(commonDir, agent), since)), 500)
}

// readSince returns what a file has that was written since a time, nil if none was.
func readSince(path string, since time.Time) []byte {
	info, err := os.Lstat(path)
	if err != nil || info.ModTime().Before(since) {
		return nil
	}
	text, _ := git.ReadSmall(path) // nil beside an error
	return text
}

func offlinePath(commonDir string, agent flow.AgentID) string {
	return filepath.Join(commonDir, layout.Private, "offline", string(agent))
}
