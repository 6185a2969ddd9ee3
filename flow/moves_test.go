package flow

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// movesOf are the moves on tasks that the rules let the caller begin now, by task
// in order of creation; their details are empty. The rules can still refuse
// such an act for its fields.
func movesOf(b *board.Board, c Caller, at time.Time) []Move {
	var list []Move
	for _, s := range b.Tasks() {
		for _, act := range Acts(b, s.ID, c, at) {
			m := c.Move(act, s.ID, NewDetail(act))
			m.At = at
			list = append(list, m)
		}
	}
	return list
}

// staged plays the steps of a scenario on a fresh board.
func staged(t *testing.T, steps string) *scene {
	s := opened(t)
	for _, step := range strings.FieldsFunc(steps, func(r rune) bool { return r == '|' || r == '\n' }) {
		require.Empty(t, s.step(strings.TrimSpace(step), new(record)), step)
	}
	return s
}

func TestBest(t *testing.T) {
	t.Parallel()
	const under = "coder-1 claim %[1]s | coder-1 intent %[1]s | coder-1 submit %[1]s c-%[1]s | code-reviewer-1 review %[1]s"
	s := staged(t, `human:ann add old | human:ann add broken mine theirs | +1s human:ann add urgent priority=1 | human:ann add early priority=1
		human:ann add late<early priority=1 |`+fmt.Sprintf(under, "mine")+`| code-reviewer-1 reject mine
		|`+fmt.Sprintf(under, "broken")+`| code-reviewer-1 approve broken | coder-1 integration_fail broken`)
	next := func(by board.Actor) board.TaskID {
		id, r := Best(s.board, board.ActClaim, Caller{By: by}, s.now, nil)
		require.Nil(t, r)
		return id
	}
	require.Equal(t, board.TaskID("broken"), next("coder-1"), "an integration fix comes first")
	require.Equal(t, board.TaskID("early"), next("coder-2"), "the fix is reserved, others go by priority and then by id")
	require.Empty(t, s.step("coder-1 claim broken", new(record)))
	require.Empty(t, s.step("coder-2 claim urgent", new(record)))
	require.Empty(t, s.step("coder-3 claim early", new(record)))
	require.Equal(t, board.TaskID("old"), next("coder-4"), "then by age: late waits for early")
	require.Empty(t, s.step("coder-1 release broken", new(record)))
	require.Empty(t, s.step("human:ann abandon broken", new(record)))
	require.Equal(t, board.TaskID("mine"), next("coder-1"), "what was rejected goes back to its coder first")

	_, r := Best(s.board, board.ActClaim, Caller{By: "coder-2"}, s.now, nil)
	require.Equal(t, RuleOneClaim, r.Rule)
	_, r = Best(s.board, board.ActReview, Caller{By: "code-reviewer-1"}, s.now, nil)
	require.Equal(t, RuleNothing, r.Rule)
	require.Regexp(t, "^git liza", r.Hint)
	_, r = Best(s.board, board.ActClaim, Caller{By: "coder-2", Generation: "0123456789abcdef"}, s.now, nil)
	require.Equal(t, RuleStale, r.Rule)
	require.Empty(t, s.step("human:ann pause", new(record)))
	_, r = Best(s.board, board.ActClaim, Caller{By: "coder-5"}, s.now, nil)
	require.Equal(t, RuleControl, r.Rule)
}

func TestBestSaysWhyNothingIsLeft(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a b<a | coder-1 claim a")
	_, r := Best(s.board, board.ActClaim, Caller{By: "coder-2"}, s.now, nil)
	require.Equal(t, RuleNothing, r.Rule)
	require.Contains(t, r.Reason, "b needs a")
	id, r := Best(s.board, board.ActClaim, Caller{By: "coder-2"}, s.now.Add(32*time.Minute), nil)
	require.Nil(t, r)
	require.Equal(t, board.TaskID("a"), id, "a claim that ended may be taken over")

	s = staged(t, "human:ann add a | human:ann add b<a +draft | human:ann abandon a +cascade | human:ann finalize b")
	_, r = Best(s.board, board.ActClaim, Caller{By: "coder-2"}, s.now, nil)
	require.Contains(t, r.Reason, "b needs a, which is ABANDONED and will not be merged")
	require.Equal(t, "git liza task edit b --depends-on IDS", r.Hint)
}

