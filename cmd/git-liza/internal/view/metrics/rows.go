package metrics

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// A By is what rows are divided by.
type By string

// The divisions. Those after ByTask have only the numbers of sessions.
const (
	ByAgent    By = "agent"
	ByRole     By = "role"
	BySprint   By = "sprint"
	ByTask     By = "task"
	ByProvider By = "provider"
	ByModel    By = "model"
	ByOutcome  By = "outcome"
)

// HasWork reports whether the rows have the numbers of work beside those of sessions.
func (by By) HasWork() bool { return slices.Contains([]By{ByAgent, ByRole, BySprint, ByTask}, by) }

// A Row is one share of all: the sessions of an agent, a role, …, and the work.
type Row struct {
	Name      string // "" where there is none: planning is for no task
	Usage     board.Usage
	Uncounted int

	Merged     int // tasks whose last claim it had, or that belong to it
	Iterations int // its claims
	Rejected   int // rejections of its work
	Approvals  int // that it gave, of a sprint or task: that were given
	Rejections int // as Approvals
}

// rows are the shares, those with the highest cost, then tokens, first.
func (w *window) rows(by By) []Row {
	found := table{by: by, rows: map[string]*Row{}}
	for i := range w.sessions {
		s := &w.sessions[i]
		row := found.row(found.sessionName(s))
		row.Usage = row.Usage.Plus(s.Used)
		if !s.Counted {
			row.Uncounted++
		}
	}
	if by.HasWork() {
		w.addTasks(found)
		w.addVerdicts(found)
	}
	list := make([]Row, 0, len(found.rows))
	for _, row := range found.rows {
		list = append(list, *row)
	}
	slices.SortFunc(list, func(x, y Row) int {
		return cmp.Or(cmp.Compare(y.Usage.Cost, x.Usage.Cost), cmp.Compare(y.Usage.Tokens(), x.Usage.Tokens()), strings.Compare(x.Name, y.Name))
	})
	return list
}

// A table is the rows by their names.
type table struct {
	by   By
	rows map[string]*Row
}

func (found table) row(name string) *Row {
	if found.rows[name] == nil {
		found.rows[name] = &Row{Name: name}
	}
	return found.rows[name]
}

func (found table) sessionName(s *session) string {
	switch found.by {
	case ByAgent:
		return string(s.By)
	case ByRole:
		return string(s.Role)
	case BySprint:
		return string(s.Sprint)
	case ByProvider:
		return s.Provider
	case ByModel:
		return s.Model
	case ByOutcome:
		return s.Outcome
	}
	return string(s.Task)
}

// workName is the row of work on a task at a time by an actor.
func (found table) workName(t *task, by board.Actor, role board.Role, at int64) string {
	switch found.by {
	case ByAgent:
		return string(by)
	case ByRole:
		return string(judgeRole(role, by))
	case BySprint:
		in, _ := t.membershipAt(at)
		return string(in.Sprint)
	}
	return string(t.ID)
}

func (w *window) addTasks(found table) {
	for _, t := range w.tasks {
		for _, c := range t.Claims {
			if w.holds(c.At) {
				found.row(found.workName(t, c.By, "", c.At.At)).Iterations++
			}
		}
		if at, ok := t.merged(w.now); ok && w.holds(at) {
			if by := t.claimedBy(at.At); by != "" || found.by == BySprint || found.by == ByTask {
				found.row(found.workName(t, by, "", at.At)).Merged++
			}
		}
	}
}

func (w *window) addVerdicts(found table) {
	for _, v := range w.counts.Verdicts {
		t := w.counts.byID[v.Task]
		if !w.holds(v.At) || t == nil || !w.of(v.Task) {
			continue
		}
		given := found.row(found.workName(t, v.By, v.Role, v.At.At))
		if v.Approved {
			given.Approvals++
			continue
		}
		given.Rejections++
		if by := t.claimedBy(v.At.At); by != "" || found.by == BySprint || found.by == ByTask {
			found.row(found.workName(t, by, "", v.At.At)).Rejected++
		}
	}
}
