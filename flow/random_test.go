package flow

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/internal/torture"
)

// TestRandomMoves plays thousands of moves, sensible ones and nonsense. The
// scene holds every one of them to what must always be true (a refusal changes
// nothing, an accepted move leaves a sound board and replays to the same);
// here stands what must be true of a task's life.
func TestRandomMoves(t *testing.T) {
	t.Parallel()
	require.Positive(t, playMoves(t, 8, 8, 70).accepted[board.ActClaim])
}

// TestTortureRandomMoves plays nothing but long games, which come to every state, by
// every act.
func TestTortureRandomMoves(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	p := playMoves(t, 100)
	// The rarest of them comes twice in a hundred games.
	for more := 0; more < 5 && len(p.missing()) > 0; more++ {
		p.join(playMoves(t, 100))
	}
	require.Empty(t, p.missing(), "never happened")
}

// missing names what no game had of what games are to have.
func (p played) missing() (list []string) {
	want := func(count int, what string) {
		if count == 0 {
			list = append(list, what)
		}
	}
	for _, status := range board.Statuses() {
		want(p.reached[status], "the state "+status.String())
	}
	want(p.verdicts[board.CodeReviewer], "a merge")
	want(p.merged, "a merge by its verdicts")
	for _, what := range turns {
		want(p.steered[what], what)
	}
	want(p.accepted[board.ActSession], "a session")
	for _, r := range rules {
		if r.from != 0 {
			want(p.accepted[r.act], "an accepted "+r.act.String())
		}
	}
	for _, act := range []board.Act{board.ActClaim, board.ActSubmit, board.ActApprove, board.ActMerge, board.ActPrincipal} {
		want(p.vouched[act], "a principal's "+act.String())
	}
	return list
}

// join adds the counts of other games.
func (p *played) join(other played) {
	addCounts(p.reached, other.reached)
	addCounts(p.accepted, other.accepted)
	addCounts(p.vouched, other.vouched)
	addCounts(p.verdicts, other.verdicts)
	addCounts(p.steered, other.steered)
	p.merged += other.merged
}

func addCounts[K comparable](to, from map[K]int) {
	for key, count := range from {
		to[key] += count
	}
}

// played counts what came of games: the states of tasks, the accepted moves, and those
// of principals among them.
type played struct {
	reached           map[board.Status]int
	accepted, vouched map[board.Act]int
	verdicts          map[board.Role]int // of merged tasks
	merged            int                // tasks, by their verdicts
	steered           map[string]int
}

// playMoves plays games, each of one of the lengths.
func playMoves(t *testing.T, lengths ...int) played {
	t.Helper()
	p := played{map[board.Status]int{}, map[board.Act]int{}, map[board.Act]int{}, map[board.Role]int{}, 0, map[string]int{}}
	rapid.Check(t, func(rt *rapid.T) {
		g := &gamble{rt: rt, approved: map[board.TaskID]map[board.Actor]bool{}, worked: map[board.TaskID]map[string]bool{}, read: map[board.TaskID]map[board.Role]reading{}}
		g.scene = opened(rt)
		g.course = newCourse(g.board)
		g.seat()
		from := pick(rt, 0, 20, 200, 200)
		for i := range pick(rt, lengths...) {
			if i == from {
				g.govern()
			}
			g.turn()
		}
		g.audit()
		g.replay()
		for _, m := range g.made {
			p.accepted[m.Act]++
			if accounts[m.Principal].words != nil {
				p.vouched[m.Act]++
			}
		}
		for _, status := range g.reached {
			p.reached[status]++
		}
		for _, role := range g.verdicts {
			p.verdicts[role]++
		}
		p.merged += g.merged
		for what, n := range g.course.seen {
			p.steered[what] += n
		}
	})
	return p
}

// A gamble is a scene with its history.
type gamble struct {
	*scene
	rt       *rapid.T
	made     []Move
	approved map[board.TaskID]map[board.Actor]bool // actors that ever approved the task
	worked   map[board.TaskID]map[string]bool      // principals that ever acted as a task's holder
	reached  []board.Status
	verdicts []board.Role // of merged tasks
	read     map[board.TaskID]map[board.Role]reading
	merged   int // tasks that were merged by their verdicts
	course   *course
}

