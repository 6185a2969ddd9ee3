package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// DefaultGateTimeout is the time limit of a gate that sets none.
const DefaultGateTimeout = board.Duration(10 * time.Minute)

// defaults formats the default values of the board's keys.
func defaults() map[string]string {
	c := board.DefaultConfig()
	c.Alarms = board.DefaultAlarms()
	c.Gates = []board.Gate{{Name: "NAME", Required: true, Timeout: DefaultGateTimeout}}
	formatted := map[string]string{}
	for _, v := range Values(&c) {
		text := v.String()
		switch pointer := v.Pointer.(type) {
		case *[]string:
			if len(*pointer) == 0 {
				continue
			}
			text = fmt.Sprintf("`%s` and %d more", (*pointer)[0], len(*pointer)-1)
		case *board.Duration, *bool, *board.Stage, *board.Barrier, *board.Strategy:
			text = "`" + text + "`"
		}
		formatted[v.Key] = text
	}
	return formatted
}

// A Value is one value of a board's configuration under its dotted key. The pointer points
// into that configuration.
type Value struct {
	Key     string
	Pointer any
}

// Values returns all values of a configuration that commands can set, with those of its
// gates.
func Values(c *board.Config) []Value {
	list := []Value{
		{"lease", &c.Lease}, {"review_lease", &c.ReviewLease}, {"grace", &c.Grace},
		{"limits.iterations", &c.Limits.Iterations}, {"limits.review_cycles", &c.Limits.Cycles},
		{"limits.integration_failures", &c.Limits.MergeFails}, {"limits.no_verdicts", &c.Limits.NoVerdicts},
		{"limits.failed_coders", &c.Limits.FailedCoders}, {"limits.failures", &c.Limits.Failures},
		{"supersede_depth", &c.SupersedeDepth}, {"text_limit", &c.TextLimit}, {"blob_limit", &c.BlobLimit},
		{"allow_self_review", &c.AllowSelfReview}, {"drift_alarm", &c.DriftAlarm}, {"tests", &c.Tests}, {"never", &c.Never},
		{"post_worktree", &c.PostWorktree},
		{"checkpoint.every", &c.Checkpoint.Every}, {"checkpoint.share", &c.Checkpoint.Share}, {"goal.auto", &c.Goal.Auto}, {"automation.required", &c.Automation.Required},
		{"schedule.barrier", &c.Schedule.Barrier}, {"retry.attempts", &c.Retry.Attempts}, {"retry.strategy", &c.Retry.Strategy},
		{"retry.base", &c.Retry.Base}, {"retry.max", &c.Retry.Max}, {"pressure.rate", &c.Pressure.Rate},
		{"alarms.lease", &c.Alarms.Lease}, {"alarms.orphaned", &c.Alarms.Orphaned}, {"alarms.stalled", &c.Alarms.Stalled},
		{"alarms.draft", &c.Alarms.Draft}, {"alarms.unstaffed", &c.Alarms.Unstaffed}, {"alarms.checkpoint_stale", &c.Alarms.CheckpointStale},
		{"alarms.checkpoint_stuck", &c.Alarms.CheckpointStuck}, {"alarms.checkpoint_abandoned", &c.Alarms.CheckpointAbandoned},
		{"alarms.pause_stale", &c.Alarms.PauseStale}, {"alarms.pause_forgotten", &c.Alarms.PauseForgotten},
		{"alarms.approaching", &c.Alarms.Approaching}, {"alarms.approvals", &c.Alarms.Approvals}, {"alarms.off", &c.Alarms.Off},
		{"budgets.session.tokens", &c.Budgets.Session.Tokens}, {"budgets.session.cost", &c.Budgets.Session.Cost},
		{"budgets.task.tokens", &c.Budgets.Task.Tokens}, {"budgets.task.cost", &c.Budgets.Task.Cost},
		{"budgets.sprint.tokens", &c.Budgets.Sprint.Tokens}, {"budgets.sprint.cost", &c.Budgets.Sprint.Cost},
		{"budgets.goal.tokens", &c.Budgets.Goal.Tokens}, {"budgets.goal.cost", &c.Budgets.Goal.Cost},
	}
	for i := range c.Gates {
		g := &c.Gates[i]
		list = append(list, Value{"gates." + g.Name + ".command", &g.Command},
			Value{"gates." + g.Name + ".required", &g.Required}, Value{"gates." + g.Name + ".timeout", &g.Timeout},
			Value{"gates." + g.Name + ".at", &g.At}, Value{"gates." + g.Name + ".paths", &g.Paths})
	}
	return list
}

// JSON is the value for JSON: a name that is not set is that of what holds then.
func (v Value) JSON() any {
	switch v.Pointer.(type) {
	case *board.Stage, *board.Barrier, *board.Strategy:
		return v.String()
	}
	return v.Pointer
}

// String formats the value for people.
func (v Value) String() string {
	switch p := v.Pointer.(type) {
	case *[]string:
		return strings.Join(*p, " ")
	case fmt.Stringer:
		return p.String()
	case *string:
		return *p
	}
	// Numbers and booleans are written as in JSON.
	text, _ := json.Marshal(v.Pointer)
	return string(text)
}