func TestActsAndMoves(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a b<a | coder-1 claim a")
	require.Equal(t, []board.Act{board.ActRenew, board.ActIntent, board.ActBlock, board.ActRelease, board.ActHandoff}, Acts(s.board, "a", Caller{By: "coder-1"}, s.now))
	require.Equal(t, []board.Act{board.ActEdit, board.ActSupersede, board.ActAbandon}, Acts(s.board, "b", Caller{By: "planner-1"}, s.now))
	require.Empty(t, Acts(s.board, "a", Caller{By: "coder-2"}, s.now))
	require.Empty(t, Acts(s.board, "zz", Caller{By: "coder-2"}, s.now))
	var list []string
	for _, m := range movesOf(s.board, Caller{By: "planner-1"}, s.now) {
		require.IsType(t, NewDetail(m.Act), m.Detail)
		list = append(list, string(m.Task)+" "+m.Act.String())
	}
	require.Equal(t, []string{"b edit", "b supersede", "b abandon"}, list)
}

func TestTriggers(t *testing.T) {
	t.Parallel()
	s := opened(t)
	reasons := func() (list []string) {
		for _, trigger := range Triggers(s.board) {
			list = append(list, strings.TrimSpace(trigger.Reason+" "+string(trigger.Task)+string(trigger.Record)))
		}
		return list
	}
	require.Equal(t, []string{"no_tasks"}, reasons())
	for _, step := range []string{
		"human:ann add a b c | human:ann config limits=mergefails:1 | coder-1 discover | coder-1 discover urgency=immediate",
		"coder-1 claim a | coder-1 intent a | coder-1 submit a c1 | code-reviewer-1 review a | code-reviewer-1 approve a | coder-1 integration_fail a",
		"coder-1 claim b | coder-1 block b | +1s human:ann edit b priority=1 | coder-1 claim c | coder-1 block c | human:ann unblock c | coder-2 claim c | coder-2 block c",
	} {
		for _, one := range strings.Split(step, "|") {
			require.Empty(t, s.step(strings.TrimSpace(one), new(record)), one)
		}
	}
	require.Equal(t, []string{"exhausted c", "blocked b", "integration_failed a", "immediate_discovery sprint-1/2"}, reasons())
	require.Empty(t, s.step("coder-1 session b used=output:10", new(record)))
	require.Empty(t, s.step("human:ann config task=10", new(record)))
	require.NotContains(t, reasons(), "blocked b", "only a human gives a task more to spend")
	require.Empty(t, s.step("human:ann config task=11", new(record)))
	require.Contains(t, reasons(), "blocked b")
	require.Empty(t, s.step("human:ann convert sprint-1/2 d", new(record)))
	require.Len(t, reasons(), 3)
	require.Empty(t, s.step("human:ann complete open=keep", new(record)))
	require.Empty(t, reasons(), "nobody plans for a goal that has ended")
	require.Empty(t, s.step("human:ann goal goal-2", new(record)))
	require.Equal(t, []string{"no_tasks"}, reasons(), "a new goal wants tasks of its own")
}

// Goals are planned for by priority, then by age; what a planner of one goal is
// woken for concerns that goal alone.
func TestTriggersOfSeveralGoals(t *testing.T) {
	t.Parallel()
	s := staged(t, `human:ann add a | human:ann discover urgency=immediate | human:ann goal goal-2 priority=1 | human:ann goal goal-3
		human:ann add b in=goal-3 | coder-1 claim a | coder-1 block a | coder-1 claim b | coder-1 block b`)
	reasons := func(goals ...board.GoalID) (list []string) {
		for _, trigger := range Triggers(s.board, goals...) {
			list = append(list, strings.TrimSpace(string(trigger.Goal)+" "+trigger.Reason+" "+string(trigger.Task)))
		}
		return list
	}
	require.Equal(t, []string{"goal-2 no_tasks", "goal-1 blocked a", "goal-1 immediate_discovery", "goal-3 blocked b"}, reasons())
	require.Equal(t, []string{"goal-1 blocked a", "goal-1 immediate_discovery", "goal-3 blocked b"}, reasons("goal-3", "goal-1"))
	require.Empty(t, s.step("human:ann complete in=goal-1 open=move to=goal-2", new(record)))
	require.Equal(t, []string{"goal-2 blocked a", "goal-3 blocked b"}, reasons(), "tasks that were moved are those of their new goal")
}

