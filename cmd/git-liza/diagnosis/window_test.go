package diagnosis

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/torture"
)

// A text within the bounds is kept as it is, in whatever pieces it comes.
func TestWindowKeepsShortTexts(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, maxHead - 1, maxHead, maxHead + 1, maxHead + maxTail} {
		text := []byte(strings.Repeat("0123456789\n", size/11+1)[:size])
		for _, piece := range []int{1 << 30, 4099} {
			var w Window
			for rest := text; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
				_, _ = w.Write(rest[:min(piece, len(rest))])
			}
			require.True(t, bytes.Equal(text, w.Bytes()), "%d bytes in pieces of %d", size, piece)
		}
	}
}

// Of a long text the first and the last lines are kept, in a few megabytes.
func TestWindowOfLongText(t *testing.T) { readLong(t, 8<<20) }

// So it is of 500 MB.
func TestTortureWindowOfHugeText(t *testing.T) {
	torture.Only(t)
	readLong(t, 500<<20)
}

func readLong(t *testing.T, size int64) {
	t.Parallel()
	var w Window
	fmt.Fprintln(&w, "sh: 1: protoc: not found")
	block := []byte(strings.Repeat("line of a log that goes on and on\n", 10000))
	for w.written < size {
		_, _ = w.Write(block)
	}
	fmt.Fprint(&w, "make: *** [Makefile:2: gen] Error 127")
	text := string(w.Bytes())
	require.True(t, strings.HasPrefix(text, "sh: 1: protoc: not found\n"))
	require.True(t, strings.HasSuffix(text, "Error 127"))
	require.Regexp(t, `\n\[… \d+ bytes left out …\]\nline of`, text)
	require.Less(t, cap(w.head)+cap(w.tail), 8<<20)
	require.Equal(t, "command-missing", first(Read(w.Bytes())))
}

// A text that is made of nothing but words of errors, and one without ends of lines, have
// bounded answers, and come to an end.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	var words []string
	for _, cause := range causes {
		for _, s := range cause.signs {
			words = append(words, s.has)
		}
	}
	line := strings.Join(words, " ")
	for name, text := range map[string]string{
		"words": strings.Repeat(line+"\n", 20), "one line": strings.Repeat(line, 50), "no end": strings.Repeat("at ", 20_000),
		"deep": strings.Repeat(`{"a":`, 100000), "nested": strings.Repeat(`[`, 20) + `{"content":"` + strings.Repeat(`{\"content\":`, 1000), "blanks": strings.Repeat(" ", 100_000),
		"escapes": strings.Repeat("\x1b[", 100000), "frames": "Traceback (most recent call last):\n" + strings.Repeat("  File \"a.py\", line 1, in f\n", 1000),
		"tracebacks": strings.Repeat("Traceback (most recent call last):\n", 1000), "java": strings.Repeat("java.lang.Error\n\tat a.b(C.java:1)\n", 1000),
	} {
		r := Read([]byte(text))
		require.LessOrEqual(t, len(r.Errors), maxErrors, name)
		require.LessOrEqual(t, len(r.Hypotheses), maxHypotheses, name)
	}
}

// Of what is no text nothing is said: programs contain the messages of errors that never
// happened. A text of Windows in UTF-16 is one.
func TestBinary(t *testing.T) {
	t.Parallel()
	r := Read([]byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00sh: 1: protoc: not found\n\x00\x00\x00\x00\x00\x00\x00"))
	require.True(t, r.Binary)
	require.Empty(t, r.Hypotheses)
	wide := []byte{0xff, 0xfe}
	for _, c := range "sh: 1: protoc: not found\r\n" {
		wide = append(wide, byte(c), 0)
	}
	require.Equal(t, "command-missing", first(Read(wide)))
	require.Equal(t, "none", first(Read(nil)))
}
