package view

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// A follower is a board that changes at random, with a picture that follows it.
type follower struct {
	*rand.Rand
	t       *testing.T
	docs    flow.Documents
	at      time.Time // of the board's last move
	now     time.Time
	moves   int
	log     []Entry
	local   Local
	picture *Picture
	shown   map[string]string // the answers of the picture
}

// A picture that follows a board, the machine and the time answers as one that is made
// anew, and says which parts may have changed.
func TestPictureFollows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := &follower{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, at: noon, now: noon}
			c.edit(c.settings(), c.goal("goal-1"), c.goal("goal-2"), c.sprint("sprint-1"))
			c.picture = NewPicture(c.reading())
			c.shown = c.answers(c.picture)
			for range 60 {
				c.step()
			}
		})
	}
}

// reading is what the picture should be of.
func (c *follower) reading() Reading {
	return Reading{Board: flow.Open(c.docs, c.at), Tip: flow.ObjectID(fmt.Sprint(c.moves)), At: c.now, Person: flow.Caller{By: "human:ann"},
		Local: c.local, Recent: slices.Clone(c.log[:min(len(c.log), mostLogged)])}
}

// step changes the board, the machine or the time, and compares.
func (c *follower) step() {
	var changes []Change
	what := ""
	switch n := c.IntN(10); {
	case n < 6:
		what = "a move"
		c.now = c.now.Add(time.Duration(c.IntN(90)) * time.Second)
		c.at = c.now
		delta := gitstore.Delta{From: flow.ObjectID(fmt.Sprint(c.moves)), Keys: c.edit(c.documents()...)}
		c.moves++
		delta.To = flow.ObjectID(fmt.Sprint(c.moves))
		move := flow.Move{Act: flow.ActNote, By: "human:ann", At: c.at, Detail: &flow.NoteMove{For: "all", Text: fmt.Sprint(c.moves)}}
		delta.Events = []gitstore.Event{{Commit: delta.To, Parent: delta.From, Move: move}}
		c.log = append([]Entry{{State: delta.To, Move: move}}, c.log...)
		if delta.Whole = c.IntN(20) == 0; delta.Whole {
			delta.Keys, c.log = nil, c.log[:1]
		}
		changes = c.picture.Advance(flow.Open(c.docs, c.at), delta.To, delta, c.now)
	case n < 8:
		what = "the machine"
		c.local = c.machine()
		changes = c.picture.SetLocal(c.local)
	default:
		what = "time"
		if due := c.picture.Due(); !due.IsZero() && c.IntN(3) > 0 {
			c.now = due
		} else {
			c.now = c.now.Add(time.Duration(c.IntN(pick(c, 120, 7200))) * time.Second)
		}
		changes = c.picture.Pass(c.now)
	}
	c.compare(what, changes)
}

// compare holds the picture against a new one, and against what it said before.
func (c *follower) compare(what string, changes []Change) {
	followed, made := c.answers(c.picture), c.answers(NewPicture(c.reading()))
	for _, name := range names(made) {
		require.Equal(c.t, made[name], followed[name], "%s after %s, step %d", name, what, c.moves)
	}
	told := map[string]bool{}
	for _, one := range changes {
		told[one.Part.String()+one.ID] = true
	}
	told["status"] = told["head"] || told["inbox"] || told["agents"]
	for _, name := range names(made) {
		if made[name] != c.shown[name] {
			require.True(c.t, told[name] || told["task"] && strings.HasPrefix(name, "task"), "%s changed by %s, step %d, and nobody was told: %v\n%s\n%s", name, what, c.moves, changes, c.shown[name], made[name])
		}
	}
	c.shown = made
}

