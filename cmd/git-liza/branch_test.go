package main

import (
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

// Every command must be found by its name, or it starts slowly.
func TestBranchFindsEveryCommand(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, kong.Vars{"version": version})
	require.NoError(t, err)
	require.Greater(t, len(parser.Model.Children), 30)
	for _, command := range parser.Model.Children {
		part := branch([]string{"--json", "--as", "coder-1", command.Name, "--help"})
		_, everything := part.(*commands)
		require.False(t, everything, command.Name)
		narrow, err := kong.New(part, kong.Vars{"version": version})
		require.NoError(t, err)
		require.Len(t, narrow.Model.Children, 1)
		require.Equal(t, command.Name, narrow.Model.Children[0].Name)
		require.Len(t, narrow.Model.Flags, len(parser.Model.Flags))
	}
}

// A command stands in the file of its name.
func TestCommandsHaveTheirFiles(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, kong.Vars{"version": version})
	require.NoError(t, err)
	for _, command := range parser.Model.Children {
		file := strings.ReplaceAll(command.Name, "-", "_") + ".go"
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), "\ntype "+command.Target.Type().Name()+" struct", file)
	}
}

func TestCommandsCanBeRun(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, kong.Vars{"version": version})
	require.NoError(t, err)
	runs := func(command any) bool {
		switch command.(type) {
		case interface {
			Run(*invocation, *work.Clone) error
		}, interface {
			Run(*invocation, *work.Clone, *board.Board) error
		}, interface{ Run(*invocation, look) error }, interface {
			Run(*invocation, reader) error
		}, interface{ Run(*invocation) error }:
			return true
		}
		return false
	}
	for _, command := range parser.Model.Leaves(false) {
		require.True(t, runs(command.Target.Addr().Interface()), command.FullPath())
	}
	for _, row := range tools {
		require.True(t, runs(row.input()), row.name)
	}
}

func TestBranchIsEverythingOtherwise(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"--json"}, {"help", "claim"}, {"no-such"}, {"--help"}, {"--", "claim"}, {"--as"}, {"-h", "claim"}} {
		require.IsType(t, &commands{}, branch(args), "%q", args)
	}
}
