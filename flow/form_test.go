package flow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMalformedMoves: what no command builds, but somebody may push.
func TestMalformedMoves(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | human:ann register coder-1 as=a")
	note := func() Move { return s.by("human:ann", ActNote, "", &NoteMove{For: "all", Text: "x"}) }
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
		"no task where there is one": {RuleNotFound, func(m *Move) { m.Act, m.Detail = ActRelease, &ReleaseMove{} }},
		"a task in other letters":    {RuleNotFound, func(m *Move) { m.Act, m.Task, m.Detail = ActAbandon, "A", &AbandonMove{Reason: "x"} }},
		"no agent to register":       {RuleForm, func(m *Move) { m.Act, m.Detail = ActRegister, &RegisterMove{} }},
		"a child's registration": {RuleForm, func(m *Move) {
			m.Act, m.Detail = ActRegister, &RegisterMove{Agent: "coder-2", Generation: generationOf("b").Child()}
		}},
		"a format that is none":        {RuleForm, func(m *Move) { m.Act, m.Detail = ActRegister, &RegisterMove{Agent: "coder-2", Format: -1} }},
		"more tasks than a move holds": {RuleLimit, func(m *Move) { m.Act, m.Detail = ActAdd, &AddMove{Tasks: make(inputs, MaxTasks+1)} }},
	} {
		m := note()
		c.spoil(&m)
		m.Goal = s.board.GoalOf(m)
		refusal := s.judge(m, &Facts{})
		require.NotNil(t, refusal, name)
		require.Equal(t, c.rule, refusal.Rule, "%s: %s", name, refusal.Reason)
		if m.Detail != nil {
			require.NotNil(t, s.board.Opens(200, "", Caller{m.By, m.Principal, m.Generation}, m.At))
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
	b := s.with(Key{Folder: SettingsDoc}, &newer)
	_, err := b.Apply(s.by("human:ann", ActPause, "", &PauseMove{"x"}), nil)
	var r *Refusal
	require.ErrorAs(t, err, &r)
	require.Equal(t, RuleFormat, r.Rule)
	require.Contains(t, r.Reason, "newer git-liza")
	require.Equal(t, RuleFormat, b.Opens(ActPause, "", Caller{By: "human:ann"}, s.now).Rule)
}

// TestAlreadyIsOnlyForTheCaller: a fenced caller is told so, not that all is
// well; without a board nothing is done already.
func TestAlreadyIsOnlyForTheCaller(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann add a | human:ann register coder-1 as=a | coder-1 claim a")
	m, _ := s.moveOf([]string{"coder-1", "claim", "a"})
	require.True(t, s.board.Already(m))
	m.Generation = generationOf("b")
	require.False(t, s.board.Already(m))
	m, _ = s.moveOf([]string{"coder-2", "claim", "a"})
	require.False(t, s.board.Already(m))
	m, _ = s.moveOf([]string{"coder-1", "claim", "zz"})
	require.False(t, s.board.Already(m))
	nothing := empty(t)
	require.False(t, nothing.board.Already(nothing.by("human:ann", ActPause, "", &PauseMove{"x"})))
}

func TestDefaultConfigIsAccepted(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	require.Nil(t, c.check("git liza"))
	for name, spoil := range map[string]func(*Config){
		"no lease":               func(c *Config) { c.Lease = 0 },
		"no review lease":        func(c *Config) { c.ReviewLease = 0 },
		"no iterations":          func(c *Config) { c.Limits.Iterations = 0 },
		"no merge failures":      func(c *Config) { c.Limits.MergeFails = 0 },
		"no reviews":             func(c *Config) { c.Limits.NoVerdicts = 0 },
		"many coders":            func(c *Config) { c.Limits.FailedCoders = MaxList + 1 },
		"a negative depth":       func(c *Config) { c.SupersedeDepth = -1 },
		"a negative alarm":       func(c *Config) { c.DriftAlarm = -1 },
		"a bad pattern of tests": func(c *Config) { c.Tests = []string{"a["} },
		"a bad pattern of never": func(c *Config) { c.Never = []string{"a["} },
		"a gate without time":    func(c *Config) { c.Gates = []Gate{{Name: "a", Command: "x"}} },
		"a gate without name":    func(c *Config) { c.Gates = []Gate{{Command: "x", Timeout: Duration(time.Minute)}} },
	} {
		c := DefaultConfig()
		spoil(&c)
		require.NotNil(t, c.check("git liza"), name)
	}
	g, ok := Config{Gates: []Gate{{Name: "unit"}}}.Gate("unit")
	require.True(t, ok)
	require.Equal(t, "unit", g.Name)
	_, ok = c.Gate("unit")
	require.False(t, ok)
}
