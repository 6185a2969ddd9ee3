package web

import (
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A boardPage is the board at a glance: what needs the person, who does what, how far it
// is.
type boardPage struct {
	Status *view.Status  `json:"status"`
	Flow   []view.Column `json:"flow"`
	Alarms []view.Alarm  `json:"alarms"`
	Log    []any         `json:"log"`

	Inbox []view.Item  `json:"-"`
	Notes []view.Alarm `json:"-"` // the alarms about nothing in the inbox
	Busy  []view.Agent `json:"-"` // the first agents, those that are dead or at work before others
	More  int          `json:"-"` // agents that are left out
}

// The bounds of what the board shows of long lists.
const (
	glanceItems  = 50
	glanceAgents = 12
)

func showBoard(v *visit) (any, error) {
	f := v.frame
	busy := view.BusyFirst(f.Agents)
	first := busy[:min(len(busy), glanceAgents)]
	return boardPage{Status: f.Status, Flow: f.Flow, Alarms: f.Alarms, Log: view.LogValue(f.Log),
		Inbox: f.Inbox.First(glanceItems).Items, Notes: view.Unlisted(f.Alarms), Busy: first, More: len(busy) - len(first)}, nil
}

// showInbox shows what needs the person, with ?all also what needs others.
func showInbox(v *visit) (any, error) {
	if v.query.Has("all") {
		return v.frame.Inbox.All(), nil
	}
	return v.frame.Inbox, nil
}

// An alarmsPage is what calls, what is worth to know, and what was so before.
type alarmsPage struct {
	Alarms []view.Alarm    `json:"alarms"`
	Past   []work.AlarmRow `json:"past"` // what fired and what ended in this clone, newest first
}

// mostPastAlarms is how many of them a page has.
const mostPastAlarms = 100

func showAlarms(v *visit) (any, error) {
	page := alarmsPage{slices.Concat([]view.Alarm{}, v.frame.Alarms), []work.AlarmRow{}}
	if v.frame.Past { // the memory is this clone's and no part of the board
		return page, nil
	}
	var err error
	page.Past, err = work.PastAlarms(v.server.Clone.Repo, mostPastAlarms)
	return page, err
}

// A steerPage has the forms that are about the board as a whole.
type steerPage struct {
	Pause *Form `json:"-"` // nil where the rules let nobody pause
	Why   string
	Note  Form `json:"-"`
}

func showSteer(v *visit) (any, error) {
	if !v.Acts() {
		return nil, errNothing
	}
	r, err := v.look()
	if err != nil {
		return nil, err
	}
	page := steerPage{Note: Form{Act: board.ActNote}}
	control, refusal := r.Board.Settings().Control, flow.Opens(r.Board, board.ActPause, "", r.Person, r.At)
	switch {
	case !control.State.IsRunning():
		page.Why = fmt.Sprintf("The board is %s: %s", control.State, control.Reason)
	case refusal != nil:
		page.Why = refusal.Reason
	default:
		page.Pause = &Form{Act: board.ActPause}
	}
	return page, r.Board.Err()
}
