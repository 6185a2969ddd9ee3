package flow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// TestCheckFindsBreaches spoils one thing on a sound board at a time.
func TestCheckFindsBreaches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status board.Status
		spoil  func(*board.Task)
	}{
		"a claimed task without claim":   {board.Claimed, func(t *board.Task) { t.Claim = nil }},
		"a claimed task without lease":   {board.Claimed, func(t *board.Task) { t.Claim = &board.Claim{By: "coder-1"} }},
		"a claimed task without base":    {board.Claimed, func(t *board.Task) { t.Attempt.Base = "" }},
		"a claim by somebody else":       {board.Claimed, func(t *board.Task) { t.Claim.By = "coder-2" }},
		"an unclaimed task with a claim": {board.Claimed, func(t *board.Task) { t.Status = board.Unclaimed }},
		"a review without a submission":  {board.ReadyForReview, func(t *board.Task) { t.Submission = nil }},
		"a review by somebody else":      {board.ReadyForReview, own(func(j *board.Judgement) { j.Review = &board.Review{By: "code-reviewer-2"} })},
		"a review of a rejected task": {board.ReadyForReview, func(t *board.Task) {
			t.Status, t.RejectedBy = board.Rejected, board.CodeReviewer
			t.Judge(board.CodeReviewer, func(j *board.Judgement) { j.Rejection = &board.Rejection{} })
		}},
		"a rejected task without a rejection": {board.Rejected, own(func(j *board.Judgement) { j.Rejection = nil })},
		"an approval of another commit":       {board.Approved, own(func(j *board.Judgement) { j.Verdict = &board.Verdict{Commit: object("x")} })},
		"an approved task without a verdict":  {board.Approved, own(func(j *board.Judgement) { j.Verdict = nil })},
		"a rejection without a blocker":       {board.Rejected, own(func(j *board.Judgement) { j.Rejection = &board.Rejection{} })},
		"a submission that nobody judges": {board.ReadyForReview, func(t *board.Task) {
			t.Submission = board.CopyOf(t.Submission)
			t.Submission.ReviewBy = []board.Role{"security-reviewer"}
		}},
		"a submission with every verdict": {board.ReadyForReview, own(func(j *board.Judgement) { j.Verdict = &board.Verdict{Commit: object("c1")} })},
		"a verdict of a role that does not judge": {board.ReadyForReview, func(t *board.Task) {
			t.Judge("gates", func(j *board.Judgement) { j.Verdict = &board.Verdict{Commit: t.Submission.Commit} })
		}},
		"an empty judgement":                    {board.Approved, func(t *board.Task) { t.Judgements = append([]board.Judgement{{Role: "a"}}, t.Judgements...) }},
		"judgements out of order":               {board.Approved, func(t *board.Task) { t.Judgements = append(t.Judgements, board.Judgement{Role: "a", NoVerdicts: 1}) }},
		"two judgements of one role":            {board.Approved, func(t *board.Task) { t.Judgements = append(t.Judgements, t.Judgements...) }},
		"a role that does no tasks":             {board.Unclaimed, func(t *board.Task) { t.Role = "gates" }},
		"a role that is not there":              {board.Unclaimed, func(t *board.Task) { t.Role = "cook" }},
		"a review by one that does":             {board.Unclaimed, func(t *board.Task) { t.ReviewBy = []board.Role{board.Coder} }},
		"a blocked task without a block":        {board.Blocked, func(t *board.Task) { t.Block = nil }},
		"a blocked task without a question":     {board.Blocked, func(t *board.Task) { t.Block = &board.Block{Reason: "x"} }},
		"a blocked task with four questions":    {board.Blocked, func(t *board.Task) { t.Block = &board.Block{Reason: "x", Questions: make([]string, 4)} }},
		"a failed integration without a record": {board.IntegrationFailed, func(t *board.Task) { t.Integration = nil }},
		"a merged task without a merge":         {board.Merged, func(t *board.Task) { t.Merge = nil }},
		"a merged task with a claim":            {board.Merged, func(t *board.Task) { t.Claim = &board.Claim{By: "coder-1"} }},
		"a superseded task without replacement": {board.Superseded, func(t *board.Task) { t.SupersededBy = nil }},
		"an abandoned task without a reason":    {board.Abandoned, func(t *board.Task) { t.Abandoned = "" }},
		"a task without done_when":              {board.Unclaimed, func(t *board.Task) { t.DoneWhen = "" }},
		"a task without spec":                   {board.Merged, func(t *board.Task) { t.Spec = "" }},
		"a task without state":                  {board.Draft, func(t *board.Task) { t.Status = 0 }},
		"a task under another id":               {board.Draft, func(t *board.Task) { t.ID = "task-2" }},
		"a dependency on nothing":               {board.Unclaimed, func(t *board.Task) { t.DependsOn = []board.TaskID{"zz"} }},
		"a dependency on itself":                {board.Unclaimed, func(t *board.Task) { t.DependsOn = []board.TaskID{"task-1"} }},
		"a spec that is not tracked":            {board.Unclaimed, func(t *board.Task) { t.Spec = "specs/none.md" }},
		"a section that is not tracked":         {board.Unclaimed, func(t *board.Task) { t.Spec = vision + "#nowhere" }},
		"a text that is not tracked":            {board.Unclaimed, func(t *board.Task) { t.BasedOn = []string{"specs/none.md"} }},
		"too many failures":                     {board.Unclaimed, func(t *board.Task) { t.Failures = make([]board.Failure, board.MaxList+1) }},
	} {
		s := sceneAt(t, c.status)
		require.NoError(t, Check(s.board))
		spoilt := s.board.Task("task-1").Clone()
		c.spoil(spoilt)
		requireBreach(t, name, s.with(board.Key{Folder: board.Tasks, ID: "task-1"}, spoilt))
	}
}

