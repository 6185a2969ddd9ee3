package flow

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

var update = flag.Bool("update", false, "write testdata/matrix.golden anew")

// TestMatrix holds every act on a task, in every state, by every kind of
// actor, against golden files: the state that it leads to, or the rule that
// refuses it. The details are those of a correct command. principals.golden is
// the same on a board that knows who stands behind the actors.
func TestMatrix(t *testing.T) {
	t.Parallel()
	for golden, m := range map[string]matrix{"testdata/matrix.golden": plain, "testdata/principals.golden": governed} {
		got := m.draw(t)
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), got, "go test ./flow -run TestMatrix -update writes it anew")
	}
}

// A matrix is what has happened before task-1 is there, and the actors that
// then try everything; those with a registered id act as its supervisor.
type matrix struct {
	cast    string
	columns []column
	behind  *strings.Replacer // gives the actors of towards their principals
}

type column struct{ title, actor string }

var plain = matrix{
	cast: "human:eve register planner-1 as=p | human:eve register coder-1 as=c | human:eve register coder-2 as=o" +
		"| human:eve register code-reviewer-1 as=r | human:eve register code-reviewer-2 as=q" +
		"| human:eve role tester judges | human:eve register tester-1 as=t | human:eve role writer does | human:eve register writer-1 as=w",
	columns: []column{
		{"planner", "planner-1"},
		{"coder", "coder-1"},
		{"its child", "coder-1.child"},
		{"other coder", "coder-2"},
		{"reviewer", "code-reviewer-1"},
		{"its child", "code-reviewer-1.child"},
		{"other reviewer", "code-reviewer-2"},
		{"human", "human:ann"},
		{"other judge", "tester-1"},
		{"other doer", "writer-1"},
	},
	behind: strings.NewReplacer(),
}

// Host codes, desk reviews, gate is a coder's machine that alone merges; both
// is a machine for coders and reviewers; ann governs, bob is another human.
var governed = matrix{
	cast: "human:eve principal ann rights=admin | human:eve@ann principal bob agents=human:*" +
		"| human:eve@ann principal host kind=machine roles=coder | human:eve@ann principal desk kind=machine agents=code-reviewer-*" +
		"| human:eve@ann principal gate kind=machine roles=coder rights=merge | human:eve@ann principal both kind=machine roles=coder,code-reviewer" +
		"| coder-1@host register coder-1 as=c | coder-2@gate register coder-2 as=g | coder-3@both register coder-3 as=o" +
		"| code-reviewer-1@desk register code-reviewer-1 as=r | code-reviewer-2@both register code-reviewer-2 as=q",
	columns: []column{
		{"coder@host", "coder-1@host"},
		{"its child", "coder-1.child@host"},
		{"coder@gate", "coder-2@gate"},
		{"coder@both", "coder-3@both"},
		{"reviewer@desk", "code-reviewer-1@desk"},
		{"reviewer@both", "code-reviewer-2@both"},
		{"human@ann", "human:ann@ann"},
		{"human@bob", "human:bob@bob"},
	},
	behind: strings.NewReplacer("human:eve", "human:eve@ann", "coder-1 merge", "coder-2@gate merge", "coder-1 integration", "coder-2@gate integration",
		"coder-1 ", "coder-1@host ", "code-reviewer-1", "code-reviewer-1@desk"),
}

// impostors are refused whatever they try on the governed board, and in every
// state: accounts that do not act as the actor, that another has registered,
// that nobody knows, and none.
var impostors = []string{"coder-1@both", "coder-1.child@gate", "coder-1", "coder-1@desk", "coder-9@eve", "code-reviewer-1@host",
	"code-reviewer-2@desk", "planner-1@host", "human:bob@host", "human:ann", "human:bob@Bob"}

func TestImpostors(t *testing.T) {
	t.Parallel()
	for _, status := range board.Statuses() {
		at := governed.at(t, status)
		for _, who := range impostors {
			for act := range pageOfTasks {
				m, facts := at.moveOf([]string{who, act.String(), "task-1", "c2"})
				r := new(Refusal)
				_, err := Apply(at.board, m, facts)
				require.ErrorAs(t, err, &r, "%s %s", who, act)
				require.Equal(t, RulePrincipal, r.Rule, "%s %s: %s", who, act, r.Reason)
				require.False(t, Already(at.board, m), "%s %s", who, act)
			}
			require.Empty(t, Acts(at.board, "task-1", at.caller(who), at.now), who)
			require.Empty(t, movesOf(at.board, at.caller(who), at.now), who)
		}
	}
}

