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
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A follower is a board that changes at random, with a picture that follows it.
type follower struct {
	*rand.Rand
	t       *testing.T
	docs    board.Documents
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
	return Reading{Board: board.Open(c.docs, c.at), Tip: board.ObjectID(fmt.Sprint(c.moves)), At: c.now, Person: flow.Caller{By: "human:ann"},
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
		delta := gitstore.Delta{From: board.ObjectID(fmt.Sprint(c.moves)), Keys: c.edit(c.documents()...)}
		c.moves++
		delta.To = board.ObjectID(fmt.Sprint(c.moves))
		move := flow.Move{Act: board.ActNote, By: "human:ann", At: c.at, Detail: &flow.NoteMove{For: "all", Text: fmt.Sprint(c.moves)}}
		delta.Events = []gitstore.Event{{Commit: delta.To, Parent: delta.From, Move: move}}
		c.log = append([]Entry{{State: delta.To, Move: move}}, c.log...)
		if delta.Whole = c.IntN(20) == 0; delta.Whole {
			delta.Keys, c.log = nil, c.log[:1]
		}
		changes = c.picture.Advance(board.Open(c.docs, c.at), delta.To, delta, c.now)
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
func (c *follower) edit(edits ...board.Edit) (keys []board.Key) {
	c.docs = c.docs.With(edits)
	for _, e := range edits {
		keys = append(keys, e.Key)
	}
	return keys
}

// pick returns one of a list.
func pick[T any](c *follower, list ...T) T { return list[c.IntN(len(list))] }

func (c *follower) someTask() board.TaskID { return board.TaskID(fmt.Sprint("task-", c.IntN(14))) }

func (c *follower) someTasks() (list []board.TaskID) {
	for range c.IntN(3) {
		list = append(list, c.someTask())
	}
	return list
}

// documents are one to three documents that change.
func (c *follower) documents() (list []board.Edit) {
	for range 1 + c.IntN(3) {
		switch c.IntN(18) {
		case 0:
			list = append(list, c.settings())
		case 1:
			list = append(list, c.goal(pick(c, board.GoalID("goal-1"), "goal-2")))
		case 2:
			list = append(list, c.agent())
		case 3:
			id := board.RecordID(fmt.Sprint("sprint-1/", 1+c.IntN(3)))
			d := &board.Discovery{ID: id, Text: "found", Urgency: pick(c, "immediate", "deferred"), At: c.at}
			if c.IntN(2) == 0 {
				d.Deferred = &board.Deferral{Until: c.at.Add(time.Duration(c.IntN(200)) * time.Second)}
			}
			list = append(list, board.Edit{Key: board.Key{Folder: board.Discovered, ID: string(id)}, Document: d})
		case 4:
			list = append(list, c.text())
		case 5:
			id := board.RecordID(fmt.Sprint("sprint-1/", 4+c.IntN(3)))
			q := &board.Question{ID: id, Task: c.someTask(), Text: "which?", Asked: c.at}
			if c.IntN(2) == 0 {
				q.At, q.Answer = c.at, "that"
			}
			list = append(list, board.Edit{Key: board.Key{Folder: board.Questions, ID: string(id)}, Document: q})
		case 6, 7:
			list = append(list, c.move()...)
		case 8:
			list = append(list, c.sprint("sprint-1"))
		case 9:
			list = append(list, c.level())
		case 10:
			list = append(list, c.outages())
		default:
			list = append(list, board.Edit{Key: board.Key{Folder: board.Tasks}, Document: c.task(c.someTask())})
		}
	}
	seen := map[board.Key]bool{}
	list = slices.DeleteFunc(list, func(e board.Edit) bool {
		again := seen[e.Key]
		seen[e.Key] = true
		return again
	})
	for i := range list {
		if t, ok := list[i].Document.(*board.Task); ok && list[i].Key.ID == "" {
			list[i].Key.ID = string(t.ID)
			if slices.ContainsFunc(list[:i], func(e board.Edit) bool { return e.Key.ID == string(t.ID) }) {
				list[i] = c.sprint("sprint-1")
			}
		}
	}
	return list
}

func (c *follower) settings() board.Edit {
	s := &board.Settings{Format: board.NewestFormat, Board: "b", Goal: pick(c, board.GoalID("goal-1"), "goal-1", "goal-2"), Config: board.DefaultConfig(), Next: board.Counters{Goal: 3, Sprint: 2},
		Control:     board.ControlState{State: pick(c, board.Running, board.Running, board.Running, board.Paused, board.Checkpoint), At: c.at, By: "human:ann", Reason: "why"},
		Integration: board.Branch{Name: "integration", Tip: "1234567890123456789012345678901234567890"}}
	if c.IntN(3) == 0 {
		s.Config.Budgets.Task.Tokens = 10
	}
	s.Config.Schedule.Barrier = pick(c, 0, board.LevelBarrier)
	return board.Edit{Key: board.Key{Folder: board.SettingsDoc}, Document: s}
}

func (c *follower) goal(id board.GoalID) board.Edit {
	g := &board.Goal{ID: id, Title: "Ship it", Spec: "vision.md", Status: pick(c, board.InProgress, board.InProgress, board.InProgress, board.Completed), Created: noon,
		Priority: 3, Sprint: "sprint-1", Added: c.IntN(3), Usage: board.Usage{Sessions: 1, Input: int64(c.IntN(100))}}
	if c.IntN(3) == 0 {
		g.Hold = &board.Hold{Checkpoint: "checkpoint-1", Decision: pick(c, "REPLAN", "PIVOT"), Message: "why", By: "human:ann", At: c.at, Tasks: c.someTasks()}
	}
	if c.IntN(2) == 0 {
		g.Schedule = &board.Schedule{Barrier: pick(c, 0, board.NoBarrier, board.LevelBarrier), Levels: pick(c, nil, []string{"first"})}
	}
	if c.IntN(3) == 0 {
		g.Pressure = []board.Pressure{{Cap: c.IntN(3)}}
	}
	return board.Edit{Key: board.Key{Folder: board.Goals, ID: string(id)}, Document: g}
}

// level records the first level of a goal, or takes back what is recorded.
func (c *follower) level() board.Edit {
	l := &board.Level{Goal: pick(c, board.GoalID("goal-1"), "goal-2"), Number: 1, Passed: c.IntN(2) == 0, Tip: "1234567890123456789012345678901234567890", At: c.at}
	e := board.Edit{Key: board.Key{Folder: board.Levels, ID: l.ID()}, Document: l}
	if c.IntN(3) == 0 {
		e.Document = nil
	}
	return e
}

func (c *follower) outages() board.Edit {
	e := board.Edit{Key: board.Key{Folder: board.OutagesDoc}}
	if c.IntN(2) == 0 {
		e.Document = &board.Outages{List: []board.Outage{{Gate: "test", Host: "h1", Error: "no space", By: "human:ann", At: c.at}}}
	}
	return e
}

func (c *follower) sprint(id board.SprintID) board.Edit {
	return board.Edit{Key: board.Key{Folder: board.Sprints, ID: string(id)}, Document: &board.Sprint{ID: id, Goal: "goal-1", Status: board.InProgress, Started: noon,
		Deadline: noon.Add(time.Duration(c.IntN(7200)) * time.Second)}}
}

func (c *follower) text() board.Edit {
	path := pick(c, "vision.md", "spec.md")
	doc := &board.TrackedPath{Path: path, Blob: board.ObjectID(pick(c, "a", "b") + "234567890123456789012345678901234567890"), By: pick(c, board.Actor("human:ann"), "planner-1"), At: c.at}
	return board.Edit{Key: board.Key{Folder: board.Tracked, ID: board.TrackedID(path)}, Document: doc}
}

func (c *follower) agent() board.Edit {
	id := pick(c, board.AgentID("coder-1"), "coder-2", "code-reviewer-1", "planner-1")
	a := &board.Agent{ID: id, Role: id.Role(), Generation: "0123456789abcdef", Registered: noon, Degraded: pick(c, "", "", "", "it lies")}
	switch c.IntN(3) {
	case 0:
		a.Task = c.someTask()
	case 1:
		a.Review = c.someTask()
	}
	return board.Edit{Key: board.Key{Folder: board.Agents, ID: string(id)}, Document: a}
}

// move archives a task, or takes it out of the archive.
func (c *follower) move() []board.Edit {
	id := c.someTask()
	live, archived := board.Key{Folder: board.Tasks, ID: string(id)}, board.Key{Folder: board.Archive, ID: string(id)}
	doc, _ := c.docs.Load(live)
	if t, ok := doc.(*board.Task); ok && t.Status.Final() {
		if again := *t; t.Status.IsMerged() && c.IntN(3) == 0 {
			again.Reverted = &board.Reverted{At: c.at}
			return []board.Edit{{Key: live}, {Key: archived, Document: &again}}
		}
		return []board.Edit{{Key: live}, {Key: archived, Document: t}}
	}
	doc, _ = c.docs.Load(archived)
	if t, ok := doc.(*board.Task); ok {
		changed := *t
		changed.Reverted, changed.SupersededBy = nil, nil
		if t.Status.IsMerged() && c.IntN(2) == 0 {
			changed.Reverted, changed.SupersededBy = &board.Reverted{At: c.at}, c.someTasks()
		}
		return []board.Edit{{Key: archived, Document: &changed}}
	}
	return nil
}

func (c *follower) lease() time.Time { return c.at.Add(time.Duration(c.IntN(300)-60) * time.Second) }

func (c *follower) task(id board.TaskID) *board.Task {
	created := noon.Add(time.Duration(c.IntN(2)) * time.Second)
	if doc, _ := c.docs.Load(board.Key{Folder: board.Archive, ID: string(id)}); doc != nil {
		id += "0" // ids are not used twice
	}
	if doc, _ := c.docs.Load(board.Key{Folder: board.Tasks, ID: string(id)}); doc != nil {
		created = doc.(*board.Task).Created
	}
	t := &board.Task{ID: id, Title: "Work on " + string(id), Kind: board.Code, Goal: pick(c, board.GoalID("goal-1"), "goal-1", "goal-2"), Sprint: "sprint-1", Spec: pick(c, "spec.md", "vision.md"),
		Priority: 1 + c.IntN(3), DependsOn: c.someTasks(), Created: created, Changed: c.at, Status: pick(c, board.Statuses()...), Verify: pick(c, "", "make"),
		Usage: board.Usage{Input: int64(c.IntN(20))}, Level: 1 + c.IntN(3)}
	if c.IntN(4) == 0 {
		t.Retry = &board.Retry{Count: 1, NotBefore: c.at.Add(time.Duration(c.IntN(100)) * time.Second)}
	}
	if c.IntN(4) > 0 {
		t.Attempt = &board.Attempt{Number: 1 + c.IntN(2), Coder: pick(c, board.Actor("coder-1"), "coder-2", "human:bob"), Iteration: c.IntN(10), Cycles: c.IntN(5)}
	}
	switch t.Status {
	case board.Claimed:
		t.Attempt = &board.Attempt{Number: 1, Coder: "coder-1"}
		t.Claim = &board.Claim{By: "coder-1", Since: c.at, Lease: c.lease()}
	case board.ReadyForReview, board.Approved:
		t.Submission = &board.Submission{Number: 1, Commit: "1234567890123456789012345678901234567890", At: c.at, ReviewBy: []board.Role{board.CodeReviewer, pick(c, board.HumanRole, "gates")}}
		j := board.Judgement{Role: pick(c, t.Submission.ReviewBy...)}
		if c.IntN(2) == 0 {
			j.Review = &board.Review{By: pick(c, board.Actor("code-reviewer-1"), "human:bob"), Since: c.at, Lease: c.lease()}
		} else {
			j.Verdict = &board.Verdict{Commit: t.Submission.Commit, By: "code-reviewer-1", At: c.at, Texts: []board.TextRef{{Path: t.Spec, Hash: "a234567890123456789012345678901234567890"}}}
		}
		t.Judgements = []board.Judgement{j}
	case board.Blocked:
		t.Block = &board.Block{Reason: "stuck", At: c.at, Asked: []board.RecordID{board.RecordID(fmt.Sprint("sprint-1/", 4+c.IntN(3)))}, From: pick(c, 0, board.Claimed), To: pick(c, "", board.HumanRole)}
	case board.IntegrationFailed:
		t.Integration = &board.Integration{At: c.at, Gate: "make"}
	case board.Merged:
		t.Merge = &board.Merge{At: c.at, Drift: c.IntN(50)}
		if c.IntN(3) == 0 {
			t.Reverted, t.SupersededBy = &board.Reverted{At: c.at}, c.someTasks()
		}
	}
	return t
}

// A picture may be another one when the next try of a claim or of a review may begin.
func TestPictureIsDueAtTheNextTry(t *testing.T) {
	t.Parallel()
	again := noon.Add(40 * time.Second)
	failed := taskIn("failed", board.Unclaimed)
	failed.Retry = &board.Retry{Count: 2, NotBefore: again}
	lost := taskIn("lost", board.ReadyForReview)
	lost.Submission = &board.Submission{Number: 1, ReviewBy: []board.Role{board.CodeReviewer}}
	lost.Judgements = []board.Judgement{{Role: board.CodeReviewer, NoVerdicts: 1, NotBefore: again}}
	for _, task := range []*board.Task{failed, lost} {
		r := Reading{Board: graphBoard([]*board.Task{task}), At: noon, Person: flow.Caller{By: "human:ann"}}
		require.Equal(t, again, NewPicture(r).Due(), task.ID)
		r.At = again
		require.NotEqual(t, again, NewPicture(r).Due())
	}
	r := Reading{Board: graphBoard([]*board.Task{lost}), At: noon, Person: flow.Caller{By: "human:ann"}}
	require.Contains(t, r.WhyOf(lost).Text(0), "waits for the next review by code-reviewer: the last one ended without a verdict\n  until 2026-01-17 12:00:40Z")
	r.At = again
	require.NotContains(t, r.WhyOf(lost).For, "next")
}

// machine is what a machine may know.
func (c *follower) machine() Local {
	l := Local{Presences: map[board.AgentID]gitstore.Presence{}, Dead: map[board.AgentID]int{}, Untrusted: map[board.TaskID]Step{}, Snoozed: map[string]time.Time{}}
	for _, id := range []board.AgentID{"coder-1", "planner-1", "code-reviewer-1"} {
		if c.IntN(2) == 0 {
			l.Presences[id] = gitstore.Presence{Agent: id, At: c.now, Every: board.Duration(time.Duration(1+c.IntN(60)) * time.Second), Doing: pick(c, "coding", gitstore.Failing), Since: noon}
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
