package web

import (
	"html/template"
	"slices"
	"strconv"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/drawing"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A timelinePage is what was done when, by task or by agent.
type timelinePage struct {
	By string `json:"by"`
	view.Lanes

	Titles  map[string]string `json:"-"`
	Spans   []choice          `json:"-"`
	Kinds   []choice          `json:"-"`
	Earlier string            `json:"-"` // the lanes after these, "" if there are none
	Drawing template.HTML     `json:"-"`
}

// A choice is a link to the same page in another form.
type choice struct {
	Name, Link string
	Current    bool
}

// lookAgain is how often a page is made anew whose times pass without a move.
const lookAgain = time.Minute

// mostLanes is how many lanes stand on one page.
const mostLanes = 40

// spanNames are the spans of time that a timeline is shown for, beside all.
func spanNames() []string { return []string{"1h", "6h", "1d", "1w"} }

func showTimeline(v *visit) (any, error) {
	page := timelinePage{By: "task", Titles: map[string]string{}}
	if v.query.Get("by") == "agent" {
		page.By = "agent"
	}
	skip, _ := strconv.Atoi(v.query.Get("skip"))
	skip = max(skip, 0)
	err := readTimeline(v, func(r view.Reading, t *view.Timeline) {
		w, span := spanOf(v.query.Get("span"), t, r.At)
		w.Skip, w.Most, w.Goal = skip, mostLanes, board.GoalID(v.query.Get("goal"))
		if page.By == "agent" {
			page.Lanes = t.Agents(w)
		} else {
			if !v.words.IsEmpty() {
				find := finder(r)
				w.Only = func(id board.TaskID) bool {
					s := find(id)
					return s != nil && v.words.Match(s, shownAt(v))
				}
			}
			page.Lanes = t.Tasks(w)
			for _, lane := range page.Lanes.Lanes {
				if task := r.Board.Task(board.TaskID(lane.ID)); task != nil {
					page.Titles[lane.ID] = task.Title
				}
			}
		}
		for _, name := range append(spanNames(), "all") {
			page.Spans = append(page.Spans, choice{name, addressWith(v, "span", name, "skip", ""), name == span})
		}
	})
	if err != nil {
		return nil, err
	}
	for _, by := range []string{"task", "agent"} {
		page.Kinds = append(page.Kinds, choice{"by " + by, addressWith(v, "by", by, "skip", ""), by == page.By})
	}
	if page.Left > 0 {
		page.Earlier = addressWith(v, "skip", strconv.Itoa(skip+mostLanes))
	}
	link := func(id string) string { return v.Link("/task/", id) }
	if page.By == "agent" {
		link = func(id string) string {
			if board.Actor(id).Agent() == "" {
				return ""
			}
			return v.Link("/agent/", id)
		}
	}
	page.Drawing = template.HTML(drawing.Timeline(page.Lanes, func(id string) string { return page.Titles[id] }, link))
	return page, nil
}

// spanOf returns the span of time that a page shows, up to a time, and its name: without a
// choice all, or of a long history its last day. Where no task is open it ends with the last
// move.
func spanOf(name string, t *view.Timeline, at time.Time) (view.Window, string) {
	first, last, idle := t.Span()
	if first.IsZero() {
		first, last = at, at
	}
	w := view.Window{From: first, To: at.Truncate(lookAgain)}
	if idle || w.To.Before(last) { // the clock of this machine may be behind that of others
		w.To = last
	}
	const long = 24 * time.Hour
	if name == "" && w.To.Sub(first) > long {
		name = "1d"
	}
	if span, ok := gitstore.ParseSpan(name); ok && slices.Contains(spanNames(), name) {
		if from := w.To.Add(-span); from.After(first) {
			w.From = from
		}
		return w, name
	}
	return w, "all"
}

// A laneView is the timeline of one task or agent.
type laneView struct {
	view.Lane
	Drawing template.HTML
}

// Lane is the timeline of the task or agent that the page is about, from its first move on.
func (v *visit) Lane() (laneView, error) {
	var lane laneView
	err := readTimeline(v, func(r view.Reading, t *view.Timeline) {
		w, _ := spanOf("all", t, r.At)
		if v.page.key == "agent" {
			lane.Lane = t.Agent(board.Actor(v.id), w)
		} else {
			lane.Lane = t.Task(board.TaskID(v.id), w)
		}
		if len(lane.Bars) == 0 {
			return
		}
		w.From = lane.Bars[0].From
		if !slices.ContainsFunc(lane.Bars, func(b view.Bar) bool { return b.Open }) {
			w.To = slices.MaxFunc(lane.Bars, func(x, y view.Bar) int { return x.To.Compare(y.To) }).To
		}
		lanes := view.Lanes{From: w.From, To: w.To, Lanes: []view.Lane{lane.Lane}}
		lane.Drawing = template.HTML(drawing.Timeline(lanes, nil, nil))
	})
	return lane, err
}