// caller is who an actor of a scenario is.
func (s *scene) caller(who string) Caller {
	m, _ := s.moveOf([]string{who, board.ActPause.String()})
	return Caller{m.By, m.Principal, m.Generation}
}

// towards are the steps that bring task-1 into each state. coder-1 and
// code-reviewer-1 hold it.
var towards = map[board.Status]string{
	board.Draft:             "human:eve add task-1 +draft",
	board.Unclaimed:         "human:eve add task-1",
	board.Claimed:           "coder-1 claim task-1 | coder-1 intent task-1",
	board.ReadyForReview:    "coder-1 submit task-1 c1 | code-reviewer-1 review task-1",
	board.Rejected:          "code-reviewer-1 reject task-1",
	board.Approved:          "code-reviewer-1 approve task-1",
	board.Blocked:           "coder-1 block task-1",
	board.IntegrationFailed: "coder-1 integration_fail task-1",
	board.Merged:            "coder-1 merge task-1",
	board.Superseded:        "human:eve supersede task-1 task-2",
	board.Abandoned:         "human:eve abandon task-1",
}

// ways are the states that lead to each state.
var ways = map[board.Status][]board.Status{
	board.Draft:             {board.Draft},
	board.Unclaimed:         {board.Unclaimed},
	board.Claimed:           {board.Unclaimed, board.Claimed},
	board.ReadyForReview:    {board.Unclaimed, board.Claimed, board.ReadyForReview},
	board.Rejected:          {board.Unclaimed, board.Claimed, board.ReadyForReview, board.Rejected},
	board.Approved:          {board.Unclaimed, board.Claimed, board.ReadyForReview, board.Approved},
	board.Blocked:           {board.Unclaimed, board.Claimed, board.Blocked},
	board.IntegrationFailed: {board.Unclaimed, board.Claimed, board.ReadyForReview, board.Approved, board.IntegrationFailed},
	board.Merged:            {board.Unclaimed, board.Claimed, board.ReadyForReview, board.Approved, board.Merged},
	board.Superseded:        {board.Unclaimed, board.Superseded},
	board.Abandoned:         {board.Unclaimed, board.Abandoned},
}

func (m matrix) draw(t *testing.T) string {
	var b strings.Builder
	b.WriteString("The state that an act on a task leads to, or the rule that refuses it.\n")
	for _, status := range board.Statuses() {
		at := m.at(t, status)
		fmt.Fprintf(&b, "\n%-20s", status)
		for _, c := range m.columns {
			fmt.Fprintf(&b, "%-20s", c.title)
		}
		b.WriteString("\n")
		alike := map[string][]string{}
		for _, act := range board.Acts() {
			if !takesTask(act) && act != board.ActFinalize {
				continue
			}
			row := make([]string, len(m.columns))
			for i, c := range m.columns {
				row[i] = at.outcomeOf(act, c.actor)
			}
			if len(slices.Compact(slices.Clone(row))) == 1 {
				alike[row[0]] = append(alike[row[0]], act.String())
				continue
			}
			fmt.Fprintf(&b, "  %-18s", act)
			for _, cell := range row {
				fmt.Fprintf(&b, "%-20s", cell)
			}
			b.WriteString("\n")
		}
		for _, rule := range slices.Sorted(maps.Keys(alike)) {
			fmt.Fprintf(&b, "  %s for all: %s\n", rule, strings.Join(alike[rule], " "))
		}
	}
	return regexp.MustCompile(` +\n`).ReplaceAllString(b.String(), "\n")
}

// sceneAt is a board without principals on which task-1 has come into a state.
func sceneAt(t *testing.T, status board.Status) *scene { return plain.at(t, status) }

// at is the matrix's board when task-1 has come into a state.
func (m matrix) at(t *testing.T, status board.Status) *scene {
	s := opened(t)
	steps := []string{m.cast}
	for _, on := range ways[status] {
		steps = append(steps, m.behind.Replace(towards[on]))
	}
	for _, step := range strings.Split(strings.Join(steps, "|"), "|") {
		require.Empty(t, s.step(strings.TrimSpace(step), new(record)))
	}
	require.Equal(t, status, s.board.Task("task-1").Status)
	return s
}

// outcomeOf tries an act and leaves the scene as it is.
func (s *scene) outcomeOf(act board.Act, actor string) string {
	fields := []string{actor, act.String(), "task-1"}
	switch act {
	case board.ActSubmit:
		fields = append(fields, "c2")
	case board.ActSupersede:
		fields = append(fields, "task-9")
	}
	s.remember()
	try := *s
	move, facts := try.moveOf(fields)
	if refusal := try.judge(move, facts); refusal != nil {
		return string(refusal.Rule)
	}
	return try.board.Task("task-1").Status.String()
}
