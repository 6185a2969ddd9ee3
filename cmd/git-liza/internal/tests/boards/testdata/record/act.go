// Liza-act makes the moves that no command makes, and moves with fields that no
// command sets. The recorder builds it within the source of the program that it
// records.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "liza-act:", err)
		os.Exit(1)
	}
}

// run makes the named move in the current folder at the time LIZA_NOW.
func run(ctx context.Context, name string, args []string) error {
	at, err := time.Parse(time.RFC3339, os.Getenv("LIZA_NOW"))
	if err != nil {
		return err
	}
	repo, err := git.Open(ctx, ".")
	if err != nil {
		return err
	}
	store := gitstore.OpenStore(ctx, repo, func() time.Time { return at })
	principal, _ := exec.Command("git", "config", "liza.principal").Output() // none if not set
	_, err = store.Do(ctx, func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		if name == "due" {
			m, err := due(b, at, args[0])
			return m, nil, err
		}
		if name == "ends" {
			return ends(b, flow.TaskID(args[0]), flow.Actor(args[1]), args[2], strings.Join(args[3:], " ")), nil, nil
		}
		act, task, d, err := detail(b, name, args)
		return flow.Move{Act: act, Task: task, By: "human:ann-example", Principal: strings.TrimSpace(string(principal)), Detail: d}, nil, err
	})
	return err
}

// due is the automatic move that the board asks for at a time, by a supervisor. It must
// be of the act that is named.
func due(b *flow.Board, at time.Time, act string) (flow.Move, error) {
	list := flow.DueMoves(b, at)
	if len(list) == 0 || list[0].Act.String() != act {
		return flow.Move{}, fmt.Errorf("no move %s is due, but %v", act, list)
	}
	principal, _ := exec.Command("git", "config", "liza.agent.code-reviewer-1.principal").Output()
	m := list[0]
	m.By, m.Principal = "code-reviewer-1", strings.TrimSpace(string(principal))
	return m, nil
}

// ends is the end of an agent's session, with the claim or the review that it was for.
func ends(b *flow.Board, id flow.TaskID, by flow.Actor, outcome, text string) flow.Move {
	principal, _ := exec.Command("git", "config", "liza.agent."+string(by)+".principal").Output()
	d := &flow.SessionMove{Provider: "script", Role: by.Role(), Outcome: outcome, Error: text}
	t := b.Task(id)
	if _, held := t.HeldReview(by); held != nil {
		d.Of = held.Since
	} else if t.Claim != nil {
		d.Of = t.Claim.Since
	}
	return flow.Move{Act: flow.ActSession, Task: id, By: by, Principal: strings.TrimSpace(string(principal)), Detail: d}
}

