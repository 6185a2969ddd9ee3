package drawing

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// The places of a chart over time.
const (
	namesWidth = 190 // of the names beside it
	chartWidth = 900
	axisHeight = 26
	nameCells  = 26
)

// A scale places times in a chart.
type scale struct {
	from, to time.Time
	left     int
}

func newScale(from, to time.Time, left int) scale {
	if !to.After(from) {
		to = from.Add(time.Minute)
	}
	return scale{from, to, left}
}

// x returns the place of a time, which lies within the chart whatever the time is.
func (s scale) x(at time.Time) int {
	part := float64(at.Sub(s.from)) / float64(s.to.Sub(s.from))
	return s.left + int(min(max(part, 0), 1)*chartWidth)
}

// ticks are lengths of time between the marks of an axis.
func ticks() []time.Duration {
	const day = 24 * time.Hour
	return []time.Duration{time.Second, 10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, day, 7 * day, 30 * day, 365 * day}
}

// axis draws the times of a chart at its top, with a line downwards for each.
func (c *canvas) axis(s scale, bottom int) {
	const most = 10
	step, form := time.Duration(0), "15:04"
	for _, step = range ticks() {
		if s.to.Sub(s.from)/step <= most {
			break
		}
	}
	for s.to.Sub(s.from)/step > most {
		step *= 2
	}
	if step >= 24*time.Hour {
		form = "2006-01-02"
	} else if step < time.Minute {
		form = "15:04:05"
	}
	for at := s.from.Truncate(step); !at.After(s.to); at = at.Add(step) {
		if at.Before(s.from) {
			continue
		}
		x := s.x(at)
		c.line(x, axisHeight, x, bottom, "axis")
		text := at.UTC().Format(form)
		if step < 24*time.Hour && at.Equal(at.Truncate(24*time.Hour)) {
			text = at.UTC().Format("Jan 2")
		}
		c.label(x, 16, "quiet middle", text)
	}
	c.see(s.left+chartWidth+margin, bottom)
}

// A row of a lane has bars of some kinds.
type row struct {
	kinds  []string
	height int
}

// rows are the rows of a lane: states, what is held by whom and the waits between, sessions,
// and runs of gates.
func rows() []row {
	return []row{{[]string{view.StateBar}, 16}, {[]string{view.ClaimBar, view.ReviewBar, view.WaitBar}, 14}, {[]string{view.SessionBar}, 7}, {[]string{view.GateBar}, 7}}
}

// Timeline draws the lanes of tasks, or of agents, one below the other. title returns what
// stands below the id of a lane, and link its address; both may be nil.
func Timeline(l view.Lanes, title, link func(id string) string) string {
	c, lanes := &canvas{}, &canvas{}
	s := newScale(l.From, l.To, margin+namesWidth)
	y := axisHeight + 8
	for _, lane := range l.Lanes {
		y = lanes.lane(lane, s, y, title, link)
	}
	if len(l.Lanes) == 0 {
		lanes.label(margin, y+14, "quiet", "nothing happened in this time")
		y += 24
	}
	c.axis(s, y) // behind the bars
	c.text.WriteString(lanes.text.String())
	name := fmt.Sprintf("What was done from %s to %s", l.From.UTC().Format(view.Stamp), l.To.UTC().Format(view.Stamp))
	p := Place{}
	if link != nil {
		p.Link = func(board.TaskID) string { return "" }
	}
	return c.svg(p, name, view.Count(len(l.Lanes), "lane")+"; the table below says the same")
}

// lane draws one lane and returns where the next one begins.
func (c *canvas) lane(lane view.Lane, s scale, y int, title, link func(string) string) int {
	top, address, text := y, "", ""
	if link != nil {
		address = link(lane.ID)
	}
	if title != nil {
		text = title(lane.ID)
	}
	c.open("name", lane.ID+": "+text, address)
	c.label(margin, top+13, "id", view.Cut(lane.ID, nameCells))
	c.label(margin, top+28, "quiet", view.Cut(plaintext.Line(text), nameCells+2))
	c.close(address)
	for _, r := range rows() {
		found := false
		for _, b := range lane.Bars {
			for _, kind := range r.kinds {
				if b.Kind == kind {
					c.bar(b, s, y, r.height)
					found = true
				}
			}
		}
		if found {
			y += r.height + 2
		}
	}
	y = max(y, top+32) + 8
	c.line(margin, y-4, s.left+chartWidth, y-4, "axis")
	return y
}

// bar draws a bar, with its name if there is room.
func (c *canvas) bar(b view.Bar, s scale, y, height int) {
	x, end := s.x(b.From), s.x(b.To)
	words := []string{b.Name, b.With}
	if b.Kind != view.StateBar {
		words = []string{b.Kind, b.Name, b.With}
	}
	text := strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	until := b.To.UTC().Format(view.Stamp)
	if b.Open {
		until = "now"
	}
	c.open("span", fmt.Sprintf("%s from %s to %s, %s", text, b.From.UTC().Format(view.Stamp), until, view.Span(b.To.Sub(b.From))), "")
	if b.Kind == view.WaitBar {
		c.line(x, y+height/2, max(end, x+1), y+height/2, "wait")
	} else {
		class := b.Kind
		if b.Kind == view.StateBar {
			class = classOfName(b.Name)
		}
		c.rect(x, y, max(end-x, 2), height, "bar "+class)
		const letter, least = 7, 4 // the width of a letter, and the fewest that say something
		if room := (end - x - 8) / letter; room >= least && height >= 14 {
			c.label(x+4, y+height-4, "name", view.Cut(cmp.Or(b.Name, b.With), room))
		}
	}
	c.close("")
}
