package main

import (
	"slices"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A surface is what there is to learn of a command line: the words that follow the
// program's name, the commands that do something, and their flags.
type surface struct{ words, leaves, flags int }

// most is how large the command line may be.
var most = surface{words: 64, leaves: 146, flags: 463}

// verbFlags are flags that were commands of their own before. Each counts as a leaf.
var verbFlags = []string{"task add --record", "approve --again", "reject --dismiss", "adopt --tasks", "fsck --board", "show --trace", "recall --lessons", "goal show --level"}

// surfaceOf counts what is visible below a node. A verb that a noun does by default
// counts once.
func surfaceOf(root *kong.Node) (s surface) {
	for _, c := range root.Children {
		if c.Hidden {
			continue
		}
		s.words++
		below := surfaceOf(c)
		if below.words == 0 {
			s.leaves++
		}
		s.leaves += below.leaves
		s.flags += below.flags + len(slices.DeleteFunc(slices.Clone(c.Flags), func(f *kong.Flag) bool { return f.Hidden }))
	}
	return s
}

func TestSizeOfCommandLine(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, kong.Vars{"version": version})
	require.NoError(t, err)
	s := surfaceOf(parser.Model.Node)
	s.leaves += len(verbFlags)
	t.Logf("%d words, %d leaves, %d flags", s.words, s.leaves, s.flags)
	assert.LessOrEqual(t, s.words, most.words, "words")
	assert.LessOrEqual(t, s.leaves, most.leaves, "leaves")
	assert.LessOrEqual(t, s.flags, most.flags, "flags")
	for _, line := range verbFlags {
		requireCommand(t, parser.Model.Node, namedCommands("git liza " + line)[0], "verbFlags")
	}
}

func TestSurfaceIsCounted(t *testing.T) {
	t.Parallel()
	type verb struct {
		Flag, Other string
	}
	parser, err := kong.New(&struct {
		All  bool
		Noun struct {
			List verb `cmd:"" default:"1"`
			Add  verb `cmd:""`
		} `cmd:""`
		Word   struct{} `cmd:""`
		Hidden verb     `cmd:"" hidden:""`
	}{})
	require.NoError(t, err)
	require.Equal(t, surface{words: 2, leaves: 3, flags: 4}, surfaceOf(parser.Model.Node))
}
