package gitstore

import (
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxDropped is how many of the dropped moves a repair names.
const maxDropped = 50

// A Dropped is a move that a repair took off the board. Its commit is kept
// under refs/liza/rescue/.
type Dropped struct {
	Commit  git.ID       `json:"commit"`
	Subject string       `json:"subject"`        // such as "claim task-3 by coder-1"
	Act     string       `json:"act,omitempty"`  // "" if the commit has no readable move
	Task    board.TaskID `json:"task,omitempty"` // of the move
}

// listDropped lists the moves between the bad tip and the history of the good
// one, and counts them.
func (h *history) listDropped(bad, good git.ID) ([]Dropped, int) {
	kept := map[git.ID]bool{}
	if chain, breach := h.listChain(good, ""); breach == nil {
		kept = lists.Set(chain, func(id git.ID) git.ID { return id })
	}
	var list []Dropped
	n := 0
	for id := bad; id != "" && !kept[id]; n++ {
		c, err := h.readStateCommit(id)
		if err != nil {
			break
		}
		if n < maxDropped {
			list = append(list, droppedMove(id, c))
		}
		id = ""
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	return list, n
}

func droppedMove(id git.ID, c git.Commit) Dropped {
	if m, err := decodeMove(id, c.Message); err == nil {
		return Dropped{id, m.Subject(), m.Act.String(), m.Task}
	}
	first, _, _ := strings.Cut(board.Clean(c.Message), "\n")
	return Dropped{Commit: id, Subject: board.Excerpt(first, 100)}
}
