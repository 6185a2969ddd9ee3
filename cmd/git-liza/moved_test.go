package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// answered runs the program with a command line that it refuses before it looks for a
// repository, and returns the last lines.
func answered(t *testing.T, words ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	inv := &invocation{output: output{stdout: new(bytes.Buffer), stderr: &stderr}, ctx: t.Context(), dir: t.TempDir()}
	require.Equal(t, exitUsage, run(inv, words), "%q", words)
	return stderr.String()
}

// Each old command is refused with a hint that names a command of today.
func TestMovedCommands(t *testing.T) {
	t.Parallel()
	cli, err := kong.New(&commands{})
	require.NoError(t, err)
	for _, m := range movedCommands() {
		words := append([]string{"--as", "coder-1"}, strings.Fields(m.was)...)
		said := answered(t, words...)
		require.Contains(t, said, "\nhint: git liza "+m.now+"\n")
		if m.now == "--version" {
			continue
		}
		requireCommand(t, cli.Model.Node, strings.Fields(m.now), m.was)
		command, _, _ := strings.Cut(m.now, " --")
		words = strings.Fields(m.was)
		said = answered(t, append([]string{"help"}, words...)...)
		require.Contains(t, said, "\nhint: git liza help "+command+"\n")
	}
	require.Contains(t, answered(t, "no-such"), "unexpected argument no-such")
}

func TestArgumentsOfMovedCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		moved movedCommand
		words string
		now   string
	}{
		{movedCommand{was: "top", now: "watch"}, "top --once", "watch --once"},
		{movedCommand{was: "top", now: "watch"}, "tops --once", ""},
		{movedCommand{was: "make", now: "task add --record"}, "make sprint-1/3 --title T", "task add --record sprint-1/3 --title T"},
		{movedCommand{was: "drop --blocker", now: "reject --dismiss"}, "drop task-1 --blocker=2 --reason R", "reject task-1 --dismiss=2 --reason R"},
		{movedCommand{was: "drop --blocker", now: "reject --dismiss"}, "drop sprint-1/3 --reason R", ""},
		{movedCommand{was: "rush --remove", now: "agents stop"}, "rush --remove coder-1,coder-2", "agents stop coder-1 coder-2"},
		{movedCommand{was: "rush --remove", now: "agents stop"}, "rush --remove=coder-1 --json", "agents stop coder-1 --json"},
		{movedCommand{was: "gone", now: "list", why: "nobody needs it"}, "gone task-1", "list"},
	} {
		now, ok := c.moved.typed(strings.Fields(c.words))
		require.Equal(t, c.now, now)
		require.Equal(t, c.now != "", ok)
	}
	now, _ := movedCommand{was: "top", now: "watch"}.typed([]string{"top", "it's\x1b"})
	require.NotContains(t, now, "\x1b")
}
