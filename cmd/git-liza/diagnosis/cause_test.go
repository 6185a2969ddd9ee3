package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/pattern"
)

// hasCause reports whether there is a cause with an id.
func hasCause(id string) bool {
	return slices.ContainsFunc(causes, func(c *Cause) bool { return c.ID == id })
}

// Each row of the knowledge base says what people need, and its signs can be found.
func TestCauses(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(causes), 40)
	seen := map[string]bool{}
	for _, c := range causes {
		require.False(t, seen[c.ID], "%s stands twice", c.ID)
		seen[c.ID] = true
		require.NotEmpty(t, c.Title, c.ID)
		require.NotEmpty(t, c.Fix, c.ID)
		require.NotEmpty(t, c.Test, c.ID)
		require.NotEmpty(t, c.signs, c.ID)
		for _, id := range c.After {
			require.True(t, hasCause(id), "%s comes after %s", c.ID, id)
		}
		for _, s := range c.signs {
			require.NotEmpty(t, s.has, c.ID)
			require.Equal(t, strings.ToLower(s.has), s.has, c.ID)
			if s.form != "" {
				pattern.Compiled(s.form)
			}
		}
	}
}

// Each step is a command of git or of this program, says what it risks and what undoes it,
// and holds no word of a text.
func TestSteps(t *testing.T) {
	t.Parallel()
	for _, c := range causes {
		plan := Plan(c)
		require.NotEmpty(t, plan, c.ID)
		last := Safe
		for _, s := range plan {
			require.Equal(t, "git", s.Command[0], c.ID)
			require.GreaterOrEqual(t, len(s.Command), 2, c.ID)
			require.NotEmpty(t, s.Why, c.ID)
			require.NotEmpty(t, s.Undo, c.ID)
			require.GreaterOrEqual(t, s.Risk.order(), last.order(), c.ID)
			require.NotRegexp(t, placeholder(), strings.Join(s.Command, " "), c.ID)
			last = s.Risk
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

// Evidence for another cause that brings this one about speaks against it.
func TestResultsOfCauses(t *testing.T) {
	t.Parallel()
	r := reportOf(t, "pip-dns")
	require.Equal(t, "dns", first(r))
	r = Read([]byte("Cart.java:2: error: package com.example does not exist\nCart.java:4: error: cannot find symbol\n"))
	require.Equal(t, "module-missing", first(r))
}

// Lines that say what others said do not count, and the last of several runs decides.
func TestLinesThatDoNotCount(t *testing.T) {
	t.Parallel()
	const line = "sh: 1: protoc: not found"
	for text, want := range map[string]string{
		line:                        "command-missing",
		"# " + line:                 "none",
		"// " + line:                "none",
		"> " + line:                 "none",
		"  12 | " + line:            "none",
		"@@ -1,2 +1,2 @@\n+" + line: "none",
		"Output of the previous run:\n" + line + "\n\nok":              "none",
		"build.go:12:\tlog(\"" + line + "\")":                          "none",
		"=== RUN   TestA\n" + line + "\n--- PASS: TestA (0.00s)":       "none",
		"=== RUN   TestA\n" + line + "\n--- FAIL: TestA (0.00s)":       "command-missing",
		"$ make\n" + line + "\n$ make test\nmain.go:3:2: undefined: x": "undefined-name",
		"\x1b[31m" + line + "\x1b[0m":                                  "command-missing",
		"2026-01-02T03:04:05.678Z " + line:                             "command-missing",
		"one\rtwo\r" + line:                                            "command-missing",
	} {
		require.Equal(t, want, first(Read([]byte(text))), "%q", text)
	}
}