// own changes what code-reviewers hold of a task.
func own(edit func(*board.Judgement)) func(*board.Task) {
	return func(t *board.Task) { t.Judge(board.CodeReviewer, edit) }
}

func TestCheckFindsBreachesOfTheWhole(t *testing.T) {
	t.Parallel()
	s := sceneAt(t, board.Claimed)
	settings := func(edit func(*board.Settings)) board.Document {
		c := s.board.Settings()
		edit(&c)
		return &c
	}
	path := func(edit func(*board.TrackedPath)) board.Document {
		d := *s.board.Tracked(vision)
		edit(&d)
		return &d
	}
	goal := *s.board.Goal("goal-1")
	goal.Spec = "specs/none.md"
	goalIn := func(workflow string, phase board.PhaseID) board.Document {
		g := *s.board.Goal("goal-1")
		g.Workflow, g.Phase = workflow, phase
		return &g
	}
	second := *s.board.Task("task-1")
	second.ID = "task-2"
	for name, c := range map[string]struct {
		key board.Key
		doc board.Document
	}{
		"a goal without its spec":     {board.Key{Folder: board.Goals, ID: "goal-1"}, &goal},
		"no tracked path":             {board.Key{Folder: board.Tracked, ID: board.TrackedID(vision)}, nil},
		"a path in a wrong place":     {board.Key{Folder: board.Tracked, ID: board.TrackedID("other")}, s.board.Tracked(vision)},
		"sections out of order":       {board.Key{Folder: board.Tracked, ID: board.TrackedID(vision)}, path(func(d *board.TrackedPath) { d.Sections = append(d.Sections, board.TrackedSection{Anchor: "a"}) })},
		"a verdict that nobody needs": {board.Key{Folder: board.Tracked, ID: board.TrackedID(vision)}, path(func(d *board.TrackedPath) { d.Verdicts = []board.PathVerdict{{Role: board.HumanRole}} })},
		"no goal":                     {board.Key{Folder: board.Goals, ID: "goal-1"}, nil},
		"no sprint":                   {board.Key{Folder: board.Sprints, ID: "sprint-1"}, nil},
		"a sprint that has ended":     {board.Key{Folder: board.Sprints, ID: "sprint-1"}, &board.Sprint{ID: "sprint-1", Status: board.Completed}},
		"no tip":                      {board.Key{Folder: board.SettingsDoc}, settings(func(c *board.Settings) { c.Integration.Tip = "" })},
		"no control":                  {board.Key{Folder: board.SettingsDoc}, settings(func(c *board.Settings) { c.Control.State = 0 })},
		"a newer format":              {board.Key{Folder: board.SettingsDoc}, settings(func(c *board.Settings) { c.Format++ })},
		"a tripped breaker":           {board.Key{Folder: board.BreakerDoc}, &board.Breaker{Tripped: true}},
		"an agent that is gone":       {board.Key{Folder: board.Agents, ID: "coder-1"}, nil},
		"an agent of another role":    {board.Key{Folder: board.Agents, ID: "coder-2"}, &board.Agent{ID: "coder-2", Role: board.Planner}},
		"an agent with a false task":  {board.Key{Folder: board.Agents, ID: "coder-2"}, &board.Agent{ID: "coder-2", Role: board.Coder, Task: "task-1"}},
		"a reviewer with a false one": {board.Key{Folder: board.Agents, ID: "code-reviewer-1"}, &board.Agent{ID: "code-reviewer-1", Role: board.CodeReviewer, Review: "task-1"}},
		"one coder with two tasks":    {board.Key{Folder: board.Tasks, ID: "task-2"}, &second},
		"a phase without a workflow":  {board.Key{Folder: board.Goals, ID: "goal-1"}, goalIn("w", "A")},
		"a workflow of no goal":       {board.Key{Folder: board.Workflows, ID: "goal-9"}, &board.Workflow{Goal: "goal-9", Name: "w", Phases: []board.WorkflowPhase{{Name: "A"}}}},
		"a workflow of another goal":  {board.Key{Folder: board.Workflows, ID: "goal-9"}, &board.Workflow{Goal: "goal-1", Name: "w", Phases: []board.WorkflowPhase{{Name: "A"}}}},
		"a live and archived task":    {board.Key{Folder: board.Archive, ID: "task-1"}, s.board.Task("task-1")},
	} {
		requireBreach(t, name, s.with(c.key, c.doc))
	}
}

