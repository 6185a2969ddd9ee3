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
	if os.MkdirAll(filepath.Dir(path), 0o777) != nil || os.RemoveAll(path) != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return
	}
	_, _ = f.WriteString(flow.Excerpt(said, 500))
	f.Close()
}

// Offline returns the error of a command of an agent's session that did not
// reach the remote since a time, "" if there is none. The agent wrote it, so it
// proves nothing.
func Offline(commonDir string, agent flow.AgentID, since time.Time) string {
	path := offlinePath(commonDir, agent)
	info, err := os.Lstat(path)
	if err != nil || info.ModTime().Before(since) {
		return ""
	}
	text, err := git.ReadSmall(path)
	if err != nil {
		return ""
	}
	return flow.Excerpt(string(text), 500)
}

func offlinePath(commonDir string, agent flow.AgentID) string {
	return filepath.Join(commonDir, layout.Private, "offline", string(agent))
}
