package codehost

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Standing is a review, and why it counts for nothing; "" if it stands.
type Standing struct {
	Review
	Why string
}

// Standings says which reviews stand, in the order in which they were given. Of the
// verdicts of an account only the last one does, unless it was dismissed: what it replaced
// does not come back. A review that is there twice stands once.
func Standings(reviews []Review) []Standing {
	list := make([]Standing, 0, len(reviews))
	for _, r := range reviews {
		list = append(list, Standing{Review: r})
	}
	slices.SortStableFunc(list, func(x, y Standing) int { return x.At.Compare(y.At) })
	last, seen := map[string]string{}, map[string]bool{}
	for i := len(list) - 1; i >= 0; i-- {
		r := &list[i]
		account := strings.ToLower(r.Account)
		newer, superseded := last[account]
		same := account + " " + r.ID
		switch {
		case r.Account == "":
			r.Why = "its account is gone"
		case seen[same]:
			r.Why = "it is there twice"
		case !r.judges() && r.State != Commented:
			r.Why = cmp.Or(map[string]string{Pending: "it is not submitted"}[r.State], fmt.Sprintf("its state %.40q is not known", r.State))
		case r.State == Commented && r.Body == "" && len(r.Comments) == 0:
			r.Why = "it says nothing"
		case r.judges() && superseded:
			r.Why = fmt.Sprintf("superseded by %.60s", newer)
		case r.State == Dismissed:
			r.Why = "it was dismissed"
		case r.Commit == "":
			r.Why = "its host names no commit that it is about"
		}
		seen[same] = true
		if r.judges() && !superseded {
			last[account] = r.ID
		}
	}
	return list
}

// judges reports whether a review is, or was, a verdict.
func (r Review) judges() bool {
	return r.State == Approved || r.State == ChangesRequested || r.State == Dismissed
}
