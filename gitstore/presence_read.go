package gitstore

import (
	"context"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// readBeat is what a file of this clone says. One that cannot be read says
// nothing.
func readBeat(r *git.Repo, id flow.AgentID) (Presence, bool) {
	path := presenceFile(r, id)
	data, err := git.ReadSmall(path)
	if err != nil {
		return Presence{}, false
	}
	return decodePresence(path, data, id)
}

// readPresence is what the commit of a ref says; any other object, and one that is
// too large, says nothing.
func readPresence(ctx context.Context, r *git.Repo, commit git.ID, id flow.AgentID) (Presence, bool) {
	if commit == "" {
		return Presence{}, false
	}
	o, err := r.Objects(ctx)
	if err != nil {
		return Presence{}, false
	}
	raw, err := o.ReadKind(commit, "commit", MaxPresence)
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

// decodePresence reads a document, which somebody else may have written: its
// texts are cleaned again before anybody is shown them.
func decodePresence(name string, data []byte, id flow.AgentID) (Presence, bool) {
	var p Presence
	if len(data) > MaxPresence || document.Decode(name, data, &p) != nil || p.check() != nil || p.Agent != id || p.Every <= 0 {
		return Presence{}, false
	}
	p.cutText()
	return p, true
}

// isOver sees to it that the presence becomes silent, whatever its host says of
// its clock and its beat. It is false of one that is still to come.
func (p *Presence) isOver(now time.Time, lease time.Duration) bool {
	p.Every = min(p.Every, flow.Duration(lease))
	return !p.At.After(now.Add(lease))
}