// Tasks of goals of a higher priority come first, those of goals that have ended
// not at all; an agent may still claim them by id.
func TestBestOfSeveralGoals(t *testing.T) {
	t.Parallel()
	s := staged(t, `human:ann add a priority=1 | human:ann goal goal-2 priority=1 | human:ann add b priority=5 c<b | human:ann goal goal-3 priority=5 | human:ann add d`)
	next := func() board.TaskID {
		id, r := Best(s.board, board.ActClaim, Caller{By: "coder-1"}, s.now, nil)
		if r != nil {
			require.Equal(t, "nothing waits for coder-1 but tasks of goals that have ended, such as a of goal-1", r.Reason)
			require.Equal(t, "git liza goal reopen goal-1 --reason R", r.Hint)
		}
		return id
	}
	require.Equal(t, board.TaskID("b"), next())
	require.Empty(t, s.step("human:ann claim b", new(record)))
	require.Equal(t, board.TaskID("a"), next(), "c waits for b")
	for _, step := range []string{"human:ann complete in=goal-1 open=keep", "human:ann complete in=goal-2 open=keep"} {
		require.Empty(t, s.step(step, new(record)))
	}
	require.Equal(t, board.TaskID("d"), next())
	require.Empty(t, s.step("human:ann complete in=goal-3 open=abandon", new(record)))
	require.Empty(t, next())
	require.Nil(t, s.play(s.by("coder-1", board.ActClaim, "a", &ClaimMove{Lease: s.board.Settings().Config.Lease, Base: s.tip()})))
}

// A budget of a task's own keeps planners asleep too, whatever the block says.
func TestTriggersKnowATasksOwnBudget(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for _, step := range []string{"human:ann add a budget=10", "coder-1 claim a", "coder-1 session a used=output:10"} {
		require.Empty(t, s.step(step, new(record)), step)
	}
	require.Nil(t, s.play(s.by("coder-1", board.ActBlock, "a", &BlockMove{Reason: "no hope", Questions: []string{"more?"}})))
	require.Empty(t, Triggers(s.board))
	require.Empty(t, s.step("human:ann edit a budget=20", new(record)))
	require.Len(t, Triggers(s.board), 1)
}

// foreseen are the rules about who acts: they ask for no fields of a move.
var foreseen = map[Rule]bool{RulePrincipal: true, RuleAdmin: true, RuleSelfReview: true, RuleRole: true, RuleSupervisor: true,
	RuleStale: true, RuleHolder: true}

