package git_test

import (
	"os/exec"
	"testing"
	"unicode"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/stretchr/testify/require"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"src/a.go": "src/a.go", "mein ü": "mein ü", "": "",
		"a\nhint: rm": `"a\nhint: rm"`, "\x1b[2J": `"\x1b[2J"`, "bad\xff": `"bad\xff"`, "a\u202eb": `"a\u202eb"`,
	} {
		require.Equal(t, want, git.Visible(name))
	}
}

// A shell takes a word for what it stands for.
func TestShellWord(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	for _, text := range []string{"", "a", "mein Ordner ü", "it's $HOME `x`", "a'\nhint: rm -rf ~\\n", "\x1b[2J\x07", "bad\xff1", "a\u202eb"} {
		word := git.ShellWord(text)
		for _, r := range word {
			require.True(t, unicode.IsPrint(r), "%q", word)
		}
		out, err := exec.Command(bash, "-c", "printf %s "+word).Output()
		require.NoError(t, err)
		require.Equal(t, text, string(out))
	}
}
