package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every visible command is in one of the groups of help, which shows it.
func TestEveryCommandIsInHelp(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	all := allCommands(parser.Model.Node, 0)
	groups := map[string]int{}
	for _, group := range helpGroups {
		groups[group.title] = 0
	}
	for _, command := range parser.Model.Children {
		if command.Hidden {
			assert.NotContains(t, all, "\n  "+command.Name+" ", "hidden")
			continue
		}
		require.NotNil(t, command.Group, "commands.go has no group for %s", command.Name)
		assert.Contains(t, groups, command.Group.Title, "helpGroups lacks the group of %s", command.Name)
		assert.Contains(t, all, "\n  "+command.Name+" ")
		groups[command.Group.Title]++
	}
	for title, n := range groups {
		assert.Positive(t, n, "%s is empty", title)
	}
}

// `git liza` alone shows at most twelve commands, and each of them exists. Help stands in
// the lines below them.
func TestFirstCommands(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	require.LessOrEqual(t, len(firstCommands), 12)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(firstCommands))), len(firstCommands))
	require.Subset(t, firstCommands, []string{"init", "rush", "status", "show", "watch", "review", "answer", "undo", "checkpoint", "doctor"})
	require.Contains(t, overview(parser.Model.Node, false, 0), "\n  help COMMAND ")
	for _, name := range firstCommands {
		assert.NotNil(t, commandRowOf(parser.Model.Node, name), "there is no command %s", name)
	}
}

// Each text of help belongs to a command, or to a topic of help.
func TestHelpTextsAreShown(t *testing.T) {
	t.Parallel()
	texts, err := helpTexts.ReadDir("help")
	require.NoError(t, err)
	parser, err := kong.New(&commands{})
	require.NoError(t, err)
	for _, text := range texts {
		words := strings.TrimSuffix(strings.ReplaceAll(text.Name(), "_", " "), ".txt")
		require.NotEmpty(t, helpText(words), words)
		if words != "rules" {
			requireCommand(t, parser.Model.Node, strings.Fields(words), text.Name())
		}
	}
}