// A goal stands in a phase of its workflow, which is of that name.
func TestCheckFindsStrayPhases(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann reload workflow=w:A;B")
	require.NoError(t, Check(s.board))
	for name, stray := range map[string][2]string{"a phase that there is not": {"w", "C"}, "no phase": {"w", ""}, "another workflow": {"v", "A"}, "no workflow": {"", ""}} {
		g := *s.board.Goal("goal-1")
		g.Workflow, g.Phase = stray[0], board.PhaseID(stray[1])
		requireBreach(t, name, s.with(board.Key{Folder: board.Goals, ID: "goal-1"}, &g))
	}
	requireBreach(t, "the workflow is gone", s.with(board.Key{Folder: board.Workflows, ID: "goal-1"}, nil))
	s = staged(t, "human:ann reload workflow=w:A;B | human:ann add task-1")
	require.NoError(t, Check(s.board))
	task := s.board.Task("task-1").Clone()
	task.Phase = "C"
	requireBreach(t, "a task of no phase", s.with(board.Key{Folder: board.Tasks, ID: "task-1"}, task))
}

// A holder whose document says nothing is as wrong as one that says too much.
func TestCheckFindsForgetfulAgents(t *testing.T) {
	t.Parallel()
	for status, id := range map[board.Status]board.AgentID{board.Claimed: "coder-1", board.ReadyForReview: "code-reviewer-1"} {
		s := sceneAt(t, status)
		forgetful := *s.board.Agent(id)
		forgetful.Task, forgetful.Review = "", ""
		requireBreach(t, string(id), s.with(board.Key{Folder: board.Agents, ID: string(id)}, &forgetful))
	}
}

// Check reports no text as missing that did not fit into the move that would have
// entered it.
func TestCheckKnowsTheBoundsOfTexts(t *testing.T) {
	t.Parallel()
	s := sceneAt(t, board.Unclaimed)
	task := s.board.Task("task-1").Clone()
	task.Spec = vision + "#nowhere"
	s.docs = s.docs.With([]board.Edit{{Key: board.Key{Folder: board.Tasks, ID: "task-1"}, Document: task}})
	for name, count := range map[string]int{"many": board.MaxSections, "long": 30} {
		doc := *s.board.Tracked(vision)
		doc.Sections = nil
		for i := range count {
			anchor := fmt.Sprintf("g%04d", i)
			if name == "long" {
				anchor += strings.Repeat("g", s.board.Settings().Config.TextLimit-len(anchor))
			}
			doc.Sections = append(doc.Sections, board.TrackedSection{Anchor: anchor})
		}
		doc.Sections = append(doc.Sections[1:], board.TrackedSection{Anchor: "goal"})
		slices.SortFunc(doc.Sections, func(x, y board.TrackedSection) int { return strings.Compare(x.Anchor, y.Anchor) })
		require.NoError(t, Check(s.with(board.Key{Folder: board.Tracked, ID: board.TrackedID(vision)}, &doc)), name)
		doc.Sections = doc.Sections[len(doc.Sections)/2:]
		requireBreach(t, name, s.with(board.Key{Folder: board.Tracked, ID: board.TrackedID(vision)}, &doc))
	}
	limit := s.board.Settings()
	limit.Config.TextLimit = maxTexts
	require.NoError(t, Check(s.with(board.Key{Folder: board.SettingsDoc}, &limit)))
}

