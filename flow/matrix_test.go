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
)

var update = flag.Bool("update", false, "write testdata/matrix.golden anew")

// TestMatrix holds every act on a task, in every state, by every kind of
// actor, against testdata/matrix.golden: the state that it leads to, or the
// rule that refuses it. The details are those of a correct command.
func TestMatrix(t *testing.T) {
	t.Parallel()
	got := drawMatrix(t)
	const golden = "testdata/matrix.golden"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "go test ./flow -run TestMatrix -update writes it anew")
}

// towards are the steps that bring task-1 into each state. coder-1 and
// code-reviewer-1 are whoever holds it.
var towards = map[Status]string{
	Draft:             "human:eve add task-1 +draft",
	Unclaimed:         "human:eve add task-1",
	Claimed:           "coder-1 claim task-1 | coder-1 intent task-1",
	ReadyForReview:    "coder-1 submit task-1 c1 | code-reviewer-1 review task-1",
	Rejected:          "code-reviewer-1 reject task-1",
	Approved:          "code-reviewer-1 approve task-1",
	Blocked:           "coder-1 block task-1",
	IntegrationFailed: "coder-1 integration_fail task-1",
	Merged:            "coder-1 merge task-1",
	Superseded:        "human:eve supersede task-1 task-2",
	Abandoned:         "human:eve abandon task-1",
}

// ways are the states that lead to each state.
var ways = map[Status][]Status{
	Draft:             {Draft},
	Unclaimed:         {Unclaimed},
	Claimed:           {Unclaimed, Claimed},
	ReadyForReview:    {Unclaimed, Claimed, ReadyForReview},
	Rejected:          {Unclaimed, Claimed, ReadyForReview, Rejected},
	Approved:          {Unclaimed, Claimed, ReadyForReview, Approved},
	Blocked:           {Unclaimed, Claimed, Blocked},
	IntegrationFailed: {Unclaimed, Claimed, ReadyForReview, Approved, IntegrationFailed},
	Merged:            {Unclaimed, Claimed, ReadyForReview, Approved, Merged},
	Superseded:        {Unclaimed, Superseded},
	Abandoned:         {Unclaimed, Abandoned},
}

// columns are the actors; those with a registered id act as its supervisor.
var columns = []struct{ title, actor string }{
	{"planner", "planner-1"},
	{"coder", "coder-1"},
	{"its child", "coder-1.child"},
	{"other coder", "coder-2"},
	{"reviewer", "code-reviewer-1"},
	{"its child", "code-reviewer-1.child"},
	{"other reviewer", "code-reviewer-2"},
	{"human", "human:ann"},
}

const cast = "human:eve register planner-1 as=p | human:eve register coder-1 as=c | human:eve register coder-2 as=o" +
	"| human:eve register code-reviewer-1 as=r | human:eve register code-reviewer-2 as=q"

func drawMatrix(t *testing.T) string {
	var b strings.Builder
	b.WriteString("The state that an act on a task leads to, or the rule that refuses it.\n")
	for _, status := range Statuses() {
		at := sceneAt(t, status)
		fmt.Fprintf(&b, "\n%-20s", status)
		for _, c := range columns {
			fmt.Fprintf(&b, "%-20s", c.title)
		}
		b.WriteString("\n")
		alike := map[string][]string{}
		for _, act := range Acts() {
			if !takesTask(act) && act != ActFinalize {
				continue
			}
			row := make([]string, len(columns))
			for i, c := range columns {
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

// sceneAt is a board on which task-1 has come into a state.
func sceneAt(t *testing.T, status Status) *scene {
	s := opened(t)
	steps := []string{cast}
	for _, on := range ways[status] {
		steps = append(steps, towards[on])
	}
	for _, step := range strings.Split(strings.Join(steps, "|"), "|") {
		require.Empty(t, s.step(strings.TrimSpace(step), new(record)))
	}
	require.Equal(t, status, s.board.Task("task-1").Status)
	return s
}

// outcomeOf tries an act and leaves the scene as it is.
func (s *scene) outcomeOf(act Act, actor string) string {
	fields := []string{actor, act.String(), "task-1"}
	switch act {
	case ActSubmit:
		fields = append(fields, "c2")
	case ActSupersede:
		fields = append(fields, "task-9")
	}
	try := *s
	move, facts := try.moveOf(fields)
	if refusal := try.judge(move, facts); refusal != nil {
		return string(refusal.Rule)
	}
	return try.board.Task("task-1").Status.String()
}
