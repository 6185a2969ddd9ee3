package templates

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is cut ends with a whole line, and says that it was cut.
func TestCutting(t *testing.T) {
	t.Parallel()
	require.Equal(t, Cut{"one\ntwo\n", false}, Cutting("one\ntwo\n", 8))
	require.Equal(t, Cut{"one\n", true}, Cutting("one\ntwo\n", 7))
	require.Equal(t, Cut{"", true}, Cutting("one\ntwo\n", 3))
}

// A session that goes on is told the sections that its first prompt did not have as they are.
func TestSince(t *testing.T) {
	t.Parallel()
	was := Prompt{[]Section{{Name: "role", Text: "coder"}, {Name: "task", Text: "t1"}}}
	now := Prompt{[]Section{{Name: "role", Text: "coder"}, {Name: "task", Text: "t1, rejected"}, {Name: "answers", Text: "yes"}}}
	got := now.Since(was).Sections
	require.Contains(t, got[0].Text, "What is new")
	require.Equal(t, now.Sections[1:], got[1:])
	require.Len(t, now.Since(now).Sections, 1)
}