// seat puts some tasks on the board.
func (g *gamble) seat() {
	lists := [][]string{{"a1", "a2<a1", "a3", "owns=src/"}}
	lists = append(lists, []string{"b1", "reviewby=security-reviewer", "basedon=doc/a.md,doc/b.md#limits"}, []string{"b2", "reviewby=gates,human", "spec=doc/b.md"})

	for _, words := range lists {
		m, facts := g.moveOf(append([]string{"human:ann", "add"}, words...))
		require.Nil(g.rt, g.judge(m, facts))
		g.made = append(g.made, m)
	}
}

// turn makes one move, or several that belong together.
func (g *gamble) turn() {
	g.now = g.now.Add(time.Duration(pick(g.rt, 0, 1, 1, 1, 1, 60, 60, 700, 1900)) * time.Second)
	if pick(g.rt, 0, 1, 2) == 0 {
		g.steer()
		return
	}
	if pick(g.rt, 0, 1, 2) == 0 {
		g.plan()
		return
	}
	g.make(g.draw())
}

// make makes a move and looks at what it did to every task. It reports whether the
// rules accepted it.
func (g *gamble) make(m Move, facts *Facts) bool {
	before := map[board.TaskID]*board.Task{}
	for _, short := range g.board.Tasks() {
		before[short.ID] = g.board.Task(short.ID)
	}
	held, spent := g.holding(m), CheckBudget(g.board, m.Goal, m.Task)
	prior := g.board
	if g.judge(m, facts) != nil {
		return false
	}
	g.made = append(g.made, m)
	g.apart()
	g.known(prior, m, held)
	g.follow(prior, m)
	if m.Act == board.ActClaim || m.Act == board.ActReview {
		require.Nil(g.rt, spent, "%s was begun", m.Subject())
	}
	g.note(prior, before, m)
	for id, was := range before {
		is := g.board.Task(id)
		if is != nil && is.Status == board.Merged && was.Status == board.Approved && !is.Merge.Adopted {
			g.convinced(prior, was)
		}
		g.compare(was, is, m)
		g.used(was, is, m)
		g.reached = append(g.reached, is.Status)
	}
	if m.Act == board.ActApprove {
		if g.approved[m.Task] == nil {
			g.approved[m.Task] = map[board.Actor]bool{}
		}
		g.approved[m.Task][m.By] = true
	}
	return true
}

func (g *gamble) compare(was, is *board.Task, m Move) {
	t := g.rt
	require.NotNil(t, is, "%s vanished", was.ID)
	if was.Status.Final() {
		require.Equal(t, was.Status, is.Status, "%s left a final state", was.ID)
		require.Equal(t, was.Merge, is.Merge)
	}
	if was.Status == is.Status {
		return
	}
	if is.Status == board.Merged && !is.Merge.Adopted {
		require.Equal(t, board.Approved, was.Status, "%s was merged without an approval", is.ID)
		g.judged(is)
	}
	for _, forbidden := range [][2]board.Status{{board.Draft, board.Claimed}, {board.Claimed, board.Approved}, {board.Claimed, board.Merged}, {board.Rejected, board.Approved}, {board.ReadyForReview, board.Claimed}} {
		require.NotEqual(t, forbidden, [2]board.Status{was.Status, is.Status}, "%s by %s", is.ID, m.Act)
	}
	if is.Status == board.Claimed {
		for _, d := range is.DependsOn {
			require.Equal(t, board.Merged, g.board.Task(d).Status, "%s began before %s", is.ID, d)
		}
	}
	require.GreaterOrEqual(t, is.Saves, was.Saves)
	require.GreaterOrEqual(t, len(is.Failures), len(was.Failures))
	require.Subset(t, is.Coders, was.Coders)
}

