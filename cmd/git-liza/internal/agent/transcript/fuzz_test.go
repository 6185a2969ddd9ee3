package transcript_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
)

// FuzzTranscript reads anything as the output of every family: the report keeps
// to its sizes and is clean, and does not depend on how the bytes came.
func FuzzTranscript(f *testing.F) {
	for _, file := range recordings(f) {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text, family(filepath.Base(filepath.Dir(file))))
	}
	f.Add([]byte("plain\xff\n\ntext"), "plain")
	f.Fuzz(func(t *testing.T, text []byte, family string) {
		tr, err := transcript.New(family)
		if err != nil {
			return
		}
		tr.Follow(io.Discard)
		_, _ = tr.Write(text)
		r := tr.Report()
		pieces := start(t, family)
		for i := range text {
			_, _ = pieces.Write(text[i : i+1])
		}
		require.Equal(t, r, pieces.Report())

		require.LessOrEqual(t, len(r.Text), 64<<10)
		require.LessOrEqual(t, len(r.Error), 4<<10)
		require.LessOrEqual(t, len(r.Denied), 20)
		for _, s := range append([]string{r.Text, r.Error, r.Session, r.Model, r.Say}, r.Denied...) {
			require.True(t, utf8.ValidString(s))
			require.Equal(t, board.Clean(s), s)
		}
		u := r.Usage
		require.True(t, u.Input >= 0 && u.Cached >= 0 && u.Output >= 0 && u.Cost >= 0 && u.Tokens() >= 0, "%+v", u)
	})
}
