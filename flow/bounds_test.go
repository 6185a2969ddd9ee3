package flow

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A configuration that no rule could work with begins no board and changes none.
func TestConfigBounds(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		says  string
		spoil func(*board.Config)
	}{
		{"a lease and the grace last at least a second", func(c *board.Config) { c.ReviewLease = 0 }},
		{"a limit is at least 1", func(c *board.Config) { c.Limits.Cycles = 0 }},
		{"a limit is at least 1", func(c *board.Config) { c.BlobLimit = 0 }},
		{"so no limit of them is higher", func(c *board.Config) { c.Limits.FailedCoders = board.MaxList + 1 }},
		{"so no limit of them is higher", func(c *board.Config) { c.Limits.Failures = board.MaxList + 1 }},
		{"no limit is negative", func(c *board.Config) { c.TextLimit = 255 }},
		{"no limit is negative", func(c *board.Config) { c.TextLimit = 64<<10 + 1 }},
		{"no limit is negative", func(c *board.Config) { c.SupersedeDepth = -1 }},
		{"no limit is negative", func(c *board.Config) { c.DriftAlarm = -1 }},
		{"a budget is negative or too large", func(c *board.Config) { c.Budgets.Goal.Tokens = -1 }},
		{"checkpoint.every is at most 1000000 merges", func(c *board.Config) { c.Checkpoint.Every = 1_000_001 }},
		{"checkpoint.every is at most 1000000 merges", func(c *board.Config) { c.Checkpoint.Every = -1 }},
		{"checkpoint.share at most 100 percent", func(c *board.Config) { c.Checkpoint.Share = 101 }},
		{"pressure.rate is at most 100 percent", func(c *board.Config) { c.Pressure.Rate = 101 }},
		{"pressure.rate is at most 100 percent", func(c *board.Config) { c.Pressure.Rate = -1 }},
		{"an alarm waits for at most 365 days", func(c *board.Config) { c.Alarms.PauseForgotten = board.Duration(366 * 24 * time.Hour) }},
		{"alarms.approaching lies between 0 and 100 percent", func(c *board.Config) { c.Alarms.Approaching = 101 }},
		{"alarms.approvals is not negative", func(c *board.Config) { c.Alarms.Approvals = -1 }},
		{"is no kind of alarm", func(c *board.Config) { c.Alarms.Off = []string{"Lease!"} }},
	} {
		first, s := newBoard(), opened(t)
		row.spoil(&first.Config)
		for _, r := range []*Refusal{s.play(s.by("human:ann", board.ActConfig, "", &ConfigMove{first.Config})), empty(t).play(s.by("human:ann", board.ActInit, "", first))} {
			require.NotNil(t, r, row.says)
			require.Equal(t, RuleForm, r.Rule)
			require.Contains(t, r.Reason, row.says)
		}
	}
	late := newBoard()
	late.Deadline = dawn
	s := empty(t)
	r := s.play(s.by("human:ann", board.ActInit, "", late))
	require.NotNil(t, r)
	require.Contains(t, r.Reason, "is in the past")
}

// New tasks and edits of one move count together.
func TestTasksOfOneMove(t *testing.T) {
	t.Parallel()
	s := opened(t)
	r := s.play(s.by("human:ann", board.ActAdd, "", &AddMove{Tasks: make(inputs, board.MaxTasks), Update: make(inputs, 1)}))
	require.NotNil(t, r)
	require.Equal(t, RuleLimit, r.Rule)
	require.Contains(t, r.Reason, "a move describes at most")
}

// A record of an agent that works names its task, whoever made the move.
func TestRecordsNameTheWork(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann register coder-1 as=c | human:ann add a | coder-1 claim a")
	for _, d := range []Detail{&AnomalyMove{Type: board.Workaround, Details: map[string]string{}}, &DiscoverMove{Text: "a leak", Severity: "low", Urgency: "deferred"}} {
		m := s.by("coder-1", board.ActAnomaly, "", d)
		if _, found := d.(*DiscoverMove); found {
			m.Act = board.ActDiscover
		}
		r := s.judge(m, agreeing(s.board, m))
		require.NotNil(t, r)
		require.Equal(t, RuleForm, r.Rule)
		require.Contains(t, r.Reason, "coder-1 works on a")
	}
}

