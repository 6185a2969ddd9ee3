package proc

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func excerptOf(size int, chunks ...string) string {
	c := NewClip(size)
	for _, chunk := range chunks {
		_, _ = c.Write([]byte(chunk))
	}
	return c.Text()
}

func TestExcerptIsFitForADocument(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ output, want string }{
		"plain":               {"ok\tpkg\n", "ok\tpkg\n"},
		"colour":              {"\x1b[1;31mFAIL\x1b[0m x", "FAIL x"},
		"title and link":      {"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"},
		"cursor and charset":  {"\x1b[2K\x1b[1Ga\x1b(B\x1b=b\x1bMc", "abc"},
		"lone escape":         {"a\x1b", "a"},
		"open title":          {"\x1b]0;never closed\nnext", "]0;never closed\nnext"},
		"line ends":           {"a\r\nb\r10%\r20%\n", "a\nb\n10%\n20%\n"},
		"control characters":  {"a\x00b\x07c\x7fd\u0085e", "abcde"},
		"reordered text":      {"a\u202eb\u2066c\ufeffd", "abcd"},
		"not UTF-8":           {"a\xff\xfeb\xc3", "a\uFFFDb\uFFFD"},
		"other people's text": {"déjà vu … 日本\u3000語 ✓", "déjà vu … 日本\u3000語 ✓"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, excerptOf(100, test.output))
		})
	}
}

func TestExcerptKeepsBothEnds(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.Repeat("x", 64), excerptOf(64, strings.Repeat("x", 64)))
	require.Equal(t, "short", excerptOf(64, strings.Repeat("\x1b[0m", 20), "short"), "what is cleaned away does not count")
	require.Equal(t, "heeeeeeeeeeeeeeeeee\n[… 85 bytes in all]\ntttttttttttttttttttz",
		excerptOf(62, "h", strings.Repeat("e", 50), strings.Repeat("t", 33), "z"))
	require.Equal(t, "0123", excerptOf(4, "0123456789"), "no room for the mark")
}

func TestClipKeepsWhatFits(t *testing.T) {
	t.Parallel()
	c := NewClip(4)
	for _, part := range []string{"01", "2345", "67"} {
		_, _ = c.Write([]byte(part))
	}
	require.Equal(t, "01234567", string(c.Bytes()))
	_, _ = c.Write([]byte("8"))
	require.Equal(t, "0123\n[… 9 bytes in all]\n5678", string(c.Bytes()))
}

func TestExcerptOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 80).Draw(t, "size")
		piece := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		chunks := rapid.SliceOf(piece).Draw(t, "chunks")
		got := excerptOf(size, chunks...)
		require.LessOrEqual(t, len(got), size)
		require.True(t, utf8.ValidString(got))
		require.Equal(t, -1, strings.IndexFunc(got, func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\t'
		}))
		all := strings.Join(chunks, "")
		require.Equal(t, excerptOf(size, all), got, "how the output was cut into reads does not matter")
		if fit := cleanOutput([]byte(all)); len(all) <= size && len(fit) <= size {
			require.Equal(t, fit, got)
		}
	})
}
