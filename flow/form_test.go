package flow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// TestMalformedMoves: what no command builds, but somebody may push.
func TestMalformedMoves(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | human:ann register coder-1 as=a")
	note := func() Move { return s.by("human:ann", board.ActNote, "", &NoteMove{For: "all", Text: "x"}) }
	for name, c := range map[string]struct {
		rule  Rule
		spoil func(*Move)
	}{
		"no act":               {RuleForm, func(m *Move) { m.Act = 0 }},
		"an unknown act":       {RuleForm, func(m *Move) { m.Act = 200 }},
		"no fields":            {RuleForm, func(m *Move) { m.Detail = nil }},
		"fields of another":    {RuleForm, func(m *Move) { m.Detail = &PauseMove{"x"} }},
		"no request":           {RuleForm, func(m *Move) { m.Request = "" }},
		"no actor":             {RuleForm, func(m *Move) { m.By = "" }},
		"no such actor":        {RuleForm, func(m *Move) { m.By = "ann" }},
		"no time":              {RuleForm, func(m *Move) { m.At = time.Time{} }},
		"a local time":         {RuleForm, func(m *Move) { m.At = m.At.In(time.FixedZone("CET", 3600)) }},
		"half a second":        {RuleForm, func(m *Move) { m.At = m.At.Add(time.Second / 2) }},
		"an earlier time":      {RuleTime, func(m *Move) { m.At = m.At.Add(-time.Second) }},
		"a human's generation": {RuleStale, func(m *Move) { m.Generation = generationOf("a") }},
		"a stranger's generation": {RuleStale, func(m *Move) {
			m.By, m.Generation = "coder-2", generationOf("a")
		}},
		"a stranger's child": {RuleStale, func(m *Move) {
			m.By, m.Generation = "coder-2", generationOf("a").Child()
		}},
		"a task where there is none": {RuleForm, func(m *Move) { m.Task = "a" }},
		"no task where there is one": {RuleNotFound, func(m *Move) { m.Act, m.Detail = board.ActRelease, &ReleaseMove{} }},
		"a task in other letters":    {RuleNotFound, func(m *Move) { m.Act, m.Task, m.Detail = board.ActAbandon, "A", &AbandonMove{Reason: "x"} }},
		"no agent to register":       {RuleForm, func(m *Move) { m.Act, m.Detail = board.ActRegister, &RegisterMove{} }},
		"a child's registration": {RuleForm, func(m *Move) {
			m.Act, m.Detail = board.ActRegister, &RegisterMove{Agent: "coder-2", Generation: generationOf("b").Child()}
		}},
		"a format that is none":        {RuleForm, func(m *Move) { m.Act, m.Detail = board.ActRegister, &RegisterMove{Agent: "coder-2", Format: -1} }},
		"more tasks than a move holds": {RuleLimit, func(m *Move) { m.Act, m.Detail = board.ActAdd, &AddMove{Tasks: make(inputs, board.MaxTasks+1)} }},
	} {
		m := note()
		c.spoil(&m)
		m.Goal = GoalOf(s.board, m)
		refusal := s.judge(m, &Facts{})
		require.NotNil(t, refusal, name)
		require.Equal(t, c.rule, refusal.Rule, "%s: %s", name, refusal.Reason)
		if m.Detail != nil {
			require.NotNil(t, Opens(s.board, 200, "", Caller{m.By, m.Principal, m.Generation}, m.At))
		}
	}
	require.Nil(t, s.judge(note(), &Facts{}))
}

// A board of a newer format is neither judged nor changed.
func TestNewerRules(t *testing.T) {
	t.Parallel()
	s := opened(t)
	newer := s.board.Settings()
	newer.Format++
	b := s.with(board.Key{Folder: board.SettingsDoc}, &newer)
	_, err := Apply(b, s.by("human:ann", board.ActPause, "", &PauseMove{"x"}), nil)
	var r *Refusal
	require.ErrorAs(t, err, &r)
	require.Equal(t, RuleFormat, r.Rule)
	require.Contains(t, r.Reason, "newer git-liza")
	require.Equal(t, RuleFormat, Opens(b, board.ActPause, "", Caller{By: "human:ann"}, s.now).Rule)
}

// TestAlreadyIsOnlyForTheCaller: a fenced caller is told so, not that all is
// well; without a board nothing is done already.
func TestAlreadyIsOnlyForTheCaller(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | human:ann register coder-1 as=a | coder-1 claim a")
	m, _ := s.moveOf([]string{"coder-1", "claim", "a"})
	require.True(t, Already(s.board, m))
	m.Generation = generationOf("b")
	require.False(t, Already(s.board, m))
	m, _ = s.moveOf([]string{"coder-2", "claim", "a"})
	require.False(t, Already(s.board, m))
	m, _ = s.moveOf([]string{"coder-1", "claim", "zz"})
	require.False(t, Already(s.board, m))
	nothing := empty(t)
	require.False(t, Already(nothing.board, nothing.by("human:ann", board.ActPause, "", &PauseMove{"x"})))
}

func TestDefaultConfigIsAccepted(t *testing.T) {
	t.Parallel()
	c := board.DefaultConfig()
	require.Nil(t, checkConfig(&c, "git liza"))
	for name, spoil := range map[string]func(*board.Config){
		"no lease":               func(c *board.Config) { c.Lease = 0 },
		"no review lease":        func(c *board.Config) { c.ReviewLease = 0 },
		"no iterations":          func(c *board.Config) { c.Limits.Iterations = 0 },
		"no merge failures":      func(c *board.Config) { c.Limits.MergeFails = 0 },
		"no reviews":             func(c *board.Config) { c.Limits.NoVerdicts = 0 },
		"many coders":            func(c *board.Config) { c.Limits.FailedCoders = board.MaxList + 1 },
		"a negative depth":       func(c *board.Config) { c.SupersedeDepth = -1 },
		"a negative alarm":       func(c *board.Config) { c.DriftAlarm = -1 },
		"a bad pattern of tests": func(c *board.Config) { c.Tests = []string{"a["} },
		"a bad pattern of never": func(c *board.Config) { c.Never = []string{"a["} },
		"a gate without time":    func(c *board.Config) { c.Gates = []board.Gate{{Name: "a", Command: "x"}} },
		"a gate without name":    func(c *board.Config) { c.Gates = []board.Gate{{Command: "x", Timeout: board.Duration(time.Minute)}} },
	} {
		c := board.DefaultConfig()
		spoil(&c)
		require.NotNil(t, checkConfig(&c, "git liza"), name)
	}
	g, ok := board.Config{Gates: []board.Gate{{Name: "unit"}}}.Gate("unit")
	require.True(t, ok)
	require.Equal(t, "unit", g.Name)
	_, ok = c.Gate("unit")
	require.False(t, ok)
}
