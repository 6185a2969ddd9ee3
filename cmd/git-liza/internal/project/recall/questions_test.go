package recall

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// history is what the hundred questions of testdata/recall are asked of.
var history = filepath.Join("..", "..", "..", "..", "..", "testdata", "recall")

// TestQuestions asks the hundred questions, which were fixed before ranking was worked on. One
// is answered if an entry that answers it is among the first five. Only the first of each two
// questions was looked at when ranking was worked on.
func TestQuestions(t *testing.T) {
	t.Parallel()
	type entry struct{ ID, Source, Text string }
	said := lines[entry](t, "history.jsonl")
	answered := [2]int{}
	for i, q := range lines[struct {
		Question string
		Answer   []string
	}](t, "questions.jsonl") {
		s := New(q.Question)
		for _, e := range said {
			title, text, _ := strings.Cut(e.Text, "\n")
			s.Add(Entry{Source: e.Source, ID: e.ID, Title: title, Text: text})
		}
		if slices.ContainsFunc(s.Hits(5), func(h Hit) bool { return slices.Contains(q.Answer, h.ID) }) {
			answered[i%2]++
		}
	}
	t.Logf("answered among the first five: %d and %d of 50", answered[0], answered[1])
	require.GreaterOrEqual(t, answered[1], 31, "of those that were not looked at, see doc/benchmarks.md")
}

// lines reads a file of the history, one JSON object a line.
func lines[T any](t *testing.T, name string) (all []T) {
	f, err := os.Open(filepath.Join(history, name))
	require.NoError(t, err)
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var value T
		require.NoError(t, json.Unmarshal(in.Bytes(), &value))
		all = append(all, value)
	}
	require.NoError(t, in.Err())
	return all
}