func detail(b *flow.Board, name string, args []string) (flow.Act, flow.TaskID, flow.Detail, error) {
	goal := b.Settings().Goal
	full := func(id flow.TaskID) flow.TaskInput {
		in := describe(id)
		if g := b.Goal(goal); g != nil {
			in.Phase = g.Phase
		}
		return in
	}
	switch name {
	case "init":
		return flow.ActInit, "", founding(args[0], args[1]), nil
	case "edit":
		in := full(flow.TaskID(args[0]))
		in.DependsOn = nil
		return flow.ActEdit, in.ID, &flow.EditMove{Input: in}, nil
	case "convert":
		var id flow.RecordID
		err := id.UnmarshalText([]byte(args[0]))
		return flow.ActConvert, "", &flow.ConvertMove{Discovery: id, Input: full("numbers")}, err
	case "import":
		return flow.ActImport, "", &flow.ImportMove{Source: "another tracker", Tasks: []flow.TaskInput{full("imported"), {ID: "outline", Title: "Outline", Draft: true}}}, nil
	case "supersede":
		return flow.ActSupersede, flow.TaskID(args[0]), &flow.SupersedeMove{Reason: "root cause: two things in one",
			Add: []flow.TaskInput{full("half"), {ID: "other-half", Title: "The other half", Draft: true}}}, nil
	case "plan":
		anew := full(flow.TaskID(args[0]))
		planned := full("planned")
		planned.DependsOn, planned.Reverts = []flow.TaskID{anew.ID}, []flow.TaskID{flow.TaskID(args[1])}
		return flow.ActAdd, "", &flow.AddMove{Tasks: []flow.TaskInput{planned}, Update: []flow.TaskInput{anew, {ID: "outline", Title: "The outline", Draft: true}},
			Schedule: &flow.Schedule{Barrier: flow.NoBarrier, Levels: []string{"base", "parts"}}}, nil
	case "plan-again":
		anew := full("planned")
		anew.DependsOn, anew.Reverts = []flow.TaskID{flow.TaskID(args[0])}, []flow.TaskID{flow.TaskID(args[1])}
		return flow.ActAdd, "", &flow.AddMove{Update: []flow.TaskInput{anew}}, nil
	case "import-plan":
		m := &flow.ImportMove{Source: args[0], Plan: &flow.PlanRef{Path: args[0], Blob: b.Tracked(args[0]).Blob}, Tasks: []flow.TaskInput{full("of-plan")},
			Update: []flow.TaskInput{full(flow.TaskID(args[1])), {ID: "outline", Title: "The outline", Draft: true}}, Schedule: &flow.Schedule{Barrier: flow.NoBarrier, Levels: []string{"base", "parts"}}}
		m.Update[0].Reverts = []flow.TaskID{flow.TaskID(args[2])}
		return flow.ActImport, "", m, nil
	case "import-known":
		return flow.ActImport, "", &flow.ImportMove{Source: args[0], Plan: &flow.PlanRef{Path: args[0], Blob: b.Tracked(args[0]).Blob}}, nil
	case "goal":
		w := scoped(b, goal)
		w.Goal = "looped"
		loop := &flow.Loop{Path: args[0], Blob: flow.ObjectID(args[1]), Iterations: 10, Tokens: 1e6, Cost: 5e6, Wall: flow.Duration(time.Hour),
			Denies: []string{"secret/**"}, Judge: "gates"}
		story, back := full("story"), full("story-back")
		story.Phase, back.Phase = w.Phases[0].Name, w.Phases[0].Name
		back.DependsOn, back.BasedOn, back.Reverts = nil, nil, []flow.TaskID{flow.TaskID(args[2])}
		return flow.ActGoal, "", &flow.GoalMove{ID: w.Goal, Title: "One after the other", Spec: args[0], Workflow: w, Phase: w.Phases[0].Name, Every: flow.EveryPhase, Loop: loop,
			Tasks: []flow.TaskInput{story, back, {ID: "outlined", Title: "Outlined", Phase: story.Phase, Kind: flow.Docs, Draft: true}}}, nil
	case "reload":
		g, w := b.Goal(goal), scoped(b, goal)
		return flow.ActReload, "", &flow.ReloadMove{Workflow: w, Phase: g.Phase, Every: g.Every, Reason: "tasks say their scope"}, nil
	case "missed":
		id := flow.RecordID(args[0])
		return flow.ActTake, "", &flow.TakeMove{Question: id, Free: true, Missed: true}, nil
	case "trip":
		return flow.ActTrip, "", trip(b), nil
	case "alarms":
		c := b.Settings().Config
		c.Alarms = alarms()
		return flow.ActConfig, "", &flow.ConfigMove{Config: c}, nil
	case "checkpoint-file":
		return flow.ActCheckpoint, "", &flow.CheckpointMove{Reason: "the file .liza/CHECKPOINT", Cause: flow.CauseFile}, nil
	case "import-reverts":
		in := full("imported-back")
		in.DependsOn, in.BasedOn, in.Reverts = nil, nil, []flow.TaskID{flow.TaskID(args[0])}
		return flow.ActImport, "", &flow.ImportMove{Source: "another tracker", Tasks: []flow.TaskInput{in}}, nil
	case "supersede-reverts":
		in := full("half-back")
		in.DependsOn, in.BasedOn, in.Reverts = nil, nil, []flow.TaskID{flow.TaskID(args[1])}
		return flow.ActSupersede, flow.TaskID(args[0]), &flow.SupersedeMove{Reason: "root cause: it is wanted no more", Add: []flow.TaskInput{in}}, nil
	case "amend-sprint":
		s := *b.Sprint(b.OpenSprint(b.Settings().Goal))
		s.Ended, s.Reason, s.Carried = s.Started, "almost", []flow.TaskID{"loops"}
		return flow.ActAmend, "", &flow.AmendMove{Sprint: &s}, nil
	case "amend-goal":
		g := *b.Goal(b.Settings().Goal)
		g.Ended, g.Reason = g.Created, "almost"
		return flow.ActAmend, "", &flow.AmendMove{Goal: &g}, nil
	}
	return 0, "", nil, fmt.Errorf("there is no move %q", name)
}

