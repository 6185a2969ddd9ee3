package main

import (
	"bufio"
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A generator writes the documents of a board to fast-import: archived tasks, live ones
// in all states, the agents that hold some, and the measured tasks.
type generator struct {
	settings       board.Settings
	sprint         board.SprintID
	live, archived int
	begun          time.Time
	to             *bufio.Writer
	err            error
}

func (c *clone) generator(live, archived int) (*generator, error) {
	s, sprint, err := c.settings()
	return &generator{settings: s, sprint: sprint, live: live, archived: archived, begun: s.Control.At}, err
}

func (g *generator) print(text string) {
	if g.err == nil {
		_, g.err = g.to.WriteString(text)
	}
}

func (g *generator) data(text string) { g.print(fmt.Sprintf("data %d\n%s\n", len(text), text)) }

func (g *generator) document(folder board.Folder, id string, doc board.Document) {
	if g.err != nil {
		return
	}
	data, err := document.EncodeAt(g.settings.Format, doc)
	if err != nil {
		g.err = err
		return
	}
	g.print("M 100644 inline " + gitstore.DocumentPath(board.Key{Folder: folder, ID: id}) + "\n")
	g.data(string(data))
}

// commit begins the commit of a move; its documents follow. from says which commit it
// follows, if that is not the one before.
func (g *generator) commit(m flow.Move, from string) {
	body, err := document.EncodeAt(g.settings.Format, &m)
	if err != nil {
		g.err = cmp.Or(g.err, err)
		return
	}
	who := fmt.Sprintf("%s <%s@liza.invalid> %d +0000\n", m.By, m.By, m.At.Unix())
	g.print("commit " + layout.State + "\nauthor " + who + "committer " + who)
	g.data(m.Subject() + "\n\n" + string(body))
	g.print(from)
}

func (g *generator) documents() {
	s := g.settings
	s.Next.Task = g.archived + g.live + 1
	g.document(board.SettingsDoc, "", &s)
	for n := 1; n <= g.archived; n++ {
		t := g.merged(n)
		g.document(board.Archive, string(t.ID), t)
	}
	for n := range g.live {
		t := g.liveTask(n)
		g.document(board.Tasks, string(t.ID), t)
	}
	for n := range benchTasks {
		t := g.task(0)
		t.ID, t.Owns = benchTask(n), []string{fmt.Sprintf("bench/%d/**", n)}
		t.Limits = &board.Limits{Iterations: 1 << 30} // it will be claimed often
		g.document(board.Tasks, string(t.ID), t)
	}
}

// task returns the n-th task as planned.
func (g *generator) task(n int) *board.Task {
	return &board.Task{
		ID: board.TaskID(fmt.Sprintf("task-%d", n)), Status: board.Unclaimed, Kind: board.Code, Goal: g.settings.Goal, Sprint: g.sprint,
		Title:    fmt.Sprintf("Answer request number %d within its limit", n),
		DoneWhen: fmt.Sprintf("go test ./part/%d passes, and a request that takes too long is refused with a reason", n),
		Spec:     "specs/vision.md#limits", Scope: fmt.Sprintf("part/%d and its tests; nothing of the protocol", n),
		Priority: 1 + n%5, Owns: []string{fmt.Sprintf("part/%d/**", n)}, Verify: fmt.Sprintf("go test ./part/%d/...", n),
		Created: g.planned(n), CreatedBy: "planner-1", Changed: g.planned(n),
	}
}

// planned returns when the n-th task was added: one each minute, the last one before
// the board's first real move.
func (g *generator) planned(n int) time.Time {
	return g.begun.Add(time.Duration(n-g.archived-g.live) * time.Minute)
}

// merged returns a task that went through all states.
func (g *generator) merged(n int) *board.Task {
	t := g.submitted(n)
	t.Status = board.Merged
	t.Judgements = []board.Judgement{{Role: board.CodeReviewer, Verdict: &board.Verdict{Commit: t.Submission.Commit, Tree: t.Submission.Tree,
		By: "code-reviewer-1", At: g.begun, Message: "Read in full, tests run; the limit holds"}}}
	t.Merge = &board.Merge{Commit: object(n, "merge"), Onto: object(n-1, "merge"), Tree: object(n, "merged"), Drift: n % 3, By: "code-reviewer-1", At: g.begun,
		Receipts: []board.Receipt{{Gate: "test", Command: "go test ./...", Tree: object(n, "merged"), Duration: "12s", By: "code-reviewer-1"}}}
	return t
}

// submitted returns a task that waits for its review.
func (g *generator) submitted(n int) *board.Task {
	t := g.task(n)
	coder := board.Actor(fmt.Sprintf("coder-%d", 100+n%50))
	t.Status, t.Attempts, t.Saves, t.Submissions = board.ReadyForReview, 1, 1, 1
	t.Attempt = &board.Attempt{Number: 1, Coder: coder, Base: object(n, "base"), Start: object(n, "base"), Iteration: 1 + n%3}
	t.Coders = []board.Worker{{By: coder}}
	t.Intent = &board.Intent{Summary: "Count the time and refuse what exceeds it", Validation: "The new test fails without the change",
		Files: []string{fmt.Sprintf("part/%d/limit.go", n), fmt.Sprintf("part/%d/limit_test.go", n)}, At: g.begun}
	t.Submission = &board.Submission{Number: 1, Save: 1, Commit: object(n, "commit"), Tree: object(n, "tree"), Base: object(n, "base"), Changed: 2,
		Paths: t.Intent.Files, At: g.begun, ReviewBy: []board.Role{board.CodeReviewer}}
	return t
}

// liveTask returns the n-th task outside the archive. Of twenty, one is a draft, two
// are merged, one waits for review, one is blocked, one is claimed (of the first few
// hundred), and the others are free or depend on another one.
func (g *generator) liveTask(n int) *board.Task {
	id := g.archived + 1 + n
	t := g.task(id)
	switch n % 20 {
	case 0:
		t.Status = board.Draft
	case 1, 2:
		t = g.merged(id)
	case 3:
		t = g.submitted(id)
	case 4:
		t.Status = board.Blocked
		asked := &board.Question{ID: board.RecordID(fmt.Sprintf("sprint-1/%d", 1+n)), Task: t.ID, From: "coder-99", Text: "Is zero no limit, or no time?", Asked: g.begun}
		g.document(board.Questions, string(asked.ID), asked)
		t.Block = &board.Block{Reason: "The spec does not say what a limit of zero means", Questions: []string{asked.Text}, Asked: []board.RecordID{asked.ID}, By: "coder-99", At: g.begun}
		t.Failures = []board.Failure{{Coder: "coder-99", Reason: t.Block.Reason, At: g.begun}}
	case 5:
		if n < 320 {
			g.claimed(t, board.AgentID(fmt.Sprintf("coder-%d", 1000+n)))
		}
	case 6, 7:
		t.DependsOn = []board.TaskID{board.TaskID(fmt.Sprintf("task-%d", id-5))} // merged
	case 8, 9, 10:
		t.DependsOn = []board.TaskID{board.TaskID(fmt.Sprintf("task-%d", id-5))} // not merged
	}
	return t
}

// claimed gives a task to an agent, for longer than a measurement takes.
func (g *generator) claimed(t *board.Task, agent board.AgentID) {
	by := board.Actor(agent)
	t.Status, t.Attempts = board.Claimed, 1
	t.Attempt = &board.Attempt{Number: 1, Coder: by, Base: g.settings.Integration.Tip, Start: g.settings.Integration.Tip, Iteration: 1}
	t.Coders = []board.Worker{{By: by}}
	t.Claim = &board.Claim{By: by, Since: g.begun, Lease: g.begun.Add(24 * time.Hour), From: board.Unclaimed}
	g.document(board.Agents, string(agent), &board.Agent{ID: agent, Role: board.Coder, Registered: g.begun, Task: t.ID})
}

// object returns the id of an object that does not exist.
func object(n int, what string) board.ObjectID {
	sum := sha1.Sum(fmt.Appendf(nil, "%s %d", what, n))
	return board.ObjectID(hex.EncodeToString(sum[:]))
}
