package gitstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// HandoverForm is the number of the form of a [Handover]. It grows with each change, so that
// a resident of another version leaves the move to its client.
const HandoverForm = 1

// A Handover is a move that a command has built, for the [Resident] of its clone to make.
// The rules judge it there, on the tip of then.
type Handover struct {
	Form      int               `json:"form"` // HandoverForm
	Tip       git.ID            `json:"tip"`  // the state that it was built on
	Request   flow.Request      `json:"request"`
	Move      string            `json:"move"`      // as the message of a state commit
	Documents map[string]string `json:"documents"` // that it rests on, by path; "" for none there
	Committer [2]string         `json:"committer"` // name and address
	Settings  string            `json:"settings"`  // [git.RepoConfiguration.Digest]
}

// An Answer is what a resident says of a handover.
type Answer string

// The answers of a resident. Whatever it says, the board decides whether the move landed.
const (
	AnswerLanded Answer = "landed"
	AnswerAgain  Answer = "again"  // what the move rests on has changed: build it again
	AnswerRefuse Answer = "refuse" // the client makes it itself, and gets the error

	AnswerUnsynced Answer = "unsynced" // it landed, and the disk has not confirmed it
)

// HandOver gives a move to another process of this clone, once, and waits for its answer: ""
// if there is none. If the context ends, it asks for the move not to be made, and waits a
// little longer. sent is false if that process cannot have the move.
type HandOver func(ctx context.Context, h Handover) (answer Answer, sent bool)

// handedTries is how often a move is built again for a resident before its process makes it
// itself.
const handedTries = 3

// handOver has the resident of the clone make the move, if there is one and the move is one
// for it. A move of another act is not built for that, which may take long. done is false if
// this process has to make it; a search then begins at the state that the handover named.
func (p *proposal) handOver(ctx context.Context) (result Result, done bool, err error) {
	if p.store.FindResident == nil || !isHanded(p.act) {
		return Result{}, false, nil
	}
	for range handedTries {
		send, end := p.store.FindResident(ctx)
		if send == nil {
			return Result{}, false, nil
		}
		h, err := p.prepareHandover(ctx)
		if err != nil {
			end()
			return Result{}, false, nil // who makes it itself gets the error, or none
		}
		answer, sent := send(ctx, h)
		end()
		if !sent {
			return Result{}, false, nil
		}
		if p.joined = true; !p.begun { // a later search begins where the first one does
			p.begun, p.looked = true, h.Tip
		}
		if p.unsaid = answer == ""; ctx.Err() != nil {
			return Result{}, true, ctx.Err()
		}
		if answer == AnswerRefuse {
			break
		}
		tip, err := p.store.Repo.Refs.Resolve(ctx, layout.State)
		if err != nil {
			return Result{}, false, nil
		}
		found, landed, same := p.store.readLanded(tip, p.looked, h)
		if landed && same && answer == AnswerUnsynced { // nobody builds on an error, as after one of its own
			return Result{}, true, fmt.Errorf("%w to the rush that made it", git.ErrUnsynced)
		}
		if landed && same {
			return found, true, nil
		}
		if landed { // who answers may lie: this move is still to be made
			err := p.renew()
			return Result{}, err != nil, err
		}
		if answer != AnswerAgain {
			break
		}
	}
	return Result{}, false, nil
}

// renew begins the move anew, as another request.
func (p *proposal) renew() error {
	request, err := RandomID()
	p.request, p.begun, p.joined, p.unsaid = flow.Request(request), false, false, false
	return err
}

// errOwnMove is the error for a move that its own process has to make.
var errOwnMove = errors.New("not for a resident")

