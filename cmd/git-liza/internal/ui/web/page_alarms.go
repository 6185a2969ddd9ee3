package web

import (
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
)

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
