package flow

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
)

// TestRandomQuestions plays a loop of two tasks at once and a goal whose tasks come from a
// plan, with classes, allowances and questions: whatever comes, no more tasks are claimed
// than the loop allows, none by a text that keeps agents away, no plan is imported that is
// not approved, and questions neither wait in a circle nor outlive their tasks.
func TestRandomQuestions(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for game := range 14 {
		playQuestions(t, uint64(game), seen)
	}
	for _, what := range []string{"claim", "ask", "child", "take", "answer", "import", "classify", "allow",
		"refused circle", "refused depth", "refused parallel", "refused budget", "refused class", "refused due", "refused artifact"} {
		require.NotZero(t, seen[what], "%s: %v", what, seen)
	}
}

const planWorkflow = "workflow=p:PLAN[art=plan@docs/{goal}/plan.md@1];BUILD;END"

// playQuestions plays a game, and all of its moves once more as a judge of history does.
func playQuestions(t *testing.T, seed uint64, seen map[string]int) {
	r := rand.New(rand.NewPCG(seed, 13))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	s := staged(t, "human:ann config attempts=40 rate=-50 | human:ann goal goal-2 workflow=loop*2:RUN loop=3 | human:ann goal goal-3 "+planWorkflow+
		"| human:ann add a1 a2 a3 a4 a5 in=goal-2 | human:ann add b1 b2 b3 phase=any in=goal-3")
	first, now := s.docs, s.now
	var made []Move
	agents := []string{"coder-1", "coder-2", "coder-3", "architect-1", "planner-1", "manager-1", "human:ann"}
	for n := range 320 {
		s.now = s.now.Add(time.Duration(r.IntN(90)) * time.Second)
		task, who, plan := s.anyOpen(r), pick(agents...), "docs/goal-3/plan.md"
		question, asked, taken := s.anyQuestion(r)
		holder, to := s.holderOf(r), pick("architect", "manager", "planner", "coder", "human")
		var step string
		switch r.IntN(15) {
		case 0, 1:
			step = pick(pick("coder-1", "coder-2", "coder-3"), who) + " claim " + task
		case 2:
			step = pick(who+" release "+task, "human:ann add n"+fmt.Sprint(n)+" in=goal-2")
		case 3, 4:
			step = pick(holder, holder, holder, who) + " ask to=" + to
		case 5, 6:
			step = pick(asked, asked, asked, who) + " take " + question
		case 7, 8, 13, 14:
			step = pick(taken, taken, taken, who) + " ask to=" + to + " parent=" + question + pick("", "", " about="+task)
		case 9:
			step = pick(taken, who, who) + " answer " + question + " text=t" + fmt.Sprint(n)
		case 10:
			class := "class=mixed/bounded/" + pick("allowed", "allowed", "forbidden", "discouraged") + "/optional/"
			adopt := "human:ann adopt h" + fmt.Sprint(n) + " git:text=specs/vision.md:v" + fmt.Sprint(n)
			step = pick(pick("human:ann", "planner-1")+" abandon "+task, "human:ann classify specs/vision.md +allow", adopt, adopt+" git:"+class+"declared",
				pick("human:ann", who)+" classify specs/vision.md "+class+"person", "human:ann classify specs/vision.md "+class+"person")
		case 11, 12:
			step = pick("human:ann adopt p"+fmt.Sprint(n)+" found="+plan, "human:ann accept "+plan, "coder-1 phase in=goal-3", "human:ann phase PLAN reason=again in=goal-3",
				pick("coder-1", "planner-1")+" import i"+fmt.Sprint(n)+" plan="+plan+pick("", "", "@v2")+" in=goal-3")
		}
		m, facts := s.moveOf(strings.Fields(step))
		if Already(s.board, m) {
			continue
		}
		before := s.board
		if refusal := s.judge(m, facts); refusal != nil {
			seen["refused "+string(refusal.Rule)]++
			continue
		}
		made = append(made, m)
		s.notedQuestion(before, m, seen)
		s.soundQuestions()
	}
	again := &scene{t: t, docs: first, board: board.Open(first, now)}
	for _, m := range made {
		next, err := Apply(again.board, m, nil)
		require.NoError(t, err)
		again.docs = again.docs.With(next.Changes())
		again.board = board.Open(again.docs, m.At)
	}
	require.Equal(t, s.dump(), again.dump(), "the replay of the game")
}

