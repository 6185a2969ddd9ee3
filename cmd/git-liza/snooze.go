package main

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// snoozes are until when a clone does not show items of the inbox, by their keys:
// the file liza/snoozed below git's folder, which is no part of the board. A file
// that cannot be read hides nothing.
type snoozes map[string]time.Time

func snoozeFile(repo *git.Repo) string {
	return filepath.Join(repo.CommonDir(), layout.Private, "snoozed")
}

func readSnoozes(repo *git.Repo) snoozes {
	if kept, err := git.ReadJSON[snoozes](snoozeFile(repo)); err == nil && kept != nil {
		return kept
	}
	return snoozes{}
}

// write replaces the file atomically. It leaves out what has ended, and what is not
// among the keys: it does not come back.
func (s snoozes) write(repo *git.Repo, now time.Time, keys []string) error {
	for key, until := range s {
		if !until.After(now) || !slices.Contains(keys, key) {
			delete(s, key)
		}
	}
	return git.ReplaceJSON(snoozeFile(repo), s)
}
