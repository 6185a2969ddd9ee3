package drawing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
)

const chartHeight = 260

// States draws how many tasks stood in which state when: an area for each state, final ones
// below.
func States(list []view.Tally) string {
	c := &canvas{}
	most := 0
	for _, one := range list {
		sum := 0
		for _, n := range one.States {
			sum += n
		}
		most = max(most, sum)
	}
	if most == 0 {
		c.label(margin, 24, "quiet", "no task yet")
		return c.svg(Place{}, "Tasks by state over time", "no task yet")
	}
	const left = margin + 40
	s := newScale(list[0].At, list[len(list)-1].At, left)
	height := func(n int) int { return axisHeight + chartHeight - n*chartHeight/most }
	below := make([]int, len(list))
	labels := []mark{}
	order := board.Statuses()
	slices.Reverse(order)
	for _, status := range order {
		name := status.String()
		points, back, some := []string{}, []string{}, false
		for i, one := range list {
			n := one.States[name]
			some = some || n > 0
			back = append(back, fmt.Sprintf("%d %d", s.x(one.At), height(below[i])))
			below[i] += n
			points = append(points, fmt.Sprintf("%d %d", s.x(one.At), height(below[i])))
		}
		if !some {
			continue
		}
		slices.Reverse(back)
		c.open("states", name, "")
		c.print(`<path class="area %s" d="M%sL%sz"/>`, classOf(status), strings.Join(points, "L"), strings.Join(back, "L"))
		c.close("")
		if last := list[len(list)-1].States[name]; last > 0 {
			labels = append(labels, mark{height(below[len(list)-1]), fmt.Sprintf("%s %d", name, last)})
		}
	}
	c.axis(s, axisHeight+chartHeight)
	c.heights(left, most)
	c.beside(left+chartWidth+8, labels)
	return c.svg(Place{}, "Tasks by state over time", "the table below says the same")
}

// heights writes the numbers at the left of a chart.
func (c *canvas) heights(left, most int) {
	for _, n := range []int{0, most} {
		y := axisHeight + chartHeight - n*chartHeight/max(most, 1)
		c.line(left, y, left+chartWidth, y, "axis")
		c.label(left-6, y+4, "quiet end", fmt.Sprint(n))
	}
}

// A mark is a text beside a chart.
type mark struct {
	y    int
	text string
}

// beside writes marks at their heights, from below, none over another.
func (c *canvas) beside(x int, marks []mark) {
	last := axisHeight + chartHeight + 14
	for _, m := range marks {
		y := min(m.y+10, last-14)
		c.label(x, y, "name", m.text)
		c.see(x+150, y)
		last = y
	}
}

// Burndown draws how many planned tasks of a sprint were open when, how many were planned,
// and the straight way to its deadline.
func Burndown(b view.Burndown) string {
	c := &canvas{}
	const left = margin + 40
	first, last := b.Points[0], b.Points[len(b.Points)-1]
	end := last.At
	if b.Deadline != nil && b.Deadline.After(end) {
		end = *b.Deadline
	}
	s := newScale(first.At, end, left)
	most := 1
	for _, p := range b.Points {
		most = max(most, p.Planned)
	}
	height := func(n int) int { return axisHeight + chartHeight - n*chartHeight/most }
	var open, planned strings.Builder
	for i, p := range b.Points {
		x := s.x(p.At)
		if i == 0 {
			fmt.Fprintf(&open, "M%d %d", x, height(p.Open))
			fmt.Fprintf(&planned, "M%d %d", x, height(p.Planned))
			continue
		}
		fmt.Fprintf(&open, "H%dV%d", x, height(p.Open))
		fmt.Fprintf(&planned, "H%dV%d", x, height(p.Planned))
	}
	c.axis(s, axisHeight+chartHeight)
	c.heights(left, most)
	c.print(`<path class="planned" d="%s"/>`, planned.String())
	if b.Deadline != nil {
		c.line(s.x(first.At), height(most), s.x(*b.Deadline), height(0), "plan")
	}
	c.print(`<path class="line" d="%s"/>`, open.String())
	c.beside(left+chartWidth+8, []mark{{height(last.Open), fmt.Sprintf("%d open", last.Open)}, {height(last.Planned), fmt.Sprintf("%d planned", last.Planned)}})
	text := fmt.Sprintf("%d of %d planned tasks are open", last.Open, last.Planned)
	return c.svg(Place{}, "Burndown of "+string(b.Sprint), text)
}