// anyQuestion is an open question, one whom it is asked of, and who has taken it.
func (s *scene) anyQuestion(r *rand.Rand) (id, asked, taken string) {
	var open []*board.Question
	for _, id := range s.board.IDs(board.Questions) {
		if q := board.FindQuestion(s.board, board.RecordID(id)); q.IsOpen() {
			open = append(open, q)
		}
	}
	if len(open) == 0 || r.IntN(20) == 0 {
		return "sprint-1/1", "planner-1", "planner-1"
	}
	q := open[r.IntN(len(open))]
	asked, taken = q.To.String()+"-1", "human:ann"
	if q.To == "" || q.To == board.HumanRole {
		asked = "human:ann"
	}
	if q.Lease != nil {
		taken = string(q.Lease.By)
	}
	return string(q.ID), asked, taken
}

// anyOpen is a task that is not final, mostly.
func (s *scene) anyOpen(r *rand.Rand) string {
	list := []string{"a1"}
	for _, t := range s.board.Summaries() {
		if !t.Status.Final() {
			list = append(list, string(t.ID))
		}
	}
	return list[r.IntN(len(list))]
}

// holderOf is somebody that holds a task.
func (s *scene) holderOf(r *rand.Rand) string {
	holders := []string{"coder-1"}
	for _, t := range s.board.Summaries() {
		if t.Status == board.Claimed {
			holders = append(holders, string(t.Coder))
		}
	}
	return holders[r.IntN(len(holders))]
}

// notedQuestion holds an accepted move to what loops, classes and plans promise.
func (s *scene) notedQuestion(before *board.Board, m Move, seen map[string]int) {
	seen[m.Act.String()]++
	switch d := m.Detail.(type) {
	case *ClaimMove:
		was := before.Task(m.Task)
		if l := before.Goal(was.Goal).Loop; l != nil && !m.By.IsHuman() {
			require.Less(s.t, l.Used, l.Iterations)
			require.Equal(s.t, l.Used+1, s.board.Goal(was.Goal).Loop.Used)
		}
		if doc := before.Tracked(vision); !m.By.IsHuman() && doc != nil && doc.Class != nil && doc.Allowance == nil {
			require.False(s.t, doc.Class.Binds() && doc.Class.Loop == automation.Forbidden, "%s claimed by a text that is %s", m.Task, doc.Class.Loop)
		}
	case *AskMove:
		if d.Parent != "" {
			seen["child"]++
			return
		}
		require.Equal(s.t, m.By, before.Task(board.FindQuestion(s.board, board.RecordID(lastID(s.board.IDs(board.Questions)))).Task).Claim.By, "who asks holds the task")
	case *ImportMove:
		doc := before.Tracked(d.Plan.Path)
		require.True(s.t, doc.Approved() && doc.Blob == d.Plan.Blob && before.Goal("goal-3").Phase != "PLAN")
	case *ClassifyMove:
		if d.Allow {
			seen["allow"]++
		}
		require.True(s.t, m.By.IsHuman(), "an agent said a class")
	}
}

// lastID is the id with the highest number.
func lastID(list []string) (last string) {
	number := func(id string) (n int) {
		_, digits, _ := strings.Cut(id, "/")
		_, _ = fmt.Sscan(digits, &n)
		return n
	}
	for _, id := range list {
		if last == "" || number(id) > number(last) {
			last = id
		}
	}
	return last
}

// soundQuestions holds the board to what is true of loops and questions at any time.
func (s *scene) soundQuestions() {
	claimed := 0
	for _, t := range s.board.Summaries() {
		if t.Goal == "goal-2" && t.Status == board.Claimed {
			claimed++
		}
		require.True(s.t, !t.Status.Final() || len(s.board.Task(t.ID).Asking) == 0, "%s is final and asks", t.ID)
	}
	require.LessOrEqual(s.t, claimed, 2)
	for _, id := range s.board.IDs(board.Questions) {
		q := board.FindQuestion(s.board, board.RecordID(id))
		depth := 1
		for up := q; up.Parent != ""; depth++ {
			parent := board.FindQuestion(s.board, up.Parent)
			require.Equal(s.t, q.Task, parent.Task)
			require.True(s.t, !up.IsOpen() || parent.IsOpen(), "%s outlives %s", up.ID, parent.ID)
			require.False(s.t, q.To != "" && q.To != board.HumanRole && parent.From.Role() == q.To, "%s asks who waits for it in %s", q.ID, parent.ID)
			up = parent
		}
		require.LessOrEqual(s.t, depth, maxAskDepth)
	}
}
