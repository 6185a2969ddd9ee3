package web

import (
	"fmt"

	"github.com/git-liza/git-liza/flow"
)

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
	page := steerPage{Note: Form{Act: flow.ActNote}}
	control, refusal := r.Board.Settings().Control, r.Board.Opens(flow.ActPause, "", r.Person, r.At)
	switch {
	case !control.State.IsRunning():
		page.Why = fmt.Sprintf("The board is %s: %s", control.State, control.Reason)
	case refusal != nil:
		page.Why = refusal.Reason
	default:
		page.Pause = &Form{Act: flow.ActPause}
	}
	return page, r.Board.Err()
}