func TestRulesOfReviewAreBounded(t *testing.T) {
	t.Parallel()
	s := opened(t)
	for i := range maxRules {
		r := s.play(s.by("human:ann", board.ActRequire, "", &RequireMove{Rule: board.ReviewRule{Role: "security-reviewer", Paths: []string{fmt.Sprintf("p%d/**", i)}}}))
		if i < maxRules-1 { // one is there from the beginning
			require.Nil(t, r)
			continue
		}
		require.NotNil(t, r)
		require.Equal(t, RuleLimit, r.Rule)
	}
}

// Whatever a move records of texts is what git says: no text more, none less, and none that
// is another one.
func TestFalseTextsOfMoves(t *testing.T) {
	t.Parallel()
	tested := map[board.Act]bool{}
	for _, row := range [][2]string{
		{"no board", "human:ann init"},
		{"", "planner-1 add a spec=docs/x.md"},
		{"human:ann add a", "planner-1 edit a spec=docs/x.md"},
		{"human:ann add a +draft spec=docs/x.md", "planner-1 finalize a"},
		{"human:ann add a", "planner-1 supersede a b spec=docs/x.md"},
		{"human:ann discover", "planner-1 convert sprint-1/1 a spec=docs/x.md"},
		{"", "human:ann import a spec=docs/x.md"},
		{"", "human:ann goal goal-2 spec=docs/x.md"},
		{"human:ann complete", "human:ann reopen in=goal-1"},
		{"", "human:ann amend goal spec=docs/x.md"},
		{"human:ann note", "human:ann amend note id=sprint-1/1"},
		{"", "human:ann amend config limits=cycles:2"},
		{"", "human:ann reload workflow=w:A[art=design@docs/*.md@1] found=docs/x.md"},
		{"human:ann reload workflow=w:A", "human:ann reload"},
		{"human:ann reload workflow=w:A;B", "human:ann phase"},
		{"human:ann reload workflow=w:A;B | human:ann phase", "human:ann phase A reason=again"},
		{"", "human:ann classify docs/x.md class=mixed/bounded/forbidden/optional/person"},
		{"", "human:ann accept specs/vision.md"},
		{"", "human:ann adopt h1 git:text=specs/vision.md:v2"},
		{"human:ann add a | " + strings.TrimSuffix(merging("a"), " | coder-1 merge a"), "coder-1 merge a git:text=specs/vision.md:v2"},
	} {
		s := empty(t)
		if row[0] != "no board" {
			s = after(t, row[0])
		}
		m, facts := s.moveOf(strings.Fields(row[1]))
		field := reflect.ValueOf(m.Detail).Elem().FieldByName("Texts")
		is := field.Interface().(texts)
		wrong := []texts{append(slices.Clip(is), board.Text{Path: "docs/none.md"})}
		if len(is) > 0 {
			other := slices.Clone(is)
			other[0].Blob = object("other")
			wrong = append(wrong, other, is[1:])
		}
		for _, said := range wrong {
			field.Set(reflect.ValueOf(said))
			r := s.judge(m, facts)
			require.NotNil(t, r, "%s: %v", row[1], said)
			require.Equal(t, RuleFact, r.Rule, "%s: %s", row[1], r.Reason)
		}
		field.Set(reflect.ValueOf(is))
		require.Nil(t, s.judge(m, facts), row[1])
		tested[m.Act] = true
	}
	for _, act := range board.Acts() {
		field, is := reflect.TypeOf(NewDetail(act)).Elem().FieldByName("Texts")
		require.Equal(t, is && field.Type == reflect.TypeFor[texts](), tested[act], act.String())
	}
}

// Each value of a record is a text.
func TestLongDetailOfARecord(t *testing.T) {
	t.Parallel()
	s := opened(t)
	long := &AnomalyMove{Type: board.Workaround, Details: map[string]string{"why": strings.Repeat("x", s.board.Settings().Config.TextLimit+1)}}
	r := s.play(s.by("coder-1", board.ActAnomaly, "", long))
	require.NotNil(t, r)
	require.Equal(t, RuleText, r.Rule)
}
