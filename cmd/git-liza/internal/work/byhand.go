package work

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
)

// A ByHand is a verdict or a registration in the name of an agent that no
// supervisor made: its move has no generation. The rules allow it, for people
// who play agents by hand; where supervisors work it is worth a look.
type ByHand struct {
	Commit board.ObjectID `json:"commit"`
	Act    string         `json:"act"`
	Task   board.TaskID   `json:"task,omitempty"`
	Agent  board.AgentID  `json:"agent"`
	First  bool           `json:"first,omitempty"` // the move registered the agent, whatever its act
}

// LatelyByHand is the number of moves that doctor, and fsck without --full,
// search.
const LatelyByHand = 1000

// ByHand lists the moves by hand among the last moves, newest first; with last
// 0 among all. Agents on the board that another move of theirs registered come
// after these.
func (d *Doctor) ByHand(ctx context.Context, last int) ([]ByHand, error) {
	s, err := d.SearchByHand(ctx)
	if err != nil {
		return nil, err
	}
	n := 0
	err = d.store.Events(s.tip, func(e gitstore.Event) (bool, error) {
		s.See(n, e)
		n++
		return n != last, ctx.Err()
	})
	return s.List(), err
}

// A HandSearch finds the moves by hand among the moves of a board that it is shown.
type HandSearch struct {
	tip   board.ObjectID
	since map[board.AgentID]time.Time // when agents registered that no supervisor started

	mu    sync.Mutex
	whole bool // the first move was shown
	found []handAt
	first map[board.AgentID]handAt
}

// A handAt is a move by hand and how many moves come after it.
type handAt struct {
	place int
	ByHand
}

// SearchByHand begins a search among the moves of the board as it is now.
func (d *Doctor) SearchByHand(ctx context.Context) (*HandSearch, error) {
	tip, err := d.store.Tip(ctx)
	if err != nil {
		return nil, err
	}
	b, err := d.store.BoardAt(tip)
	if err != nil {
		return nil, err
	}
	s := &HandSearch{tip: tip, since: map[board.AgentID]time.Time{}, first: map[board.AgentID]handAt{}}
	for _, a := range board.All[*board.Agent](b, board.Agents) {
		if a.Generation == "" {
			s.since[a.ID] = a.Registered
		}
	}
	return s, b.Err()
}

// See looks at a move that so many others come after. It can be called from several
// goroutines, in any order.
func (s *HandSearch) See(place int, e gitstore.Event) {
	m := e.Move
	one := handAt{place, ByHand{Commit: e.Commit, Act: m.Act.String(), Task: m.Task, Agent: m.By.Agent()}}
	hand, listed := m.Generation == "", false
	switch detail := m.Detail.(type) {
	case *flow.ApproveMove, *flow.RejectMove:
		listed = one.Agent != ""
	case *flow.RegisterMove:
		one.Agent, one.Task = detail.Agent, ""
		hand, listed = detail.Generation == "", true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole = s.whole || e.Parent == ""
	if hand && listed {
		s.found = append(s.found, one)
	}
	if since, ok := s.since[one.Agent]; ok && hand && since.Equal(m.At) {
		one.First = !listed
		if known, ok := s.first[one.Agent]; !ok || known.place < place { // of the moves in the same second the oldest
			s.first[one.Agent] = one
		}
	}
}

// Whole reports whether the search was shown the first move of the board.
func (s *HandSearch) Whole() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.whole
}

// List lists what was found as [Doctor.ByHand] does.
func (s *HandSearch) List() []ByHand {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.found, func(a, b handAt) int { return cmp.Compare(a.place, b.place) })
	list := append([]ByHand{}, lists.Of(s.found, func(one handAt) ByHand { return one.ByHand })...)
	for _, id := range slices.Sorted(maps.Keys(s.first)) {
		if s.first[id].First {
			list = append(list, s.first[id].ByHand)
		}
	}
	return list
}

// byHand returns doctor's finding about moves by hand.
func (d *Doctor) byHand(ctx context.Context) []Finding {
	list, err := d.ByHand(ctx, LatelyByHand)
	if err != nil || len(list) == 0 {
		return nil // another finding reports moves that cannot be read
	}
	return []Finding{{Check: "by hand", State: "warn", Text: ByHandText(list), Hint: "git liza log"}}
}

// ByHandText describes moves by hand in one line, the last ones first.
func ByHandText(list []ByHand) string {
	names := make([]string, 0, len(list))
	for _, one := range list {
		name := one.Act + " by " + string(one.Agent)
		if one.Task != "" {
			name = one.Act + " " + string(one.Task) + " by " + string(one.Agent)
		}
		if one.First {
			name += " (its first move)"
		}
		names = append(names, name)
	}
	return fmt.Sprintf("verdicts and registrations of agents that no supervisor made: %s", someOf(names))
}
