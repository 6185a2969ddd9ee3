package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Sessions that told nothing are counted whatever the file that remembers them
// holds, and moves that were looked at are not read again.
func TestUncountedIsRemembered(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	file := filepath.Join(p.repo, ".git", "liza", "cache", "uncounted")
	uncounted := func() string {
		return p.must("sh", "-c", `git-liza status --json | sed 's/.*"uncounted":\([0-9]*\).*/\1/'`)
	}
	session := func(tokens int) {
		args := []string{"git-liza", "session", "add", "--role", "planner", "--provider", "p", "--outcome", "planned", "--took", "5s"}
		if tokens > 0 {
			args = append(args, "--input", fmt.Sprint(tokens))
		}
		p.must(args...)
	}
	session(7)
	require.Equal(t, "0", uncounted())
	session(0)
	require.Equal(t, "1", uncounted())
	for i, text := range []string{"", "x", "0123 y", p.must("git", "rev-parse", "HEAD") + " u1 u2 u3"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		require.Equal(t, "1", uncounted(), "%d", i)
	}
	// The count kept for earlier moves is taken over, and they are not read again.
	tip := p.must("git", "rev-parse", "refs/liza/state")
	p.must("sh", "-c", "sed -i 's/\\[/[{\"Kind\":117,\"At\":9999999999},/' "+file)
	session(0)
	require.Equal(t, "3", uncounted())
	require.NotContains(t, p.must("cat", file), tip)
	require.NoError(t, os.Remove(file))
	require.Equal(t, "2", uncounted())
}
