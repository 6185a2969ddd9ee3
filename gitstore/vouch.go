package gitstore

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// vouchAtMost is how many moves of others are replayed before a move is built
// on them. If there are more, as in a fresh clone, only the last one is
// replayed.
const vouchAtMost = 200

// Vouch refuses a tip that this clone neither wrote nor verified before and
// that does not replay. Usually the tip is its own last move, and Vouch reads
// one small file; sound tips are remembered. A session can write what is remembered on
// disk: it counts for the first tip of a process, from then on the process knows for itself.
// The error is a *document.Error if a document is the reason, else a *Breach, or that of the
// context.
func (a *Audit) Vouch(ctx context.Context, tip git.ID) error {
	isKnown := func(id git.ID) bool { _, is := a.repo.Sound.Load(id); return is }
	if !isKnown("") {
		written, verified := a.readKnown("written"), a.readKnown("verified")
		isKnown = func(id git.ID) bool { return id == written || id == verified }
	}
	if isKnown(tip) {
		a.noteSound(tip)
		return nil
	}
	chain, err := a.listUnvouched(tip, isKnown)
	if err != nil {
		return &Breach{tip, err}
	}
	for _, id := range chain {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.Verify(id); err != nil {
			if unreadable := a.checkReadable(tip); unreadable != nil {
				return unreadable
			}
			return &Breach{id, err}
		}
	}
	a.rememberWritten(tip)
	return nil
}

// listUnvouched lists the commits after the known ones, oldest first, or the
// tip alone if there are too many.
func (a *Audit) listUnvouched(tip git.ID, isKnown func(git.ID) bool) ([]git.ID, error) {
	var list []git.ID
	for id := tip; id != "" && !isKnown(id); {
		if len(list) == vouchAtMost {
			return []git.ID{tip}, nil
		}
		c, err := a.history.readStateCommit(id)
		if err != nil {
			return nil, err
		}
		list = append(list, id)
		id = ""
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	slices.Reverse(list)
	return list, nil
}

// checkReadable reads the live documents of a board that does not replay: a
// broken document says more than a move with another result.
func (a *Audit) checkReadable(tip git.ID) error {
	b, err := a.history.BoardAt(tip)
	if err != nil {
		return err
	}
	_ = flow.Check(b) // the breach is reported already; reading errors stay in Err
	return b.Err()
}

// rememberWritten remembers the tip as one to build on. A failed or torn write, or one
// that an older tip replaces, costs time only. The file is never empty meanwhile: all ids
// are of one length.
func (a *Audit) rememberWritten(tip git.ID) {
	a.noteSound(tip)
	f, err := git.OpenOwn(a.history.statePath("written"), 0)
	if err != nil {
		return
	}
	defer f.Close()
	if n, err := f.WriteString(string(tip) + "\n"); err == nil {
		_ = f.Truncate(int64(n)) // of what another program left there
	}
}

// noteSound has this process know a tip as sound; "" says that it knows any.
func (a *Audit) noteSound(tip git.ID) {
	a.repo.Sound.Store(tip, true)
	a.repo.Sound.Store(git.ID(""), true)
}

// readKnown is the tip in a file of this clone, "" if it has none.
func (a *Audit) readKnown(name string) git.ID {
	data, err := os.ReadFile(a.history.statePath(name))
	id := git.ID(strings.TrimSpace(string(data)))
	if err != nil || a.repo.CheckID(id) != nil {
		return ""
	}
	return id
}
