package board

import (
	"encoding"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestIDs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 64)
	for _, c := range []struct {
		what string
		id   encoding.TextUnmarshaler
		yes  []string
		no   []string
	}{
		{"task", new(TaskID), []string{"a", "task-1", "A.b_c-d", "x.lockx", long},
			[]string{"", "1a", "-a", ".a", "_a", "a b", "a/b", "a..b", "a.", "a.lock", "A.LOCK", "ä", "a\n", "@{-1}", "../../x", "board", "Queue", long + "a"}},
		{"agent", new(AgentID), []string{"coder-1", "code-reviewer-12", "planner-9", "security-reviewer-1", "x--y-1"},
			[]string{"", "coder", "coder-", "coder-0", "coder-01", "coder--1", "coder-+1", "Coder-1", "c-1", "-x-1", "human-1", "task-1", "goal-3", "all-1", "queue-1", "a_b-1", "coder-1 ", "coder-99999999999999999999"}},
		{"actor", new(Actor), []string{"coder-1", "human:ann", "human:a.b_c-1"},
			[]string{"", "ann", "human:", "human:Ann", "human:a b", "human:a/b", "human:" + long + "a"}},
		{"record", new(RecordID), []string{"sprint-1/1", "s/120"}, []string{"", "sprint-1", "sprint-1/0", "sprint-1/01", "/1", "a/b/1", "../1", "sprint-1/1/1"}},
		{"object", new(ObjectID), []string{strings.Repeat("0a", 20), strings.Repeat("f", 64)}, []string{"", "abc", strings.Repeat("A", 40), strings.Repeat("a", 41)}},
		{"generation", new(Generation), []string{"0123456789abcdef", "0123456789abcdef.child"}, []string{"", ".child", "0123456789abcde", "0123456789abcdef.child.child"}},
		{"request", new(Request), []string{"0123456789abcdef"}, []string{"", "0123456789abcdef.child", "0123456789ABCDEF"}},
	} {
		for _, text := range c.yes {
			require.NoError(t, c.id.UnmarshalText([]byte(text)), "%s id %q", c.what, text)
		}
		for _, text := range c.no {
			err := c.id.UnmarshalText([]byte(text))
			require.Error(t, err, "%s id %q", c.what, text)
			require.Less(t, len(err.Error()), 400)
		}
	}
}

// FuzzTaskID: what is accepted is one component of a branch name to git, and
// of a path to everybody.
func FuzzTaskID(f *testing.F) {
	for _, seed := range []string{"task-1", "a..b", "x.lock", "-x", "@{-1}", "a.b.c", "A_", "../x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var id TaskID
		if id.UnmarshalText([]byte(text)) != nil {
			require.Empty(t, id)
			return
		}
		require.Equal(t, text, string(id))
		require.NotContains(t, text, "/")
		require.NotContains(t, []string{".", ".."}, text)
		require.NoError(t, exec.Command("git", "check-ref-format", "refs/heads/"+id.Branch()).Run(), "%q", text)
	})
}

func TestHumanNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Actor{
		"Ann":                   "human:ann",
		"Ann B. Sørensen":       "human:ann-b.-s-rensen-2aa3eb",
		"Ünsal Çelik":           "human:unsal-celik",
		"U\u0308nsal":           "human:unsal",
		"李雷":                    "human:person-3a4732",
		"Алёна":                 "human:person-b40c27",
		strings.Repeat("a", 64): Actor("human:" + strings.Repeat("a", 64)),
		strings.Repeat("a", 65): Actor("human:" + strings.Repeat("a", 57) + "-635361"),
		"":                      "human:unknown",
		"名前":                    "human:person-7ec262",
		"...":                   "human:unknown",
	} {
		require.Equal(t, want, Human(name), name)
	}
	rapid.Check(t, func(rt *rapid.T) {
		who := Human(rapid.String().Draw(rt, "name"))
		require.True(rt, who.IsHuman(), who)
		require.NoError(rt, new(Actor).UnmarshalText([]byte(who)))
		require.Empty(rt, who.Agent())
	})
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"30m": "30m", "60m": "1h", "90s": "1m30s", "1h30m": "1h30m", "24h": "24h", "1s": "1s", "10h0m5s": "10h0m5s", "100m": "1h40m",
	} {
		var d Duration
		require.NoError(t, d.UnmarshalText([]byte(text)))
		require.Equal(t, want, d.String())
	}
	for _, text := range []string{"", "0s", "-1m", "1.5s", "10", "1d", "500ms", "99999999h", "1m "} {
		require.Error(t, new(Duration).UnmarshalText([]byte(text)), text)
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := Duration(time.Duration(rapid.Int64Range(1, 10*365*24*3600).Draw(rt, "seconds")) * time.Second)
		text, err := d.MarshalText()
		require.NoError(rt, err)
		var again Duration
		require.NoError(rt, again.UnmarshalText(text))
		require.Equal(rt, d, again, "%s", text)
	})
}

// Every enumeration reads what it writes, and nothing else.
func TestNames(t *testing.T) {
	t.Parallel()
	requireNames(t, actNames, func() textual { return new(Act) })
	requireNames(t, statusNames, func() textual { return new(Status) })
	requireNames(t, capacityNames, func() textual { return new(Capacity) })
	requireNames(t, toolNames, func() textual { return new(Tool) })
	requireNames(t, kindNames, func() textual { return new(Kind) })
	requireNames(t, controlNames, func() textual { return new(Control) })
	requireNames(t, phaseNames, func() textual { return new(Phase) })
	requireNames(t, OutcomeNames, func() textual { return new(Outcome) })
	requireNames(t, AnomalyNames, func() textual { return new(AnomalyType) })
}

type textual interface {
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}

func requireNames(t *testing.T, list names, fresh func() textual) {
	for _, name := range list[1:] {
		v := fresh()
		require.NoError(t, v.UnmarshalText([]byte(name)))
		text, err := v.MarshalText()
		require.NoError(t, err)
		require.Equal(t, name, string(text))
		require.Error(t, fresh().UnmarshalText([]byte(name+" ")))
	}
	require.Error(t, fresh().UnmarshalText(nil))
	_, err := fresh().MarshalText()
	require.Error(t, err, "the zero value is written")
}