func names(answers map[string]string) (list []string) {
	for name := range answers {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// answers are the answers of every method, by the part that they belong to.
func (c *follower) answers(p *Picture) map[string]string {
	answers := map[string]string{}
	for name, value := range map[string]any{
		"status": p.Status(), "inbox": p.Inbox().All(), "flow": p.Flow(), "agents": p.Agents(), "alarms": p.Alarms(),
		"log": LogValue(p.Log(5)), "graph": GraphOf(p.Reading().Board, ""), "head": []any{p.Waiting(), p.CanTake(), p.Verifies(), len(p.Verifying())},
	} {
		text, err := json.Marshal(value)
		require.NoError(c.t, err)
		answers[name] = string(text)
	}
	answers["inbox"] += p.Inbox().Text(80, strings.ToUpper)[:10] + fmt.Sprint(p.Inbox().Keys())
	for _, column := range p.Flow() {
		for _, row := range column.Rows {
			answers["task"+string(row.ID)] = fmt.Sprintf("%+v %v %d", *row.Summary(), row.Wait, row.Level)
		}
	}
	require.NoError(c.t, p.Reading().Board.Err())
	return answers
}

// edit changes documents, and returns their keys. A document that is nil removes a task.
func (c *follower) edit(edits ...flow.Edit) (keys []flow.Key) {
	c.docs = c.docs.With(edits)
	for _, e := range edits {
		keys = append(keys, e.Key)
	}
	return keys
}

// pick returns one of a list.
func pick[T any](c *follower, list ...T) T { return list[c.IntN(len(list))] }

func (c *follower) someTask() flow.TaskID { return flow.TaskID(fmt.Sprint("task-", c.IntN(14))) }

func (c *follower) someTasks() (list []flow.TaskID) {
	for range c.IntN(3) {
		list = append(list, c.someTask())
	}
	return list
}

// documents are one to three documents that change.
func (c *follower) documents() (list []flow.Edit) {
	for range 1 + c.IntN(3) {
		switch c.IntN(18) {
		case 0:
			list = append(list, c.settings())
		case 1:
			list = append(list, c.goal(pick(c, flow.GoalID("goal-1"), "goal-2")))
		case 2:
			list = append(list, c.agent())
		case 3:
			id := flow.RecordID(fmt.Sprint("sprint-1/", 1+c.IntN(3)))
			d := &flow.Discovery{ID: id, Text: "found", Urgency: pick(c, "immediate", "deferred"), At: c.at}
			if c.IntN(2) == 0 {
				d.Deferred = &flow.Deferral{Until: c.at.Add(time.Duration(c.IntN(200)) * time.Second)}
			}
			list = append(list, flow.Edit{Key: flow.Key{Folder: flow.Discovered, ID: string(id)}, Document: d})
		case 4:
			list = append(list, c.text())
		case 5:
			id := flow.RecordID(fmt.Sprint("sprint-1/", 4+c.IntN(3)))
			q := &flow.Question{ID: id, Task: c.someTask(), Text: "which?", Asked: c.at}
			if c.IntN(2) == 0 {
				q.At, q.Answer = c.at, "that"
			}
			list = append(list, flow.Edit{Key: flow.Key{Folder: flow.Questions, ID: string(id)}, Document: q})
		case 6, 7:
			list = append(list, c.move()...)
		case 8:
			list = append(list, c.sprint("sprint-1"))
		case 9:
			list = append(list, c.level())
		case 10:
			list = append(list, c.outages())
		default:
			list = append(list, flow.Edit{Key: flow.Key{Folder: flow.Tasks}, Document: c.task(c.someTask())})
		}
	}
	seen := map[flow.Key]bool{}
	list = slices.DeleteFunc(list, func(e flow.Edit) bool {
		again := seen[e.Key]
		seen[e.Key] = true
		return again
	})
	for i := range list {
		if t, ok := list[i].Document.(*flow.Task); ok && list[i].Key.ID == "" {
			list[i].Key.ID = string(t.ID)
			if slices.ContainsFunc(list[:i], func(e flow.Edit) bool { return e.Key.ID == string(t.ID) }) {
				list[i] = c.sprint("sprint-1")
			}
		}
	}
	return list
}

func (c *follower) settings() flow.Edit {
	s := &flow.Settings{Format: flow.NewestFormat, Board: "b", Goal: pick(c, flow.GoalID("goal-1"), "goal-1", "goal-2"), Config: flow.DefaultConfig(), Next: flow.Counters{Goal: 3, Sprint: 2},
		Control:     flow.ControlState{State: pick(c, flow.Running, flow.Running, flow.Running, flow.Paused, flow.Checkpoint), At: c.at, By: "human:ann", Reason: "why"},
		Integration: flow.Branch{Name: "integration", Tip: "1234567890123456789012345678901234567890"}}
	if c.IntN(3) == 0 {
		s.Config.Budgets.Task.Tokens = 10
	}
	s.Config.Schedule.Barrier = pick(c, 0, flow.LevelBarrier)
	return flow.Edit{Key: flow.Key{Folder: flow.SettingsDoc}, Document: s}
}

func (c *follower) goal(id flow.GoalID) flow.Edit {
	g := &flow.Goal{ID: id, Title: "Ship it", Spec: "vision.md", Status: pick(c, flow.InProgress, flow.InProgress, flow.InProgress, flow.Completed), Created: noon,
		Priority: 3, Sprint: "sprint-1", Added: c.IntN(3), Usage: flow.Usage{Sessions: 1, Input: int64(c.IntN(100))}}
	if c.IntN(3) == 0 {
		g.Hold = &flow.Hold{Checkpoint: "checkpoint-1", Decision: pick(c, "REPLAN", "PIVOT"), Message: "why", By: "human:ann", At: c.at, Tasks: c.someTasks()}
	}
	if c.IntN(2) == 0 {
		g.Schedule = &flow.Schedule{Barrier: pick(c, 0, flow.NoBarrier, flow.LevelBarrier), Levels: pick(c, nil, []string{"first"})}
	}
	if c.IntN(3) == 0 {
		g.Pressure = []flow.Pressure{{Cap: c.IntN(3)}}
	}
	return flow.Edit{Key: flow.Key{Folder: flow.Goals, ID: string(id)}, Document: g}
}

// level records the first level of a goal, or takes back what is recorded.
func (c *follower) level() flow.Edit {
	l := &flow.Level{Goal: pick(c, flow.GoalID("goal-1"), "goal-2"), Number: 1, Passed: c.IntN(2) == 0, Tip: "1234567890123456789012345678901234567890", At: c.at}
	e := flow.Edit{Key: flow.Key{Folder: flow.Levels, ID: l.ID()}, Document: l}
	if c.IntN(3) == 0 {
		e.Document = nil
	}
	return e
}

func (c *follower) outages() flow.Edit {
	e := flow.Edit{Key: flow.Key{Folder: flow.OutagesDoc}}
	if c.IntN(2) == 0 {
		e.Document = &flow.Outages{List: []flow.Outage{{Gate: "test", Host: "h1", Error: "no space", By: "human:ann", At: c.at}}}
	}
	return e
}

func (c *follower) sprint(id flow.SprintID) flow.Edit {
	return flow.Edit{Key: flow.Key{Folder: flow.Sprints, ID: string(id)}, Document: &flow.Sprint{ID: id, Goal: "goal-1", Status: flow.InProgress, Started: noon,
		Deadline: noon.Add(time.Duration(c.IntN(7200)) * time.Second)}}
}

func (c *follower) text() flow.Edit {
	path := pick(c, "vision.md", "spec.md")
	doc := &flow.TrackedPath{Path: path, Blob: flow.ObjectID(pick(c, "a", "b") + "234567890123456789012345678901234567890"), By: pick(c, flow.Actor("human:ann"), "planner-1"), At: c.at}
	return flow.Edit{Key: flow.Key{Folder: flow.Tracked, ID: flow.TrackedID(path)}, Document: doc}
}

func (c *follower) agent() flow.Edit {
	id := pick(c, flow.AgentID("coder-1"), "coder-2", "code-reviewer-1", "planner-1")
	a := &flow.Agent{ID: id, Role: id.Role(), Generation: "0123456789abcdef", Registered: noon, Degraded: pick(c, "", "", "", "it lies")}
	switch c.IntN(3) {
	case 0:
		a.Task = c.someTask()
	case 1:
		a.Review = c.someTask()
	}
	return flow.Edit{Key: flow.Key{Folder: flow.Agents, ID: string(id)}, Document: a}
}

// move archives a task, or takes it out of the archive.
func (c *follower) move() []flow.Edit {
	id := c.someTask()
	live, archived := flow.Key{Folder: flow.Tasks, ID: string(id)}, flow.Key{Folder: flow.Archive, ID: string(id)}
	doc, _ := c.docs.Load(live)
	if t, ok := doc.(*flow.Task); ok && t.Status.Final() {
		if again := *t; t.Status.IsMerged() && c.IntN(3) == 0 {
			again.Reverted = &flow.Reverted{At: c.at}
			return []flow.Edit{{Key: live}, {Key: archived, Document: &again}}
		}
		return []flow.Edit{{Key: live}, {Key: archived, Document: t}}
	}
	doc, _ = c.docs.Load(archived)
	if t, ok := doc.(*flow.Task); ok {
		changed := *t
		changed.Reverted, changed.SupersededBy = nil, nil
		if t.Status.IsMerged() && c.IntN(2) == 0 {
			changed.Reverted, changed.SupersededBy = &flow.Reverted{At: c.at}, c.someTasks()
		}
		return []flow.Edit{{Key: archived, Document: &changed}}
	}
	return nil
}

func (c *follower) lease() time.Time { return c.at.Add(time.Duration(c.IntN(300)-60) * time.Second) }

func (c *follower) task(id flow.TaskID) *flow.Task {
	created := noon.Add(time.Duration(c.IntN(2)) * time.Second)
	if doc, _ := c.docs.Load(flow.Key{Folder: flow.Archive, ID: string(id)}); doc != nil {
		id += "0" // ids are not used twice
	}
	if doc, _ := c.docs.Load(flow.Key{Folder: flow.Tasks, ID: string(id)}); doc != nil {
		created = doc.(*flow.Task).Created
	}
	t := &flow.Task{ID: id, Title: "Work on " + string(id), Kind: flow.Code, Goal: pick(c, flow.GoalID("goal-1"), "goal-1", "goal-2"), Sprint: "sprint-1", Spec: pick(c, "spec.md", "vision.md"),
		Priority: 1 + c.IntN(3), DependsOn: c.someTasks(), Created: created, Changed: c.at, Status: pick(c, flow.Statuses()...), Verify: pick(c, "", "make"),
		Usage: flow.Usage{Input: int64(c.IntN(20))}, Level: 1 + c.IntN(3)}
	if c.IntN(4) == 0 {
		t.Retry = &flow.Retry{Count: 1, NotBefore: c.at.Add(time.Duration(c.IntN(100)) * time.Second)}
	}
	if c.IntN(4) > 0 {
		t.Attempt = &flow.Attempt{Number: 1 + c.IntN(2), Coder: pick(c, flow.Actor("coder-1"), "coder-2", "human:bob"), Iteration: c.IntN(10), Cycles: c.IntN(5)}
	}
	switch t.Status {
	case flow.Claimed:
		t.Attempt = &flow.Attempt{Number: 1, Coder: "coder-1"}
		t.Claim = &flow.Claim{By: "coder-1", Since: c.at, Lease: c.lease()}
	case flow.ReadyForReview, flow.Approved:
		t.Submission = &flow.Submission{Number: 1, Commit: "1234567890123456789012345678901234567890", At: c.at, ReviewBy: []flow.Role{flow.CodeReviewer, pick(c, flow.HumanRole, "gates")}}
		j := flow.Judgement{Role: pick(c, t.Submission.ReviewBy...)}
		if c.IntN(2) == 0 {
			j.Review = &flow.Review{By: pick(c, flow.Actor("code-reviewer-1"), "human:bob"), Since: c.at, Lease: c.lease()}
		} else {
			j.Verdict = &flow.Verdict{Commit: t.Submission.Commit, By: "code-reviewer-1", At: c.at, Texts: []flow.TextRef{{Path: t.Spec, Hash: "a234567890123456789012345678901234567890"}}}
		}
		t.Judgements = []flow.Judgement{j}
	case flow.Blocked:
		t.Block = &flow.Block{Reason: "stuck", At: c.at, Asked: []flow.RecordID{flow.RecordID(fmt.Sprint("sprint-1/", 4+c.IntN(3)))}, From: pick(c, 0, flow.Claimed), To: pick(c, "", flow.HumanRole)}
	case flow.IntegrationFailed:
		t.Integration = &flow.Integration{At: c.at, Gate: "make"}
	case flow.Merged:
		t.Merge = &flow.Merge{At: c.at, Drift: c.IntN(50)}
		if c.IntN(3) == 0 {
			t.Reverted, t.SupersededBy = &flow.Reverted{At: c.at}, c.someTasks()
		}
	}
	return t
}

// A picture may be another one when the next try of a claim or of a review may begin.
func TestPictureIsDueAtTheNextTry(t *testing.T) {
	t.Parallel()
	again := noon.Add(40 * time.Second)
	failed := taskIn("failed", flow.Unclaimed)
	failed.Retry = &flow.Retry{Count: 2, NotBefore: again}
	lost := taskIn("lost", flow.ReadyForReview)
	lost.Submission = &flow.Submission{Number: 1, ReviewBy: []flow.Role{flow.CodeReviewer}}
	lost.Judgements = []flow.Judgement{{Role: flow.CodeReviewer, NoVerdicts: 1, NotBefore: again}}
	for _, task := range []*flow.Task{failed, lost} {
		r := Reading{Board: graphBoard([]*flow.Task{task}), At: noon, Person: flow.Caller{By: "human:ann"}}
		require.Equal(t, again, NewPicture(r).Due(), task.ID)
		r.At = again
		require.NotEqual(t, again, NewPicture(r).Due())
	}
	r := Reading{Board: graphBoard([]*flow.Task{lost}), At: noon, Person: flow.Caller{By: "human:ann"}}
	require.Contains(t, r.WhyOf(lost).Text(0), "waits for the next review by code-reviewer: the last one ended without a verdict\n  until 2026-01-17 12:00:40Z")
	r.At = again
	require.NotContains(t, r.WhyOf(lost).For, "next")
}

// machine is what a machine may know.
func (c *follower) machine() Local {
	l := Local{Presences: map[flow.AgentID]gitstore.Presence{}, Dead: map[flow.AgentID]int{}, Untrusted: map[flow.TaskID]Step{}, Snoozed: map[string]time.Time{}}
	for _, id := range []flow.AgentID{"coder-1", "planner-1", "code-reviewer-1"} {
		if c.IntN(2) == 0 {
			l.Presences[id] = gitstore.Presence{Agent: id, At: c.now, Every: flow.Duration(time.Duration(1+c.IntN(60)) * time.Second), Doing: pick(c, "coding", gitstore.Failing), Since: noon}
		} else if c.IntN(2) == 0 {
			l.Dead[id] = 4711
		}
	}
	for range c.IntN(3) {
		l.Untrusted[c.someTask()] = Step{"git liza trust 1234", "nobody allowed it"}
	}
	for _, key := range c.picture.Inbox().Keys() {
		if c.IntN(4) == 0 {
			l.Snoozed[key] = c.now.Add(time.Duration(c.IntN(100)) * time.Second)
		}
	}
	if c.IntN(2) == 0 {
		l.Active = []metrics.Active{{By: "coder-1", At: c.now.Unix() - 3600 + c.Int64N(60), Approved: 20}}
	}
	l.Take = pick(c, "", "git merge integration")
	if c.IntN(3) == 0 {
		l.Needs = []Need{{Kind: "paused", Subject: "claude", Text: "claude is paused", Command: "git liza providers resume claude", Since: noon}}
	}
	return l
}