// scoped is the workflow of a goal, with templates that say a scope, which no file does.
func scoped(b *flow.Board, goal flow.GoalID) *flow.Workflow {
	w := *flow.FindWorkflow(b, goal)
	w.Phases = slices.Clone(w.Phases)
	for i := range w.Phases {
		w.Phases[i].Tasks = slices.Clone(w.Phases[i].Tasks)
		for j := range w.Phases[i].Tasks {
			w.Phases[i].Tasks[j].Scope = "itself"
		}
	}
	return &w
}

// trip names the anomalies of the board.
func trip(b *flow.Board) *flow.TripMove {
	t := &flow.TripMove{Pattern: "retry_cluster", Severity: "SPEC_FLAW", Patterns: []string{"retry_cluster"}, Watermark: b.Breaker().Watermark,
		Evidence: []string{"sprint-1/5"}, Report: "The tests are flaky", Artifacts: []string{"specs/vision.md"}}
	for _, id := range b.IDs(flow.Anomalies) {
		t.Records = append(t.Records, flow.RecordID(id))
	}
	return t
}

// alarms are thresholds that no command sets.
func alarms() flow.Alarms {
	d := flow.Duration(time.Hour)
	return flow.Alarms{Lease: d, Orphaned: d, Stalled: d, Draft: d, Unstaffed: d, CheckpointStale: d, CheckpointStuck: d, CheckpointAbandoned: d,
		PauseStale: d, PauseForgotten: d, Approaching: 70, Approvals: 20, Off: []string{"draft"}}
}

// describe is the description of a task with every field.
func describe(id flow.TaskID) flow.TaskInput {
	return flow.TaskInput{ID: id, Title: "All of " + string(id), DoneWhen: "it is there", Spec: "specs/vision.md#parts", Scope: "itself",
		Priority: 2, DependsOn: []flow.TaskID{"parser"}, Owns: []string{"all/" + string(id) + "/"}, Verify: "true", Kind: flow.Docs, Stretch: true,
		Limits: &flow.Limits{Iterations: 5, Cycles: 4, MergeFails: 3, NoVerdicts: 2, FailedCoders: 3, Failures: 4},
		Budget: &flow.Budget{Tokens: 10000, Cost: 2500000},
		Role:   flow.Coder, BasedOn: []string{"texts/" + string(id) + ".md#one"},
		ReviewBy: []flow.Role{"security-reviewer"}, Without: []flow.Role{"docs-reviewer"},
		Files:    &flow.Files{Create: []string{"all/" + string(id) + "/new.txt"}, Modify: []string{"specs/vision.md"}, Read: []string{"README"}},
		Estimate: flow.Duration(90 * time.Minute), Level: 2, VerifyTimeout: flow.Duration(time.Minute),
		Acceptance: []string{"it can be read"}, Labels: []string{"words"}, Consumers: []flow.TaskID{"reader"},
		Steps:   []flow.Step{{Step: 1, Action: "Write it", Run: "cat all/" + string(id) + "/new.txt", Expect: "words"}},
		Context: "It is one of several.", IntegrationTest: "all/" + string(id) + "/test.sh", Denies: []string{"secret/**"}}
}

// founding is an init with every field that no command sets.
func founding(tip, key string) *flow.InitMove {
	c := flow.DefaultConfig()
	c.AllowSelfReview, c.PostWorktree = true, "true"
	c.Gates = []flow.Gate{{Name: "unit", Command: "true", Required: true, Timeout: flow.Duration(time.Minute), At: flow.AtSubmit, Paths: []string{"src/**"}}}
	c.Schedule.Barrier, c.Automation.Required = flow.LevelBarrier, true
	b := flow.Budget{Tokens: 1e6, Cost: 25e6}
	c.Budgets = flow.Budgets{Task: b, Sprint: b, Goal: b}
	c.Checkpoint, c.Goal, c.Alarms = flow.Checkpoints{Every: 10, Share: 50}, flow.GoalPolicy{Auto: true}, alarms()
	return &flow.InitMove{Board: "0123456789abcdef", Format: flow.NewestFormat, Goal: "founded", Title: "Ship it", Spec: "specs/vision.md#a-small-product",
		Integration: flow.Branch{Name: "trunk", Tip: flow.ObjectID(tip)}, Created: true,
		Deadline: time.Date(2026, 1, 24, 9, 0, 0, 0, time.UTC), Config: c,
		Admin: &flow.Principal{Name: "ann", Kind: "human", Keys: []string{key}, Users: []string{"ann"}, Agents: []string{"human:ann-example", "*"},
			Roles: []flow.Role{flow.Planner, flow.Coder, flow.CodeReviewer}, Rights: []string{"admin", "merge", "vouch"}, Accounts: []string{"github.com/ann"}}}
}
