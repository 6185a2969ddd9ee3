package flow

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCheckFindsBreaches spoils one thing on a sound board at a time.
func TestCheckFindsBreaches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status Status
		spoil  func(*Task)
	}{
		"a claimed task without claim":   {Claimed, func(t *Task) { t.Claim = nil }},
		"a claimed task without lease":   {Claimed, func(t *Task) { t.Claim = &Claim{By: "coder-1"} }},
		"a claimed task without base":    {Claimed, func(t *Task) { t.Attempt.Base = "" }},
		"a claim by somebody else":       {Claimed, func(t *Task) { t.Claim.By = "coder-2" }},
		"an unclaimed task with a claim": {Claimed, func(t *Task) { t.Status = Unclaimed }},
		"a review without a submission":  {ReadyForReview, func(t *Task) { t.Submission = nil }},
		"a review by somebody else":      {ReadyForReview, own(func(j *Judgement) { j.Review = &Review{By: "code-reviewer-2"} })},
		"a review of a rejected task": {ReadyForReview, func(t *Task) {
			t.Status, t.RejectedBy = Rejected, CodeReviewer
			t.judge(CodeReviewer, func(j *Judgement) { j.Rejection = &Rejection{} })
		}},
		"a rejected task without a rejection": {Rejected, own(func(j *Judgement) { j.Rejection = nil })},
		"an approval of another commit":       {Approved, own(func(j *Judgement) { j.Verdict = &Verdict{Commit: object("x")} })},
		"an approved task without a verdict":  {Approved, own(func(j *Judgement) { j.Verdict = nil })},
		"a rejection without a blocker":       {Rejected, own(func(j *Judgement) { j.Rejection = &Rejection{} })},
		"a submission that nobody judges": {ReadyForReview, func(t *Task) {
			t.Submission = copied(t.Submission)
			t.Submission.ReviewBy = []Role{"security-reviewer"}
		}},
		"a submission with every verdict": {ReadyForReview, own(func(j *Judgement) { j.Verdict = &Verdict{Commit: object("c1")} })},
		"a verdict of a role that does not judge": {ReadyForReview, func(t *Task) {
			t.judge("gates", func(j *Judgement) { j.Verdict = &Verdict{Commit: t.Submission.Commit} })
		}},
		"an empty judgement":                    {Approved, func(t *Task) { t.Judgements = append([]Judgement{{Role: "a"}}, t.Judgements...) }},
		"judgements out of order":               {Approved, func(t *Task) { t.Judgements = append(t.Judgements, Judgement{Role: "a", NoVerdicts: 1}) }},
		"two judgements of one role":            {Approved, func(t *Task) { t.Judgements = append(t.Judgements, t.Judgements...) }},
		"a role that does no tasks":             {Unclaimed, func(t *Task) { t.Role = "gates" }},
		"a role that is not there":              {Unclaimed, func(t *Task) { t.Role = "cook" }},
		"a review by one that does":             {Unclaimed, func(t *Task) { t.ReviewBy = []Role{Coder} }},
		"a blocked task without a block":        {Blocked, func(t *Task) { t.Block = nil }},
		"a blocked task without a question":     {Blocked, func(t *Task) { t.Block = &Block{Reason: "x"} }},
		"a blocked task with four questions":    {Blocked, func(t *Task) { t.Block = &Block{Reason: "x", Questions: make([]string, 4)} }},
		"a failed integration without a record": {IntegrationFailed, func(t *Task) { t.Integration = nil }},
		"a merged task without a merge":         {Merged, func(t *Task) { t.Merge = nil }},
		"a merged task with a claim":            {Merged, func(t *Task) { t.Claim = &Claim{By: "coder-1"} }},
		"a superseded task without replacement": {Superseded, func(t *Task) { t.SupersededBy = nil }},
		"an abandoned task without a reason":    {Abandoned, func(t *Task) { t.Abandoned = "" }},
		"a task without done_when":              {Unclaimed, func(t *Task) { t.DoneWhen = "" }},
		"a task without spec":                   {Merged, func(t *Task) { t.Spec = "" }},
		"a task without state":                  {Draft, func(t *Task) { t.Status = 0 }},
		"a task under another id":               {Draft, func(t *Task) { t.ID = "task-2" }},
		"a dependency on nothing":               {Unclaimed, func(t *Task) { t.DependsOn = []TaskID{"zz"} }},
		"a dependency on itself":                {Unclaimed, func(t *Task) { t.DependsOn = []TaskID{"task-1"} }},
		"a spec that is not tracked":            {Unclaimed, func(t *Task) { t.Spec = "specs/none.md" }},
		"a section that is not tracked":         {Unclaimed, func(t *Task) { t.Spec = vision + "#nowhere" }},
		"a text that is not tracked":            {Unclaimed, func(t *Task) { t.BasedOn = []string{"specs/none.md"} }},
		"too many failures":                     {Unclaimed, func(t *Task) { t.Failures = make([]Failure, MaxList+1) }},
	} {
		s := sceneAt(t, c.status)
		require.NoError(t, s.board.Check())
		spoilt := s.board.Task("task-1").clone()
		c.spoil(spoilt)
		requireBreach(t, name, s.with(Key{Tasks, "task-1"}, spoilt))
	}
}

