package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// boardGroups are the groups of the board's own settings. Their defaults are those of
// [flow.DefaultConfig].
func boardGroups() []Group {
	groups := []Group{
		{Name: "leases", About: "how long work belongs to its holder", Keys: []Key{
			{Name: "lease", Meaning: "how long a claim lasts unless it is renewed", Unit: "span", Readers: "`claim`, `renew`"},
			{Name: "review_lease", Meaning: "how long a review lasts unless it is renewed", Unit: "span", Readers: "`review`, `renew`"},
			{Name: "grace", Meaning: "how long after its lease ended nobody else may take a task", Unit: "span", Readers: "`claim`, `review`, `release`"},
		}},
		{Name: "limits", About: "how often work may fail before the task is blocked", Keys: []Key{
			{Name: "limits.iterations", Meaning: "claims of one attempt", Unit: "number from 1", Readers: "`claim`"},
			{Name: "limits.review_cycles", Meaning: "rejections of one attempt; half of them are an alarm", Unit: "number from 1", Readers: "`reject`"},
			{Name: "limits.integration_failures", Meaning: "failed merges of one task", Unit: "number from 1", Readers: "`merge`"},
			{Name: "limits.no_verdicts", Meaning: "reviews that ended without a verdict", Unit: "number from 1", Readers: "`review`"},
			{Name: "limits.failed_coders", Meaning: "different coders that failed a task", Unit: "number from 1 to 50", Readers: "`block`, `unblock`"},
			{Name: "limits.failures", Meaning: "failures of a task in all", Unit: "number from 1 to 50", Readers: "`block`, `unblock`"},
		}},
		{Name: "bounds", About: "how much one move may hold", Keys: []Key{
			{Name: "supersede_depth", Meaning: "how often agents may replace a task that replaced another; after that a human does", Unit: "number", Readers: "`supersede`"},
			{Name: "text_limit", Meaning: "largest text in a move", Unit: "bytes, 256 to 65536", Readers: "every move"},
			{Name: "blob_limit", Meaning: "largest file in a submission", Unit: "bytes", Readers: "`submit`"},
		}},
		{Name: "judgement", About: "who may judge and write what", Keys: []Key{
			{Name: "allow_self_review", Meaning: "a coder may review its own work", Unit: "switch", Readers: "`review`"},
			{Name: "drift_alarm", Meaning: "a merge warns when integration got so many commits since the work began; 0 never warns", Unit: "commits",
				Readers: "`merge`, `agent`, `rush`"},
			{Name: "tests", Meaning: "paths that count as tests", Unit: "globs, one per argument", Readers: "`submit`"},
			{Name: "never", Meaning: "paths that no agent changes; a person can", Unit: "globs, one per argument", Readers: "`submit`, `prompt`"},
		}},
		{Name: "commands", About: "which commands run on the work", Keys: []Key{
			{Name: "post_worktree", Meaning: "command that supervisors run in each new worktree, for ten minutes at most", Default: "none", Unit: "shell command", Readers: "`agent`, `rush`"},
			{Name: "gates.NAME.command", Meaning: "command that must succeed; `git liza config --unset gates.NAME` removes the gate",
				Default: "no gate", Unit: "shell command", Readers: "`merge`, `agent`, `rush`"},
			{Name: "gates.NAME.required", Meaning: "whether its failure stops the merge", Unit: "switch", Readers: "`merge`, `agent`, `rush`"},
			{Name: "gates.NAME.timeout", Meaning: "how long it may run", Unit: "span", Readers: "`merge`, `agent`, `rush`"},
			{Name: "gates.NAME.at", Meaning: "where it runs: on what is submitted (`submit`), on the merged tree (`merge`), on integration when the tasks of a level are done (`level`), before a goal leaves a phase (`phase`), or before it is completed (`goal`)",
				Unit: "`submit`, `merge`, `level`, `phase` or `goal`", Readers: "`submit`, `merge`, `level pass`, `goal done`"},
			{Name: "gates.NAME.paths", Meaning: "it is skipped at a submission and a merge that touch none of these paths", Default: "it always runs", Unit: "globs, one per argument", Readers: "`submit`, `merge`"},
		}},
		{Name: "budgets", About: "what sessions may use", Keys: budgetKeys()},
		{Name: "automatic", About: "what supervisors do by themselves", Keys: []Key{
			{Name: "checkpoint.every", Meaning: "supervisors make a checkpoint after so many merges of a goal since the last one; 0 is never", Unit: "merges", Readers: "`agent`, `rush`, `checkpoint`"},
			{Name: "checkpoint.share", Meaning: "supervisors make a checkpoint when so much of a goal's budget is used since the last one; 0 is never", Unit: "percent", Readers: "`agent`, `rush`, `checkpoint`"},
			{Name: "schedule.barrier", Meaning: "what holds back the tasks of goals that do not say it themselves: nothing, or the levels below theirs", Unit: "`none` or `level`", Readers: "`claim`, `level pass`"},
			{Name: "automation.required", Meaning: "agents leave tasks alone that stand on a text of which nobody has said how far it may be automated", Unit: "switch", Readers: "`claim`"},
			{Name: "goal.auto", Meaning: "supervisors complete a goal whose tasks are all final", Unit: "switch", Readers: "`agent`, `rush`, `goal done`"},
		}},
		{Name: "retry", About: "what follows when claims end without a result", Keys: []Key{
			{Name: "retry.attempts", Meaning: "claims of a task that may fail; then it is BLOCKED; 0 sets no bound", Unit: "number up to 50", Readers: "`claim`, `session`"},
			{Name: "retry.strategy", Meaning: "how the time grows after which agents try again", Unit: "`exponential`, `linear` or `fixed`", Readers: "`session`"},
			{Name: "retry.base", Meaning: "that time after the first failure", Unit: "span", Readers: "`session`"},
			{Name: "retry.max", Meaning: "that time at most", Unit: "span", Readers: "`session`"},
			{Name: "pressure.rate", Meaning: "when so many of the last claims of a goal failed, half as many tasks of it are worked on at once; 0 is never", Unit: "percent", Readers: "`session`, `claim`"},
		}},
		{Name: "alarms", About: "from when on something is an [alarm](guide.md#alarms)", Keys: alarmKeys()},
	}
	standard := defaults()
	for _, g := range groups {
		for i, k := range g.Keys {
			if k.Default == "" {
				g.Keys[i].Default = standard[k.Name]
			}
		}
	}
	for i := range groups {
		groups[i].Place = Board
	}
	return groups
}

