package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-liza/git-liza/flow"
)

// findStalls finds what tasks wait for on this machine alone: supervisors that
// died here, and commands that nobody here has allowed. Of a long board it looks
// into as many tasks as JSON names.
func (l *look) findStalls(ctx context.Context, tasks []flow.Summary, agents []agentView) error {
	l.dead, l.barred = map[flow.Actor]int{}, map[flow.TaskID]step{}
	for _, a := range agents {
		if a.Dead != 0 {
			l.dead[flow.Actor(a.ID)] = a.Dead
		}
	}
	looked, known := 0, map[string]error{}
	for _, t := range tasks {
		what, _ := l.waitsFor(t, nil)
		if what != "coder" {
			continue
		}
		if looked++; looked > glanceIDs {
			break
		}
		full := l.board.Task(t.ID)
		if full == nil || full.Verify == "" {
			continue
		}
		err, asked := known[full.Verify]
		if !asked {
			err = l.Trusted(ctx, full.Verify)
			known[full.Verify] = err
		}
		var refusal *flow.Refusal
		if errors.As(err, &refusal) {
			l.barred[t.ID] = step{refusal.Hint, string(t.ID) + ": " + refusal.Reason}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// bereft are the steps that free what dead supervisors hold, where no rush does.
func (l look) bereft(tasks []flow.Summary) []step {
	var list []step
	for _, t := range tasks {
		by := t.Coder
		if t.Status == flow.ReadyForReview {
			by = t.Reviewer
		}
		if what, _ := l.waitsFor(t, nil); what == "work" && l.dead[by] != 0 {
			list = append(list, step{"git liza release " + string(t.ID),
				fmt.Sprintf("held by %s, whose supervisor, process %d, is dead; a rush here does it too", by, l.dead[by])})
		}
	}
	return list
}
