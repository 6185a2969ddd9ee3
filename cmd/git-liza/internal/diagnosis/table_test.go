package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each row of the table says what people need, and is as good as one that a project adds.
func TestCauses(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(causes()), 40)
	for _, row := range causes() {
		for _, id := range row.After {
			i := slices.IndexFunc(causes(), func(c *Cause) bool { return c.ID == id })
			require.GreaterOrEqual(t, i, 0, "%s comes after %s", row.ID, id)
			require.NotContains(t, causes()[i].After, row.ID, "%s comes after itself", id)
		}
		require.NotEmpty(t, row.Area, row.ID)
		c := *row
		c.ID, c.Area, c.Steps = "a-new-name", "", nil
		require.NoError(t, c.Check(), row.ID)
	}
}

// Each step is a command of git or of this program, says what it risks and what undoes it,
// and holds no word of a text.
func TestSteps(t *testing.T) {
	t.Parallel()
	for _, c := range causes() {
		require.NotEmpty(t, c.Steps, c.ID)
		last := 0
		for _, s := range c.Steps {
			require.Equal(t, "git", s.Command[0], c.ID)
			require.GreaterOrEqual(t, len(s.Command), 2, c.ID)
			require.NotEmpty(t, s.Why, c.ID)
			require.NotEmpty(t, s.Undo, c.ID)
			risk := slices.Index([]Risk{Safe, Moderate, Destructive}, s.Risk)
			require.GreaterOrEqual(t, risk, last, c.ID)
			require.NotRegexp(t, placeholder(), strings.Join(s.Command, " "), c.ID)
			last = risk
		}
	}
	require.False(t, Step{Command: []string{"git", "config", "user.name", "NAME"}}.Ready())
	require.True(t, Step{Command: []string{"git", "reset", "--hard"}}.Ready())
}

// What a text names stands in a command that is shown only if it is a plain word, which is
// neither an option nor several words.
func TestShownCommands(t *testing.T) {
	t.Parallel()
	for about, want := range map[string]string{
		"protoc": "command -v protoc", "": "command -v PROGRAM", "-rf": "command -v PROGRAM", "a b": "command -v PROGRAM",
		"$(rm)": "command -v PROGRAM", "`rm`": "command -v PROGRAM", "a;b": "command -v PROGRAM", "a\nb": "command -v PROGRAM", "x'y": "command -v PROGRAM",
	} {
		require.Equal(t, want, command("command -v {PROGRAM}", about), "%q", about)
	}
}

// A cause of a project is found by its patterns, and named beside the built-in ones.
func TestCauseOfAProject(t *testing.T) {
	t.Parallel()
	cause := &Cause{ID: "house-rule", Title: "The house says no", Fix: "Ask.", Test: "house ask {WHAT}", Strong: []string{`HOUSE SAYS NO to (\S+)`}}
	require.NoError(t, cause.Check())
	const text = "checking\nerror: house says no to tabs\n"
	require.Empty(t, read(text).Causes)
	found := read(text, cause).Causes
	require.Len(t, found, 1)
	require.Equal(t, "house-rule", found[0].ID)
	require.Equal(t, "house ask tabs", found[0].Test)
	require.Empty(t, found[0].Steps)
}

// What a project may not write is refused with the reason.
func TestCheck(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(c *Cause){
		"title is a line":                       func(c *Cause) { c.Title = " " },
		"fix is a line":                         func(c *Cause) { c.Fix = "a\nb" },
		"test is a line":                        func(c *Cause) { c.Test = strings.Repeat("a", mostBytes+1) },
		"a built-in cause has the name dns":     func(c *Cause) { c.ID = "dns" },
		"only built-in causes have an area":     func(c *Cause) { c.Area = "agent" },
		"there is no built-in cause unheard":    func(c *Cause) { c.After = []string{"dns", "unheard"} },
		"a cause has 1 to 50 patterns":          func(c *Cause) { c.Strong = nil },
		"missing closing )":                     func(c *Cause) { c.Weak = []string{"house ("} },
		`\\w+" holds no text that each line`:    func(c *Cause) { c.Weak = []string{`\w+`} },
		`(?:house)?|a" holds no text that each`: func(c *Cause) { c.Weak = []string{`(?:house)?|a`} },
	} {
		c := &Cause{ID: "house-rule", Title: "T", Fix: "F", Test: "t", Strong: []string{"house"}}
		require.NoError(t, c.Check())
		spoil(c)
		require.ErrorContains(t, c.Check(), want)
	}
}
