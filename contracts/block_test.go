package contracts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// surroundings are texts that somebody may have in an entry file.
func surroundings() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"", "# Rules", "---", "title: x", "no block <!-- here -->", " " + beginning, "text " + ending, "```", "é\u2028x", "\ufeff", "\t", "\x00"})
	ends := rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", "\r"})
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		if rapid.Bool().Draw(t, "mark") {
			b.WriteString(byteOrderMark)
		}
		if rapid.Bool().Draw(t, "head") {
			b.WriteString("---\r\ntitle: x\n---\n")
		}
		for range rapid.IntRange(0, 6).Draw(t, "lines") {
			b.WriteString(line.Draw(t, "line") + ends.Draw(t, "end"))
		}
		if rapid.Bool().Draw(t, "open end") {
			b.WriteString(line.Draw(t, "last"))
		}
		return b.String()
	})
}

// Taking out what was put in leaves what was there, to the byte; putting in
// twice is putting in once, also with another block.
func TestBlock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := surroundings().Draw(t, "text")
		with, err := insert([]byte(text), pointer("a"))
		require.NoError(t, err)
		before, block, after, err := split(with)
		require.NoError(t, err)
		require.Equal(t, text, string(before)+string(after))
		require.Equal(t, digest(pointer("a")), digest(block))

		again, err := insert(with, pointer("a"))
		require.NoError(t, err)
		require.Equal(t, string(with), string(again))
		other, err := insert(with, pointer("b"))
		require.NoError(t, err)
		before, _, after, err = split(other)
		require.NoError(t, err)
		require.Equal(t, text, string(before)+string(after))
	})
}

// The block stands before what people wrote, and behind what must stand first.
func TestBlockPlace(t *testing.T) {
	t.Parallel()
	block := string(pointer("d"))
	for _, test := range []struct{ text, before string }{
		{"", ""},
		{"# Mine\n", ""},
		{"no line break", ""},
		{byteOrderMark + "# Mine\n", byteOrderMark},
		{"---\na: b\n---\n# Mine\n", "---\na: b\n---\n"},
		{byteOrderMark + "---\na: b\n---\nx", byteOrderMark + "---\na: b\n---\n"},
		{"---\nno end of it\n", ""},
		{"---\na: b\n---", ""},
	} {
		with, err := insert([]byte(test.text), pointer("d"))
		require.NoError(t, err)
		require.Equal(t, test.before+block+strings.TrimPrefix(test.text, test.before), string(with))
	}
	with, err := insert([]byte("# Mine\r\n"), pointer("d"))
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(block, "\n", "\r\n")+"# Mine\r\n", string(with))
}

// Marks that do not stand in one pair are nothing to guess about.
func TestDamagedBlock(t *testing.T) {
	t.Parallel()
	b, e := beginning+" -->\n", ending+" -->\n"
	for _, text := range []string{b, e, b + b + e, b + e + e, e + b, b + e + b + e, "x\n" + b + "x\n", byteOrderMark + e} {
		_, _, _, err := split([]byte(text))
		require.ErrorIs(t, err, errDamaged, text)
		_, err = insert([]byte(text), pointer("d"))
		require.ErrorIs(t, err, errDamaged, text)
	}
}
