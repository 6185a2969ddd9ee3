package git_test

import (
	"testing"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/stretchr/testify/require"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"src/a.go": "src/a.go", "mein ü": "mein ü", "": "",
		"a\nhint: rm": `"a\nhint: rm"`, "\x1b[2J": `"\x1b[2J"`, "bad\xff": `"bad\xff"`, "a\u202eb": `"a\u202eb"`,
		"a\u200bb": `"a\u200bb"`, "ü\ufe0f": `"\u00fc\ufe0f"`, "❤\ufe0f.md": "❤\ufe0f.md",
	} {
		require.Equal(t, want, git.Visible(name))
	}
}