// A cycle is found however long it is, and what lies behind it does not hide it.
func TestCheckFindsCycles(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a b<a c<b d<c e")
	looped := *s.board.Task("a")
	looped.DependsOn = []board.TaskID{"c"}
	err := Check(s.with(board.Key{Folder: board.Tasks, ID: "a"}, &looped))
	require.ErrorContains(t, err, "cycle")
}

// with is the board with one document replaced behind the rules' back.
func (s *scene) with(key board.Key, doc board.Document) *board.Board {
	return board.Open(s.docs.With([]board.Edit{{Key: key, Document: doc}}), s.now)
}

func requireBreach(t *testing.T, name string, b *board.Board) {
	err := Check(b)
	require.Error(t, err, name)
	var r *Refusal
	require.ErrorAs(t, err, &r, name)
	require.Contains(t, []Rule{RuleInvariant, RuleFormat}, r.Rule, name)
}

// A move of a document that is inconsistent already is refused, as one whose effect has
// made it so would be.
func TestNoMoveLeavesABreach(t *testing.T) {
	t.Parallel()
	s := sceneAt(t, board.Unclaimed)
	failed := s.board.Task("task-1").Clone()
	failed.Failures = make([]board.Failure, board.MaxList+1)
	gone, stray := *s.board.Goal("goal-1"), *s.board.Goal("goal-1")
	gone.Spec, stray.Workflow, stray.Phase = "specs/none.md", "w", "A"
	for step, spoilt := range map[string]board.Edit{
		"human:ann abandon task-1":    {Key: board.Key{Folder: board.Tasks, ID: "task-1"}, Document: failed},
		"human:ann align":             {Key: board.Key{Folder: board.Goals, ID: "goal-1"}, Document: &gone},
		"human:ann schedule levels=a": {Key: board.Key{Folder: board.Goals, ID: "goal-1"}, Document: &stray},
		"human:ann degrade coder-2":   {Key: board.Key{Folder: board.Agents, ID: "coder-2"}, Document: &board.Agent{ID: "coder-2", Role: board.Coder, Task: "task-1"}},
	} {
		at := &scene{t: t, docs: s.docs, board: s.with(spoilt.Key, spoilt.Document), now: s.now, generations: s.generations}
		m, facts := at.moveOf(strings.Fields(step))
		_, err := Apply(at.board, m, facts)
		var r *Refusal
		require.ErrorAs(t, err, &r, step)
		require.Equal(t, RuleInvariant, r.Rule, "%s: %s", step, r.Reason)
	}
}

// A broken Source comes out as it is, never as a refusal or a sound board.
func TestReadingErrors(t *testing.T) {
	t.Parallel()
	s := sceneAt(t, board.Claimed)
	m, facts := s.moveOf([]string{"human:ann", "add", "task-9"})
	for _, broken := range []board.Folder{board.SettingsDoc, board.Tasks, board.Archive} {
		b := board.Open(torn{s.docs, broken}, s.now)
		next, err := Apply(b, m, facts)
		require.ErrorIs(t, err, errTorn)
		require.Nil(t, next)
		require.ErrorIs(t, Check(board.Open(torn{s.docs, broken}, s.now)), errTorn)
	}
	b := board.Open(torn{s.docs, board.Agents}, s.now)
	require.ErrorIs(t, Check(b), errTorn)
	require.ErrorIs(t, b.Err(), errTorn)
}

var errTorn = errors.New("torn")

// torn cannot read one folder.
type torn struct {
	board.Documents
	folder board.Folder
}

func (d torn) Load(key board.Key) (board.Document, error) {
	if key.Folder == d.folder {
		return nil, errTorn
	}
	return d.Documents.Load(key)
}
