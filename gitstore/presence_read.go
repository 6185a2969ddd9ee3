package gitstore

import (
	"context"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// LastBeat is the presence of an agent as its supervisor in this clone wrote it last; false if
// there is none.
func LastBeat(r *git.Repo, id board.AgentID) (Presence, bool) { return readBeat(r, id) }

// readBeat is the presence in a file of this clone. An unreadable file counts
// as none.
func readBeat(r *git.Repo, id board.AgentID) (Presence, bool) {
	path := presenceFile(r, id)
	data, err := git.ReadSmall(path)
	if err != nil {
		return Presence{}, false
	}
	return decodePresence(path, data, id)
}

// readPresence is the presence in the commit of a ref. Any other object, and
// one that is too large, counts as none.
func readPresence(ctx context.Context, r *git.Repo, commit git.ID, id board.AgentID) (Presence, bool) {
	if commit == "" {
		return Presence{}, false
	}
	raw, err := r.Objects(ctx).ReadKind(commit, "commit", MaxPresence)
	if err != nil {
		return Presence{}, false
	}
	c, err := git.ParseCommit(raw)
	if err != nil {
		return Presence{}, false
	}
	_, document, _ := strings.Cut(c.Message, "\n\n")
	return decodePresence("presence "+string(commit), []byte(document), id)
}

// decodePresence reads a document that another host may have written. It cleans
// the texts again before they are shown.
func decodePresence(name string, data []byte, id board.AgentID) (Presence, bool) {
	var p Presence
	if len(data) > MaxPresence || document.Decode(name, data, &p) != nil || p.check() != nil || p.Agent != id || p.Every <= 0 {
		return Presence{}, false
	}
	p.cutText()
	return p, true
}

// isOver bounds the interval of the presence by a lease, so that the presence
// becomes silent whatever its host wrote. It returns false for a presence that
// is dated more than a lease ahead.
func (p *Presence) isOver(now time.Time, lease time.Duration) bool {
	p.Every = min(p.Every, board.Duration(lease))
	return !p.At.After(now.Add(lease))
}