// judged holds a merged task to the verdicts that it needs: one of every role,
// on the submission, by an actor that approved it and did not code it.
func (g *gamble) judged(is *board.Task) {
	t := g.rt
	require.NotEmpty(t, is.Submission.ReviewBy)
	require.Subset(t, is.Submission.ReviewBy, is.ReviewBy)
	for _, role := range is.Submission.ReviewBy {
		v := is.Judgement(role).Verdict
		require.NotNil(t, v, "%s was merged without the verdict of %s", is.ID, role)
		require.Equal(t, v.Commit, is.Submission.Commit)
		g.verdicts = append(g.verdicts, role)
		if role == board.HumanRole && is.Submission.Human {
			continue
		}
		require.True(t, g.approved[is.ID][v.By], "%s never approved %s", v.By, is.ID)
		require.NotContains(t, is.Coders, board.Worker{By: v.By}, "%s was approved by one of its coders", is.ID)
		require.True(t, role != "gates" || !v.By.IsHuman(), "a person judged for gates")
		require.True(t, v.By.IsHuman() || v.By.Role() == role, "%s judged for %s", v.By, role)
	}
}

// used holds what a move says that a task used, and that nothing else changes
// it or by it.
func (g *gamble) used(was, is *board.Task, m Move) {
	d, session := m.Detail.(*SessionMove)
	if !session || m.Task != was.ID {
		require.Equal(g.rt, was.Usage, is.Usage, "%s used something by %s", was.ID, m.Act)
		return
	}
	one := d.Usage
	one.Sessions = 1
	but := *is
	but.Usage = was.Usage
	if was.Claim != nil && was.Claim.Principal == "" { // a move of its holder may bind it
		but.Claim, but.Coders = was.Claim, was.Coders
	}
	require.Equal(g.rt, was.Usage.Plus(one), is.Usage)
	if d.Of.IsZero() {
		require.Equal(g.rt, *was, but, "a session changed more than what is used")
	}
}

// audit accounts for all that was used: the goals and the sprints have it between
// them, and what was used for one goal stands in that goal and in its sprints.
func (g *gamble) audit() {
	made, goals, sprints := map[board.GoalID]board.Usage{}, map[board.GoalID]board.Usage{}, map[board.GoalID]board.Usage{}
	add := func(to map[board.GoalID]board.Usage, goal board.GoalID, used board.Usage) {
		to[goal] = to[goal].Plus(used)
	}
	for _, m := range g.made {
		if d, ok := m.Detail.(*SessionMove); ok {
			one := d.Usage
			one.Sessions = 1
			add(made, m.Goal, one)
		}
	}
	for _, id := range g.board.IDs(board.Goals) {
		add(made, board.GoalID(id), board.Usage{})
		add(goals, board.GoalID(id), g.board.Goal(board.GoalID(id)).Usage)
	}
	for _, id := range g.board.IDs(board.Sprints) {
		add(sprints, g.board.Sprint(board.SprintID(id)).Goal, g.board.Sprint(board.SprintID(id)).Usage)
	}
	require.Equal(g.rt, made, goals)
	require.Equal(g.rt, made, sprints)
}

// apart requires that no two goals share a sprint: a task stands in a sprint of its
// goal, or in the one that its goal opens next.
func (g *gamble) apart() {
	for _, t := range g.board.Tasks() {
		goal, sprint := g.board.Goal(t.Goal), g.board.Sprint(t.Sprint)
		require.NotNil(g.rt, goal, "%s has no goal", t.ID)
		switch {
		case sprint != nil:
			require.Equal(g.rt, t.Goal, sprint.Goal, "%s stands in a sprint of another goal", t.ID)
		case goal.Status == board.InProgress && !t.Status.Final():
			require.Equal(g.rt, goal.Next, t.Sprint, "%s waits for a sprint of nobody", t.ID)
		}
	}
}

// replay plays the whole history again as a judge of history does.
func (g *gamble) replay() {
	s := opened(g.rt)
	for _, m := range g.made {
		next, err := Apply(s.board, m, nil)
		require.NoError(g.rt, err)
		s.docs = s.docs.With(next.Changes())
		s.board = board.Open(s.docs, m.At)
	}
	require.Equal(g.rt, g.dump(), s.dump())
}

