package recall

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestThesaurusIsWellFormed holds the files to what a person who adds a group relies on:
// sorted lines, each group once, words in lower case that are looked for at all.
func TestThesaurusIsWellFormed(t *testing.T) {
	t.Parallel()
	files, err := thesaurusFiles.ReadDir("thesaurus")
	require.NoError(t, err)
	stop, known := stopWords(), map[string]string{}
	for _, file := range files {
		text, err := thesaurusFiles.ReadFile("thesaurus/" + file.Name())
		require.NoError(t, err)
		lines := slices.DeleteFunc(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), func(line string) bool { return strings.HasPrefix(line, "#") })
		require.True(t, slices.IsSorted(lines), "%s is not sorted", file.Name())
		for _, line := range lines {
			at := file.Name() + ": " + line
			require.Empty(t, known[line], at)
			known[line] = at
			near, related, both := strings.Cut(line, " ~ ")
			words := append(strings.Fields(near), strings.Fields(related)...)
			require.GreaterOrEqual(t, len(words), 2, at)
			require.Equal(t, both, strings.Contains(line, "~"), at)
			require.Equal(t, strings.Join(strings.Fields(line), " "), line, at)
			require.Regexp(t, `^[a-z0-9_ ~]+$`, line, at)
			slices.Sort(words)
			require.Len(t, slices.Compact(words), len(words), "%s: a word stands there twice", at)
			for _, word := range words {
				require.False(t, stop[word], "%s: %s is never looked for", at, word)
				require.NotContains(t, strings.Split(word, "_"), "", at)
			}
		}
	}
	require.Greater(t, len(known), 3000)
}

// likeness is how alike two words are for the thesaurus.
func likeness(a, b string) float64 {
	for _, other := range words().like(keyOf(a)) {
		if other.key == keyOf(b) {
			return other.likeness
		}
	}
	return 0
}

func TestLikeness(t *testing.T) {
	t.Parallel()
	require.Positive(t, likeness("daemonised", "setsid"))
	require.Greater(t, likeness("zombie", "defunct"), likeness("zombie", "process"), "the same is nearer than what comes to mind")
	require.Equal(t, likeness("zombie", "defunct"), likeness("defunct", "zombies"))
	require.Positive(t, likeness("turn_down", "rejecting"))
	require.Zero(t, likeness("zombie", "zombie"))
	require.Zero(t, likeness("zombie", "invoice"))
	require.Zero(t, likeness("unheard", "defunct"))
}

func TestStems(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{{"throw", "threw", "thrown", "throwing"}, {"normalise", "normalize", "normalised", "normalizing"}, {"colour", "colors"}, {"child", "children"}, {"decide", "decision", "decisions"}} {
		for _, word := range same {
			require.Equal(t, stemOf(same[0]), stemOf(word), word)
		}
	}
	require.NotEqual(t, stemOf("throw"), stemOf("through"))
	for line := range strings.Lines(irregular) {
		require.GreaterOrEqual(t, len(strings.Fields(line)), 2, line)
	}
	require.True(t, slices.IsSorted(strings.Split(strings.TrimSpace(irregular), "\n")))
}
