package web

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A logPage is moves, newest first.
type logPage struct {
	Moves []any `json:"moves"`

	Entries []view.Entry `json:"-"`
	Older   string       `json:"-"` // the moves before these, "" if there are none
	Newest  string       `json:"-"` // the newest moves, "" if these are
}

// The bounds of a page of moves. Words that hold for few are looked for in so many.
const (
	mostMoves  = 100
	mostLooked = 20_000
)

func showLog(v *visit) (any, error) {
	r, err := v.look()
	if err != nil {
		return nil, err
	}
	c, page, find := v.reader.clone, logPage{}, finder(r)
	from, hidden := r.Tip, board.ObjectID("") // the moves up to a hidden one are on other pages
	if before := v.query.Get("before"); before != "" {
		first, err := c.Store.Rev(v.request.Context(), before)
		if err != nil {
			return nil, err
		}
		page.Newest = addressWith(v, "before", "")
		if v.frame.Past { // which might be older
			hidden = first
		} else {
			from = first
		}
	}
	looked := 0
	err = c.Store.Log(from, func(e gitstore.Event) (bool, error) {
		if hidden != "" && e.Commit != hidden {
			return true, v.request.Context().Err()
		}
		hidden = ""
		if len(page.Entries) == mostMoves || looked == mostLooked {
			page.Older = addressWith(v, "before", string(e.Commit))
			return false, nil
		}
		looked++
		entry := view.EntryOf(e)
		if v.words.IsEmpty() || v.words.MatchEntry(&entry, shownAt(v), find) {
			page.Entries = append(page.Entries, entry)
		}
		return true, v.request.Context().Err()
	})
	page.Moves = view.LogValue(page.Entries)
	return page, err
}

// Then is the address of the board as a move left it.
func (v *visit) Then(state board.ObjectID) string {
	then := *v
	then.at = string(state)
	return then.Link("/")
}
