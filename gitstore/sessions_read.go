package gitstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A SessionFilter selects sessions. Zero fields select all.
type SessionFilter struct {
	Task  board.TaskID
	Agent board.AgentID
	Limit int
}

// A sessionLink is a session in a chain, and where the chain continues.
type sessionLink struct {
	SessionRecord
	ref    string
	parent git.ID
}

// Sessions are the saved sessions of this clone, newest first. An unreadable
// one has only its id, its agent and, as Ending, the error.
func Sessions(ctx context.Context, r *git.Repo, f SessionFilter) ([]SessionRecord, error) {
	chains, err := sessionChains(ctx, r, f.Agent)
	if err != nil {
		return nil, err
	}
	o := r.Objects(ctx)
	var list []SessionRecord
	for len(chains) > 0 && (f.Limit == 0 || len(list) < f.Limit) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// The chains are sorted by their ends, the last one first.
		last := chains[0]
		chains = chains[1:]
		if f.Task == "" || f.Task == last.Task {
			list = append(list, last.SessionRecord)
		}
		if last.parent != "" {
			next := readSessionLink(o, last.ref, last.parent)
			at, _ := slices.BinarySearchFunc(chains, next, sessionLink.compare)
			chains = slices.Insert(chains, at, next)
		}
	}
	return list, nil
}

// sessionChains are the last sessions of all refs, or of the refs of one agent,
// sorted.
func sessionChains(ctx context.Context, r *git.Repo, agent board.AgentID) ([]sessionLink, error) {
	refs, err := r.Refs.List(ctx, layout.SessionRefs+string(agent))
	if err != nil {
		return nil, err
	}
	o := r.Objects(ctx)
	chains := make([]sessionLink, 0, len(refs))
	for ref, id := range refs {
		chains = append(chains, readSessionLink(o, ref, id))
	}
	slices.SortFunc(chains, sessionLink.compare)
	return chains, nil
}

// compare puts the later end first.
func (l sessionLink) compare(other sessionLink) int {
	return cmp.Or(other.Ended.Compare(l.Ended), strings.Compare(l.ref, other.ref))
}

// readSessionLink reads one session of a ref; an error becomes its Ending.
func readSessionLink(o *git.Objects, ref string, id git.ID) sessionLink {
	agent, _ := board.ParseSessionRef(ref)
	link := sessionLink{ref: ref}
	c, err := o.Commit(id)
	if err == nil {
		if len(c.Parents) > 0 {
			link.parent = c.Parents[0]
		}
		link.Ended = c.AuthorTime.UTC()
		link.SessionRecord, err = readSessionRecord(o, c)
	}
	if err != nil {
		link.SessionRecord = SessionRecord{ID: id, Agent: board.AgentID(board.Clean(string(agent))), Ended: link.Ended, Ending: board.Excerpt(err.Error(), maxWords)}
	}
	return link
}

func readSessionRecord(o *git.Objects, c git.Commit) (SessionRecord, error) {
	var rec SessionRecord
	data, err := readSessionFile(o, c, recordFile, document.MaxSize)
	if err != nil {
		return rec, err
	}
	if err := document.Decode("session "+string(c.ID)+" "+recordFile, data, &rec); err != nil {
		return rec, err
	}
	rec.ID = c.ID
	return rec, nil
}

func readSessionFile(o *git.Objects, c git.Commit, name string, limit int64) ([]byte, error) {
	e, ok, err := o.Find(c.Tree, name)
	if err == nil && (!ok || e.Mode != git.ModeBlob) {
		err = fmt.Errorf("%w: %s is no session: it has no %s", git.ErrNoCommit, c.ID.Short(), name)
	}
	if err != nil {
		return nil, err
	}
	return o.ReadKind(e.ID, "blob", limit)
}

// CheckSession checks that a commit has the form of [SaveSession], by sizes and
// without reading its files. It returns the session before it, "" if it is the
// first.
func CheckSession(o *git.Objects, id git.ID) (before git.ID, err error) {
	kind, size, err := o.Size(id)
	if err != nil {
		return "", err
	}
	if kind != "commit" || size > maxSessionCommit {
		return "", fmt.Errorf("%s is a %s of %d bytes, a session is a commit of at most %d", id.Short(), kind, size, maxSessionCommit)
	}
	c, err := o.Commit(id)
	if err != nil {
		return "", err
	}
	entries, err := o.TreeWithin(c.Tree, maxSessionTree)
	if err != nil {
		return "", err
	}
	limits := map[string]int64{recordFile: document.MaxSize, promptFile: MaxPrompt, outputFile: MaxOutput}
	for _, e := range entries {
		limit, known := limits[e.Name]
		if !known || e.Mode != git.ModeBlob {
			return "", fmt.Errorf("%s is no session: it has %q", id.Short(), e.Name)
		}
		if _, size, err := o.Size(e.ID); err != nil || size > limit {
			return "", cmp.Or(err, fmt.Errorf("the session %s has %d bytes of %s, at most %d are kept", id.Short(), size, e.Name, limit))
		}
	}
	if len(entries) < len(limits) || len(c.Parents) > 1 {
		return "", fmt.Errorf("%s is no session: it has %d files and %d parents", id.Short(), len(entries), len(c.Parents))
	}
	if len(c.Parents) == 1 {
		before = c.Parents[0]
	}
	return before, nil
}

// Session reads one complete session by the id of its commit. The error wraps
// git.ErrNoObject, or git.ErrNoCommit if the commit is not a session.
func Session(ctx context.Context, r *git.Repo, id git.ID) (rec SessionRecord, prompt, output []byte, err error) {
	o := r.Objects(ctx)
	c, err := o.Commit(id)
	if err != nil {
		return rec, nil, nil, err
	}
	if rec, err = readSessionRecord(o, c); err != nil {
		return rec, nil, nil, err
	}
	if prompt, err = readSessionFile(o, c, promptFile, MaxPrompt); err != nil {
		return rec, nil, nil, err
	}
	output, err = readSessionFile(o, c, outputFile, MaxOutput)
	return rec, prompt, output, err
}

// prunedAtOnce is how many refs one transaction deletes.
const prunedAtOnce = 500

// PruneSessions deletes the refs of ended registrations whose last session
// ended before a time. It returns the number of deleted sessions, even with an
// error.
func (s *Store) PruneSessions(ctx context.Context, before time.Time) (pruned int, err error) {
	b, _, err := s.Board(ctx)
	if err != nil {
		return 0, err
	}
	chains, err := sessionChains(ctx, s.Repo, "")
	if err != nil {
		return 0, err
	}
	chains = slices.DeleteFunc(chains, func(last sessionLink) bool { return !last.Ended.Before(before) || isRegistered(b, last.ref) })
	if b.Err() != nil {
		return 0, b.Err()
	}
	for part := range slices.Chunk(chains, prunedAtOnce) {
		sessions := 0
		var updates []git.RefUpdate
		for _, last := range part {
			updates = append(updates, git.RefUpdate{Name: last.ref, Old: last.ID})
			for sessions++; last.parent != ""; sessions++ {
				last = readSessionLink(s.objects, last.ref, last.parent)
			}
		}
		if err := s.Repo.Refs.MoveRefs(ctx, updates, "archive"); err != nil {
			return pruned, fmt.Errorf("dropping the records of sessions: %w", err)
		}
		pruned += sessions
	}
	return pruned, nil
}

// isRegistered reports whether the registration that a ref of sessions names
// still holds.
func isRegistered(b *board.Board, ref string) bool {
	id, generation := board.ParseSessionRef(ref)
	a := b.Agent(id)
	return a != nil && a.Generation == generation
}