// prepareHandover builds the move on the tip, and notes the documents that it rests on.
func (p *proposal) prepareHandover(ctx context.Context) (Handover, error) {
	s := p.store
	h := Handover{Form: HandoverForm, Request: p.request, Documents: map[string]string{}}
	tip, err := s.Repo.Refs.Resolve(ctx, layout.State)
	if err != nil || tip == "" {
		return h, firstError(err)
	}
	before, source, err := s.boardAt(tip, s.current)
	if err != nil {
		return h, err
	}
	board := flow.Open(notingSource{source, h.Documents}, before.At()).Within(ctx)
	at, err := s.after(board.At())
	if err != nil {
		return h, err
	}
	m, extra, err := p.build(board, at)
	if err != nil || board.Err() != nil {
		return h, firstError(err, board.Err())
	}
	signer, err := s.findSigner(ctx, m.Principal)
	q := board.Ask(m)
	switch {
	case err != nil:
		return h, err
	case signer != nil, len(extra) > 0, !isHanded(m.Act), q.Submission+q.Descendant+q.Merge != "", len(q.Saves) > 0:
		return h, errOwnMove
	}
	m.At, m.Request = at, p.request
	m.Normalize()
	// What the rules refuse may be built in part only, and could be legal a second later. What
	// is read for that is read anew by the resident, and is not noted.
	if err := s.CheckMove(ctx, before, m); err != nil {
		return h, err
	}
	h.Tip = tip
	if h.Move, err = encodeMove(m, source.rules); err != nil {
		return h, err
	}
	if h.Committer[0], h.Committer[1], err = s.Repo.Config.Identity(ctx); err != nil {
		return h, err
	}
	h.Settings, err = s.Repo.Config.Digest(ctx)
	return h, err
}

// firstError is the first of the errors, or else that the move is its process's own.
func firstError(errs ...error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return errOwnMove
}

// isHanded reports whether a resident makes moves of an act: what they say rests on documents
// that are read by their ids, and on what the rules judge anew. Where they name commits of
// work, their own process has these on the disk first.
func isHanded(a flow.Act) bool {
	switch a {
	case flow.ActClaim, flow.ActRelease, flow.ActRenew, flow.ActNote, flow.ActIntent:
		return true
	}
	return false
}

// readLanded is the result of a handover whose request is among the moves between two states.
// same is false if that is another move than the one that was handed over. The move is
// replayed, so that the result is as after a move of this process.
func (s *Store) readLanded(tip, since git.ID, h Handover) (r Result, landed, same bool) {
	found, landed, _, _ := s.findMove(tip, since, h.Request, mostSearched)
	if !landed {
		return Result{}, false, false
	}
	made, err := s.Audit.replayMove(context.Background(), found.Commit, false, s.current)
	if err != nil {
		return Result{}, false, false
	}
	rules := made.Before.Settings().Rules
	handed, err := h.decode(rules)
	same = err == nil && isSameMove(handed, made.Move, made.Before, rules)
	return Result{Move: made.Move, Commit: found.Commit, Before: made.Before, After: made.After}, true, same
}

// mostSearched bounds the moves in which a request is searched for: a resident makes no move
// that was built on an older state.
const mostSearched = 2 * mostJoined

func (h Handover) decode(rules int) (flow.Move, error) {
	m, block, err := decodeSigned("", h.Move, rules)
	if err == nil && block != "" {
		err = errOwnMove
	}
	return m, err
}

// isSameMove reports whether a move that was made on a board is the one that was handed
// over, filled in there.
func isSameMove(handed, made flow.Move, before *flow.Board, rules int) bool {
	handed.At = made.At
	if handed.Goal == "" {
		handed.Goal = before.GoalOf(handed)
	}
	mine, err := encodeMove(before.Fill(handed, &flow.Facts{}), rules)
	theirs, errTheirs := encodeMove(made, rules)
	return err == nil && errTheirs == nil && mine == theirs
}

// notingSource notes which documents are read by their ids.
type notingSource struct {
	snapshot
	noted map[string]string
}

// Load returns the document at key, and notes its id.
func (n notingSource) Load(k flow.Key) (flow.Document, error) {
	dir, name := directory(k)
	n.noted[path.Join(dir, name)] = string(n.documentID(dir, name))
	return n.snapshot.Load(k)
}

// documentID is the id of a document, "" if there is none.
func (s snapshot) documentID(dir, name string) git.ID {
	_, entries, err := s.folder(dir)
	if err != nil {
		return ""
	}
	if i := indexFold(entries, name); i >= 0 {
		return entries[i].ID
	}
	return ""
}

// restsOn reports whether a state has the documents that a handover rests on as they were.
func (s snapshot) restsOn(h Handover) bool {
	for _, at := range slices.Sorted(maps.Keys(h.Documents)) {
		dir, name := path.Split(at)
		if string(s.documentID(strings.Trim(dir, "/"), name)) != h.Documents[at] {
			return false
		}
	}
	return true
}
