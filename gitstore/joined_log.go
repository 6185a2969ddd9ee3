package gitstore

import (
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The reflog of the state ref has one line for a transaction. If that brought several
// moves, the line names them, oldest first, so that a repair finds those that the last
// one leads to, when that cannot be read:
//
//	liza: moves ID ID ID, the last is claim task-3 by coder-2
const (
	joinedBegin = "liza: moves "
	joinedEnd   = ", the last is "
)

// joinedMessage is the message for the reflog of moves that share a transaction.
func joinedMessage(moves []*outboxEntry) string {
	last := moves[len(moves)-1]
	if len(moves) == 1 {
		return "liza: " + last.Subject
	}
	ids := lists.Of(moves, func(e *outboxEntry) string { return string(e.Commit) })
	return joinedBegin + strings.Join(ids, " ") + joinedEnd + last.Subject
}

// eachMove is a reflog of the state ref, newest line first, with a line for each move.
func (r *Repairer) eachMove(log []git.ReflogLine) []git.ReflogLine {
	var list []git.ReflogLine
	for _, line := range log {
		ids, subject := r.joinedMoves(line)
		for i := len(ids) - 1; i > 0; i-- {
			list = append(list, git.ReflogLine{Old: ids[i-1], New: ids[i], Message: subject})
			line.New, subject = ids[i-1], ""
		}
		if len(ids) > 0 {
			line.Message = subject
		}
		list = append(list, line)
	}
	return list
}

// joinedMoves are the moves that a line of the reflog brought, oldest first, with what it
// says of the last one; none if it brought one.
func (r *Repairer) joinedMoves(line git.ReflogLine) (ids []git.ID, subject string) {
	rest, joined := strings.CutPrefix(line.Message, joinedBegin)
	names, subject, whole := strings.Cut(rest, joinedEnd)
	if !joined || !whole {
		return nil, ""
	}
	for name := range strings.FieldsSeq(names) {
		if r.repo.CheckID(git.ID(name)) != nil {
			return nil, ""
		}
		ids = append(ids, git.ID(name))
	}
	if len(ids) == 0 || ids[len(ids)-1] != line.New {
		return nil, ""
	}
	return ids, "liza: " + subject
}
