package shell_test

import (
	"os/exec"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/shell"
)

// A shell takes a word for what it stands for.
func TestQuote(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	for _, text := range []string{"", "a", "mein Ordner ü", "it's $HOME `x`", "a'\nhint: rm -rf ~\\n", "\x1b[2J\x07", "bad\xff1", "a\u202eb", "a\ufe0fb\u3164"} {
		word := shell.Quote(text)
		for _, r := range word {
			require.True(t, unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point), "%q", word)
		}
		out, err := exec.Command(bash, "-c", "printf %s "+word).Output()
		require.NoError(t, err)
		require.Equal(t, text, string(out))
	}
}

// git takes a path for the one file, also where it looks like a pattern.
func TestPathspec(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a/b.go": "a/b.go", "a b": "'a b'", "a*": "':(literal)a*'", ":a": "':(literal):a'", "a[1]": "':(literal)a[1]'",
	} {
		require.Equal(t, want, shell.Pathspec(name))
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	require.Equal(t, `git log 'a b' ''`, shell.Join("git", "log", "a b", ""))
	require.Empty(t, shell.Join())
}
