package web

import "github.com/git-liza/git-liza/cmd/git-liza/internal/view"

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