// TestOpensAgreesWithApply: Apply refuses by the same rule what Opens refuses, and
// Opens knows which actors may act at all.
func TestOpensAgreesWithApply(t *testing.T) {
	t.Parallel()
	for _, b := range []matrix{plain, governed} {
		for _, status := range board.Statuses() {
			at := b.at(t, status)
			for _, c := range b.columns {
				for act := range pageOfTasks {
					fields := []string{c.actor, act.String(), "task-1", "c2"}
					m, facts := at.moveOf(fields)
					opens := Opens(at.board, act, "task-1", Caller{m.By, m.Principal, m.Generation}, at.now)
					_, err := Apply(at.board, m, facts)
					if opens != nil {
						require.Equal(t, opens, err, "%v", fields)
					}
					if r := new(Refusal); errors.As(err, &r) && foreseen[r.Rule] {
						require.Equal(t, r, opens, "%v is not foreseen", fields)
					}
				}
			}
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add task-2 Task-4 | human:ann abandon task-2 | human:ann archive task-2")
	list := []board.TaskInput{{}, {ID: "TASK-5"}, {}, {ID: "own"}, {}}
	s.board.Number(list)
	var got []string
	for _, in := range list {
		got = append(got, string(in.ID))
	}
	require.Equal(t, []string{"task-3", "TASK-5", "task-6", "own", "task-7"}, got)
	list = []board.TaskInput{{}, {}}
	opened(t).board.Number(list)
	require.Equal(t, []board.TaskInput{{ID: "task-1"}, {ID: "task-2"}}, list)
}

// A field that a planner leaves out has its usual value.
func TestUsualValues(t *testing.T) {
	t.Parallel()
	s := opened(t)
	require.Nil(t, s.play(s.by("human:ann", board.ActAdd, "", &AddMove{Tasks: []board.TaskInput{{ID: "a", Draft: true}}})))
	a := s.board.Task("a")
	require.Equal(t, board.Code, a.Kind)
	require.Equal(t, 3, a.Priority)
	require.Equal(t, board.TaskInput{ID: "a", Kind: board.Code, Priority: 3, Draft: true, Level: 1}, a.Input())
	require.Empty(t, s.step("+1m planner-1 edit a", new(record)))
	require.Equal(t, dawn, s.board.Task("a").Created)
	require.Equal(t, dawn.Add(time.Minute), s.board.Task("a").Changed)
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a")
	for line, want := range map[string]string{
		"coder-1 claim a":                "claim a by coder-1",
		"human:ann add b":                "add b by human:ann",
		"human:ann add b c":              "add 2 tasks by human:ann",
		"human:ann pause":                "pause by human:ann",
		"human:ann register coder-1":     "register coder-1 by human:ann",
		"human:ann adopt x1":             "adopt " + string(object("x1"))[:10] + " by human:ann",
		"human:ann amend goal":           "amend goal goal-1 by human:ann",
		"coder-1 anomaly workaround":     "anomaly workaround by coder-1",
		"planner-1 convert s/1 b":        "convert s/1 by planner-1",
		"human:ann principal bob":        "principal bob by human:ann",
		"human:ann finalize a b c":       "finalize 3 tasks by human:ann",
		"human:ann goal goal-2":          "goal goal-2 by human:ann",
		"planner-1 supersede a b":        "supersede a by planner-1",
		"code-reviewer-1 retro sprint-1": "retro sprint-1 by code-reviewer-1",
	} {
		m, _ := s.moveOf(strings.Fields(line))
		require.Equal(t, want, m.Subject())
	}
}

// unreadable is a source one of whose documents is broken.
type unreadable struct {
	board.Documents
	broken board.Key
}

func (u unreadable) Load(k board.Key) (board.Document, error) {
	if k == u.broken {
		return nil, errors.New("it is broken")
	}
	return u.Documents.Load(k)
}

// That a task cannot be read is not that there is nothing to do.
func TestBestDoesNotHideWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a")
	b := board.Open(unreadable{s.docs, board.Key{Folder: board.Tasks, ID: "a"}}, s.now)
	id, r := Best(b, board.ActClaim, Caller{By: "coder-1"}, s.now, nil)
	require.Empty(t, id)
	require.Equal(t, RuleInvariant, r.Rule)
	require.Contains(t, r.Reason, "it is broken")
	require.Equal(t, "git liza fsck", r.Hint)
}

// counting is a source that says how many tasks were read from it.
type counting struct {
	board.Documents
	tasks *int
}

func (c counting) Load(k board.Key) (board.Document, error) {
	if k.Folder == board.Tasks {
		*c.tasks++
	}
	return c.Documents.Load(k)
}

// A goal whose budget is spent has no task to take; to say so nobody reads
// thousands of them.
func TestBestOnASpentBudget(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann register planner-1 as=p | human:ann config goal=5 | planner-1 session used=output:5")
	var list []string
	for i := range 200 {
		list = append(list, fmt.Sprintf("t%d", i))
	}
	require.Empty(t, s.step("human:ann add "+strings.Join(list, " "), new(record)))
	read := 0
	b := board.Open(counting{s.docs, &read}, s.now)
	_, r := Best(b, board.ActClaim, Caller{By: "coder-1"}, s.now, nil)
	require.Equal(t, RuleNothing, r.Rule)
	require.Contains(t, r.Reason, "the first of 200 candidates: the budget of goal-1 is spent: 5 of 5 tokens")
	require.Equal(t, "git liza config budgets.goal.tokens 10", r.Hint)
	require.Less(t, read, 20)
}
