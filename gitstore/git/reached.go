package git

import (
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
)

// Reached is when a remote last answered this clone, by the time of an empty
// file; the zero time if none ever has.
func (r *Repo) Reached() time.Time {
	info, err := os.Stat(r.reachedFile())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// NoteReached notes the time at which a remote has answered. It is shown to people, and
// nothing depends on it.
func (r *Repo) NoteReached(now time.Time) {
	path := r.reachedFile()
	if os.Chtimes(path, now, now) != nil && os.WriteFile(path, nil, 0o666) == nil {
		_ = os.Chtimes(path, now, now)
	}
}

func (r *Repo) reachedFile() string { return filepath.Join(r.commonDir, layout.Private, "reached") }