// own changes what code-reviewers hold of a task.
func own(edit func(*Judgement)) func(*Task) { return func(t *Task) { t.judge(CodeReviewer, edit) } }

func TestCheckFindsBreachesOfTheWhole(t *testing.T) {
	t.Parallel()
	s := sceneAt(t, Claimed)
	settings := func(edit func(*Settings)) Document {
		c := s.board.Settings()
		edit(&c)
		return &c
	}
	path := func(edit func(*TrackedPath)) Document {
		d := *s.board.Tracked(vision)
		edit(&d)
		return &d
	}
	goal := *s.board.Goal("goal-1")
	goal.Spec = "specs/none.md"
	goalIn := func(workflow string, phase PhaseID) Document {
		g := *s.board.Goal("goal-1")
		g.Workflow, g.Phase = workflow, phase
		return &g
	}
	second := *s.board.Task("task-1")
	second.ID = "task-2"
	for name, c := range map[string]struct {
		key Key
		doc Document
	}{
		"a goal without its spec":     {Key{Goals, "goal-1"}, &goal},
		"no tracked path":             {Key{Tracked, TrackedID(vision)}, nil},
		"a path in a wrong place":     {Key{Tracked, TrackedID("other")}, s.board.Tracked(vision)},
		"sections out of order":       {Key{Tracked, TrackedID(vision)}, path(func(d *TrackedPath) { d.Sections = append(d.Sections, TrackedSection{Anchor: "a"}) })},
		"a verdict that nobody needs": {Key{Tracked, TrackedID(vision)}, path(func(d *TrackedPath) { d.Verdicts = []PathVerdict{{Role: HumanRole}} })},
		"no goal":                     {Key{Goals, "goal-1"}, nil},
		"no sprint":                   {Key{Sprints, "sprint-1"}, nil},
		"a sprint that has ended":     {Key{Sprints, "sprint-1"}, &Sprint{ID: "sprint-1", Status: Completed}},
		"no tip":                      {Key{Folder: SettingsDoc}, settings(func(c *Settings) { c.Integration.Tip = "" })},
		"no control":                  {Key{Folder: SettingsDoc}, settings(func(c *Settings) { c.Control.State = 0 })},
		"a newer format":              {Key{Folder: SettingsDoc}, settings(func(c *Settings) { c.Format++ })},
		"a tripped breaker":           {Key{Folder: BreakerDoc}, &Breaker{Tripped: true}},
		"an agent that is gone":       {Key{Agents, "coder-1"}, nil},
		"an agent of another role":    {Key{Agents, "coder-2"}, &Agent{ID: "coder-2", Role: Planner}},
		"an agent with a false task":  {Key{Agents, "coder-2"}, &Agent{ID: "coder-2", Role: Coder, Task: "task-1"}},
		"a reviewer with a false one": {Key{Agents, "code-reviewer-1"}, &Agent{ID: "code-reviewer-1", Role: CodeReviewer, Review: "task-1"}},
		"one coder with two tasks":    {Key{Tasks, "task-2"}, &second},
		"a phase without a workflow":  {Key{Goals, "goal-1"}, goalIn("w", "A")},
		"a workflow of no goal":       {Key{Workflows, "goal-9"}, &Workflow{Goal: "goal-9", Name: "w", Phases: []WorkflowPhase{{Name: "A"}}}},
		"a workflow of another goal":  {Key{Workflows, "goal-9"}, &Workflow{Goal: "goal-1", Name: "w", Phases: []WorkflowPhase{{Name: "A"}}}},
		"a live and archived task":    {Key{Archive, "task-1"}, s.board.Task("task-1")},
	} {
		requireBreach(t, name, s.with(c.key, c.doc))
	}
}

// A goal stands in a phase of its workflow, which is of that name.
func TestCheckFindsStrayPhases(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann reload workflow=w:A;B")
	require.NoError(t, s.board.Check())
	for name, stray := range map[string][2]string{"a phase that there is not": {"w", "C"}, "no phase": {"w", ""}, "another workflow": {"v", "A"}, "no workflow": {"", ""}} {
		g := *s.board.Goal("goal-1")
		g.Workflow, g.Phase = stray[0], PhaseID(stray[1])
		requireBreach(t, name, s.with(Key{Goals, "goal-1"}, &g))
	}
	requireBreach(t, "the workflow is gone", s.with(Key{Workflows, "goal-1"}, nil))
	s = staged(t, "human:ann reload workflow=w:A;B | human:ann add task-1")
	require.NoError(t, s.board.Check())
	task := s.board.Task("task-1").clone()
	task.Phase = "C"
	requireBreach(t, "a task of no phase", s.with(Key{Tasks, "task-1"}, task))
}

// A holder whose document says nothing is as wrong as one that says too much.
func TestCheckFindsForgetfulAgents(t *testing.T) {
	t.Parallel()
	for status, id := range map[Status]AgentID{Claimed: "coder-1", ReadyForReview: "code-reviewer-1"} {
		s := sceneAt(t, status)
		forgetful := *s.board.Agent(id)
		forgetful.Task, forgetful.Review = "", ""
		requireBreach(t, string(id), s.with(Key{Agents, string(id)}, &forgetful))
	}
}