// pick is any of the list, each as likely as the others: rapid's own choice
// prefers what stands first, and few tasks would come far.
func pick[T any](rt *rapid.T, list ...T) T {
	n := 0
	for range 8 {
		n *= 2
		if rapid.Bool().Draw(rt, "bit") {
			n++
		}
	}
	return list[n*len(list)/256]
}

var players = []string{"planner-1", "coder-1", "coder-2", "coder-3", "code-reviewer-1", "code-reviewer-2", "security-reviewer-1", "gates-1", "human:ann", "human:bob"}

// draw is a move that the rules let somebody begin, mostly; otherwise any act
// by anybody on anything, with facts that may not bear it out.
func (g *gamble) draw() (Move, *Facts) {
	rt := g.rt
	if c := g.board.Settings().Control.State; c != board.Running && rapid.Bool().Draw(rt, "go on") {
		return g.moveOf([]string{g.as("human:ann"), pick(rt, "resume", "decide", "reset"), "CONTINUE"})
	}
	if fields := g.unsettle(); fields != nil {
		return g.moveOf(fields)
	}
	if pick(rt, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) < 8 {
		var list []Move
		for range 3 {
			list = append(list, g.legal(pick(rt, players...))...)
		}
		if len(list) > 0 {
			m := pick(rt, list...)
			fields := []string{strings.TrimSuffix(string(m.By)+"@"+m.Principal, "@"), m.Act.String(), string(m.Task)}
			return g.moveOf(append(fields, g.sensible(m.Act, string(m.Task))...))
		}
	}
	return g.nonsense(pick(rt, players...))
}

// legal are the moves that the board offers to an actor, those that bring a
// task further several times, those that give it up seldom: chance alone would
// rarely merge anything.
func (g *gamble) legal(who string) []Move {
	var generation board.Generation
	if a := g.board.Agent(board.AgentID(who)); a != nil {
		generation = a.Generation
	}
	further := []board.Act{board.ActIntent, board.ActSubmit, board.ActReview, board.ActApprove, board.ActReject, board.ActMerge, board.ActRecheck, board.ActIntegrationFail}
	ending := []board.Act{board.ActSupersede, board.ActAbandon, board.ActEdit}
	rare := pick(g.rt, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9) == 0
	var list []Move
	for _, m := range movesOf(g.board, Caller{board.Actor(who), g.behind(who), generation}, g.now) {
		if rare || !slices.Contains(ending, m.Act) {
			list = append(list, m)
		}
		if slices.Contains(further, m.Act) {
			list = append(list, m, m, m, m, m, m, m)
		}
	}
	return list
}

func (g *gamble) sensible(act board.Act, task string) []string {
	switch act {
	case board.ActSubmit:
		return []string{fmt.Sprintf("c%d", len(g.made)), "+gates", g.allGates("passed", board.AtSubmit)}
	case board.ActReject:
		return []string{"prior=PARTIAL:1", "blockers=leak"}
	case board.ActDismiss:
		t := g.board.Task(board.TaskID(task))
		return []string{"role=" + string(t.RejectedBy), "issue=" + t.Rejection().Blockers[0].Issue}
	case board.ActSupersede:
		return []string{fmt.Sprintf("s%d", len(g.made))}
	case board.ActMerge:
		return []string{fmt.Sprintf("commit=m%d", len(g.made)), g.changedText()}
	case board.ActUnblock:
		return []string{pick(g.rt, "+keep", "saved=left", "+x")}
	case board.ActClaim:
		return []string{pick(g.rt, "saved=left", "+x")}
	case board.ActAbandon:
		return []string{pick(g.rt, "+cascade", "+x")}
	case board.ActEdit:
		return []string{pick(g.rt, task, task+"<a1", task+"<a2,a3"), pick(g.rt, "owns=src/", "limits=iterations:1", "+x")}
	}
	return nil
}

