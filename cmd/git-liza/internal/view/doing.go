package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A Doing is what an agent does: what it says of itself, and what it does not say as the
// board has it.
type Doing struct {
	What string // such as coding, or idle
	Task board.TaskID
	Note string // "" if there is none, or if it is why the agent rests
}

// Doing returns what the agent does.
func (v Agent) Doing() Doing {
	d := Doing{What: strings.ToLower(v.State), Task: v.Task}
	if p := v.Presence; p != nil && p.Doing != "" {
		d.What, d.Task = p.Doing, cmp.Or(p.Task, v.Task)
		if p.Note != v.Degraded {
			d.Note = p.Note
		}
	}
	return d
}

// Trouble says that the agent is dead or rests, "" if it is neither.
func (v Agent) Trouble() string {
	var parts []string
	if v.Dead != 0 {
		parts = append(parts, fmt.Sprintf("process %d of its supervisor is dead", v.Dead))
	}
	if v.Degraded != "" {
		parts = append(parts, "rests: "+v.Degraded)
	}
	return strings.Join(parts, ", ")
}

// Silent reports whether the agent reported once and does so no more.
func (v Agent) Silent(at time.Time) bool { return v.Presence != nil && v.Presence.Presence.Silent(at) }

// Line says in a few words what the agent does, on what, and the worst that is wrong with it.
func (v Agent) Line(at time.Time) string {
	d := v.Doing()
	wrong := ""
	switch {
	case v.Dead != 0:
		d.What = "dead"
	case v.Degraded != "":
		wrong = v.Trouble()
	case v.Silent(at):
		wrong = "silent"
	case d.What == gitstore.Failing:
		wrong = d.Note
	}
	return strings.Join(strings.Fields(strings.Join([]string{d.What, string(d.Task), wrong}, " ")), " ")
}

// Age formats for how long the agent does what it does in at most four characters, "" if
// nobody knows.
func (v Agent) Age(at time.Time) string {
	if v.Presence == nil || v.Presence.Since.IsZero() {
		return ""
	}
	return ShortSpan(at.Sub(v.Presence.Since))
}

// Spent formats in a few characters what the agent's session has used, "" if nobody knows.
func (v Agent) Spent() string {
	if v.Presence == nil {
		return ""
	}
	var words []string
	if n := v.Presence.Usage.Tokens(); n > 0 {
		words = append(words, shortNumber(n)+" tok")
	}
	if c := v.Presence.Usage.Cost; c != 0 {
		words = append(words, ShortCost(c))
	}
	return strings.Join(words, " ")
}

// Context formats how full the context of the agent's session is, such as ctx 63%; "" if
// nobody knows.
func (v Agent) Context() string {
	if v.Presence == nil || v.Presence.Context == 0 {
		return ""
	}
	return fmt.Sprintf("ctx %d%%", v.Presence.Context)
}

// activity says what the agent does, for how long, and how long ago it reported.
func (v Agent) activity() string {
	p, d := v.Presence, v.Doing()
	if p == nil {
		return ""
	}
	what := d.What
	if d.Task != v.Task {
		what += " " + string(d.Task)
	}
	if v.Silent(p.at) {
		return fmt.Sprintf("silent for %s, was %s", ago(p.at, p.At), what)
	}
	what += " for " + ago(p.at, p.Since)
	if d.Note != "" {
		what += " (" + d.Note + ")"
	}
	if full := v.Context(); full != "" {
		what += ", " + full
	}
	return what + ", heard " + ago(p.at, p.At) + " ago"
}

// origin describes the agent's program, its host and its usage, which a glance
// leaves out.
func (v Agent) origin() string {
	p := v.Presence
	if p == nil {
		return ""
	}
	var parts []string
	if used := Amount(board.Budget{Tokens: p.Usage.Tokens(), Cost: p.Usage.Cost}); used != "" {
		parts = append(parts, used+" so far")
	}
	program := p.Provider
	if p.Model != "" {
		program += ":" + p.Model
	}
	return strings.Join(append(parts, fmt.Sprintf("%s on %s, process %d", program, p.Host, p.PID)), ", ")
}