// Check reports no text as missing that did not fit into the move that would have
// entered it.
func TestCheckKnowsTheBoundsOfTexts(t *testing.T) {
	t.Parallel()
	s := sceneAt(t, Unclaimed)
	task := s.board.Task("task-1").clone()
	task.Spec = vision + "#nowhere"
	s.docs = s.docs.With([]Edit{{Key{Tasks, "task-1"}, task}})
	for name, count := range map[string]int{"many": MaxSections, "long": 30} {
		doc := *s.board.Tracked(vision)
		doc.Sections = nil
		for i := range count {
			anchor := fmt.Sprintf("g%04d", i)
			if name == "long" {
				anchor += strings.Repeat("g", s.board.Settings().Config.TextLimit-len(anchor))
			}
			doc.Sections = append(doc.Sections, TrackedSection{Anchor: anchor})
		}
		doc.Sections = append(doc.Sections[1:], TrackedSection{Anchor: "goal"})
		slices.SortFunc(doc.Sections, func(x, y TrackedSection) int { return strings.Compare(x.Anchor, y.Anchor) })
		require.NoError(t, s.with(Key{Tracked, TrackedID(vision)}, &doc).Check(), name)
		doc.Sections = doc.Sections[len(doc.Sections)/2:]
		requireBreach(t, name, s.with(Key{Tracked, TrackedID(vision)}, &doc))
	}
	limit := s.board.Settings()
	limit.Config.TextLimit = maxTexts
	require.NoError(t, s.with(Key{Folder: SettingsDoc}, &limit).Check())
}

// A cycle is found however long it is, and what lies behind it does not hide it.
func TestCheckFindsCycles(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a b<a c<b d<c e")
	looped := *s.board.Task("a")
	looped.DependsOn = []TaskID{"c"}
	err := s.with(Key{Tasks, "a"}, &looped).Check()
	require.ErrorContains(t, err, "cycle")
}

// with is the board with one document replaced behind the rules' back.
func (s *scene) with(key Key, doc Document) *Board {
	return Open(s.docs.With([]Edit{{key, doc}}), s.now)
}

func requireBreach(t *testing.T, name string, b *Board) {
	err := b.Check()
	require.Error(t, err, name)
	var r *Refusal
	require.ErrorAs(t, err, &r, name)
	require.Contains(t, []Rule{RuleInvariant, RuleFormat}, r.Rule, name)
}

// A move of a document that is inconsistent already is refused, as one whose effect has
// made it so would be.
func TestNoMoveLeavesABreach(t *testing.T) {
	t.Parallel()
	s := sceneAt(t, Unclaimed)
	failed := s.board.Task("task-1").clone()
	failed.Failures = make([]Failure, MaxList+1)
	gone, stray := *s.board.Goal("goal-1"), *s.board.Goal("goal-1")
	gone.Spec, stray.Workflow, stray.Phase = "specs/none.md", "w", "A"
	for step, spoilt := range map[string]Edit{
		"human:ann abandon task-1":    {Key{Tasks, "task-1"}, failed},
		"human:ann align":             {Key{Goals, "goal-1"}, &gone},
		"human:ann schedule levels=a": {Key{Goals, "goal-1"}, &stray},
		"human:ann degrade coder-2":   {Key{Agents, "coder-2"}, &Agent{ID: "coder-2", Role: Coder, Task: "task-1"}},
	} {
		at := &scene{t: t, docs: s.docs, board: s.with(spoilt.Key, spoilt.Document), now: s.now, generations: s.generations}
		m, facts := at.moveOf(strings.Fields(step))
		_, err := at.board.Apply(m, facts)
		var r *Refusal
		require.ErrorAs(t, err, &r, step)
		require.Equal(t, RuleInvariant, r.Rule, "%s: %s", step, r.Reason)
	}
}

// A broken Source comes out as it is, never as a refusal or a sound board.
func TestReadingErrors(t *testing.T) {
	t.Parallel()
	s := sceneAt(t, Claimed)
	m, facts := s.moveOf([]string{"human:ann", "add", "task-9"})
	for _, broken := range []Folder{SettingsDoc, Tasks, Archive} {
		b := Open(torn{s.docs, broken}, s.now)
		next, err := b.Apply(m, facts)
		require.ErrorIs(t, err, errTorn)
		require.Nil(t, next)
		require.ErrorIs(t, Open(torn{s.docs, broken}, s.now).Check(), errTorn)
	}
	b := Open(torn{s.docs, Agents}, s.now)
	require.ErrorIs(t, b.Check(), errTorn)
	require.ErrorIs(t, b.Err(), errTorn)
}

var errTorn = errors.New("torn")

// torn cannot read one folder.
type torn struct {
	Documents
	folder Folder
}

func (d torn) Load(key Key) (Document, error) {
	if key.Folder == d.folder {
		return nil, errTorn
	}
	return d.Documents.Load(key)
}