// alarmKeys are thresholds of views, which no rule reads.
func alarmKeys() (keys []Key) {
	const readers = "`watch`, `agent`, `rush`"
	for _, k := range [][2]string{
		{"lease", "a lease that nobody renews has ended for so long"},
		{"orphaned", "work was rejected and its coder is gone for so long"},
		{"stalled", "no task of a goal changes its state or its holder for so long while work is open; agents have a third of it for what they settle, then a person is called"},
		{"draft", "a draft stays one for so long"},
		{"unstaffed", "work waits for so long for a role of which no agent is there"},
		{"checkpoint_stale", "a checkpoint lasts so long"},
		{"checkpoint_stuck", "likewise, more urgent"},
		{"checkpoint_abandoned", "likewise, most urgent"},
		{"pause_stale", "a pause lasts so long"},
		{"pause_forgotten", "likewise, more urgent"},
	} {
		keys = append(keys, Key{Name: "alarms." + k[0], Meaning: k[1], Unit: "span", Readers: readers})
	}
	return append(keys,
		Key{Name: "alarms.approaching", Meaning: "so much of a limit or of a budget is used", Unit: "percent from 1 to 100", Readers: readers},
		Key{Name: "alarms.approvals", Meaning: "so many verdicts of one reviewer in a row approve", Unit: "number", Readers: readers},
		Key{Name: "alarms.off", Meaning: "kinds of alarms that are not wanted", Default: "none", Unit: "kinds, one per argument", Readers: readers})
}

func budgetKeys() (keys []Key) {
	const readers = "`claim`, `review`, `agent`, `rush`"
	for _, owner := range []string{"task", "sprint", "goal"} {
		keys = append(keys,
			Key{Name: "budgets." + owner + ".tokens", Meaning: "tokens that sessions of a " + owner + " may use; 0 sets no bound", Unit: "tokens, without those from a cache", Readers: readers},
			Key{Name: "budgets." + owner + ".cost", Meaning: "dollars that sessions of a " + owner + " may cost; 0 sets no bound", Unit: "dollars", Readers: readers})
	}
	return keys
}

// DefaultGateTimeout is the time limit of a gate that sets none.
const DefaultGateTimeout = flow.Duration(10 * time.Minute)

// defaults formats the default values of the board's keys.
func defaults() map[string]string {
	c := flow.DefaultConfig()
	c.Alarms = flow.DefaultAlarms()
	c.Gates = []flow.Gate{{Name: "NAME", Required: true, Timeout: DefaultGateTimeout}}
	formatted := map[string]string{}
	for _, v := range Values(&c) {
		text := v.String()
		switch pointer := v.Pointer.(type) {
		case *[]string:
			if len(*pointer) == 0 {
				continue
			}
			text = fmt.Sprintf("`%s` and %d more", (*pointer)[0], len(*pointer)-1)
		case *flow.Duration, *bool, *flow.Stage, *flow.Barrier, *flow.Strategy:
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
func Values(c *flow.Config) []Value {
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
	case *flow.Stage, *flow.Barrier, *flow.Strategy:
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