// nonsense is any act with words that fit some act.
func (g *gamble) nonsense(who string) (Move, *Facts) {
	rt := g.rt
	if g.board.Agent(board.AgentID(who)) != nil {
		who += pick(rt, "", "", "", ".child", ".bare")
	}
	who = strings.TrimSuffix(who+"@"+g.behind(strings.TrimSuffix(strings.TrimSuffix(who, ".child"), ".bare")), "@")
	acts := slices.Sorted(maps.Keys(details))
	act := pick(rt, append(acts, board.ActAdopt, board.ActAdopt, board.ActSpecChange, board.ActSpecChange, board.ActAdd, board.ActAdd, board.ActAdd, board.ActFinalize, board.ActFinalize, board.ActArchive, board.ActGoal, board.ActComplete, board.ActReopen, board.ActSprintStart, board.ActSprintClose, board.ActSession, board.ActSession, board.ActSession)...)
	fields := []string{who, act.String()}
	switch act {
	case board.ActPrincipal:
		fields = append(fields, g.account()...)
	case board.ActAdd, board.ActImport:
		fields = append(fields, fmt.Sprintf("a%d", pick(rt, 1, 2, 3, 4, 5))+pick(rt, "", "", "<a1", "<a2,a3"), pick(rt, "+draft", "owns=src/", "+x"))
	case board.ActRegister, board.ActUnregister, board.ActDegrade:
		fields = append(fields, pick(rt, players[:8]...), "as="+pick(rt, "a", "b"), pick(rt, "+takeover", "+x"))
	case board.ActDecide:
		fields = append(fields, "CONTINUE")
	case board.ActAnomaly:
		fields = append(fields, "workaround")
	case board.ActConvert:
		fields = append(fields, pick(rt, append(g.board.IDs(board.Discovered), "sprint-1/9")...), fmt.Sprintf("d%d", len(g.made)))
	case board.ActAnswer, board.ActTake:
		fields = append(fields, pick(rt, append(g.board.IDs(board.Questions), "sprint-1/9")...))
	case board.ActDismissRecord:
		kind := pick(rt, "anomaly", "discovery", "note")
		fields = append(fields, pick(rt, append(g.board.IDs(board.RecordKinds[kind]), "sprint-1/9")...), "kind="+kind)
	case board.ActAmend:
		fields = append(fields, pick(rt, "goal", "config"))
	case board.ActGoal:
		fields = append(fields, fmt.Sprintf("goal-%d", len(g.made)), "priority="+pick(rt, "0", "1", "5"))
	case board.ActComplete:
		fields = append(fields, "open="+pick(rt, "", "keep", "abandon", "move", "move", "move"), "to="+pick(rt, append(g.board.IDs(board.Goals), "")...))

	case board.ActRetro:
		fields = append(fields, "sprint-1")
	case board.ActAdopt:
		fields = append(fields, fmt.Sprintf("x%d", len(g.made)), "tasks="+pick(rt, "a1", "a2", ""), pick(rt, "+accept", "+x"), g.changedText())
	case board.ActSpecChange:
		fields = append(fields, pick(rt, []string{"+x"}, g.sameMeaning())...)
	case board.ActAccept:
		for _, text := range QueryTexts(g.board) {
			fields = append(fields, text.Path)
		}
	case board.ActConfig:
		fields = append(fields, "limits=mergefails:"+pick(rt, "1", "2", "9"), pick(rt, "task", "sprint", "goal")+"="+pick(rt, "0", "90", "0/0.00005", "900"))
	case board.ActSession:
		fields = append(fields, pick(rt, append(append(g.board.IDs(board.Tasks), ""), g.board.IDs(board.Archive)...)...), "outcome="+pick(rt, SessionOutcomes()...), "used=input:20,cached:5,cost:"+pick(rt, "0", "7"))
	default:
		fields = append(fields, pick(rt, append(g.board.IDs(board.Tasks), "zz")...), "+x")
	}
	if act.NamesGoal() {
		fields = append(fields, pick(rt, "+y", "in="+pick(rt, g.board.IDs(board.Goals)...)))
	}
	return g.moveOf(append(fields, pick(rt, "+y", "+y", "+y", "git:missing", "git:apart")))
}
