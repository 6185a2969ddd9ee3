package recall

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// filled is an index in a file with four entries.
func filled(t *testing.T) (*Index, string) {
	path := filepath.Join(t.TempDir(), "index.db")
	x, err := Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { x.Close() })
	require.NoError(t, x.Change(func(c *Change) error {
		c.Add(Entry{Source: "move", ID: "a", Task: "parser", Title: "reject parser", Text: "an empty line ends the parsing\nof the file", At: time.Unix(1000, 0)})
		c.Add(Entry{Source: "move", ID: "b", Title: "note", Text: "The build needs Go 1.26"})
		c.Add(Entry{Source: "file", ID: "spec.md:1", Title: "spec.md", Text: "設定ファイルを読む。Настройки читаются."})
		c.Add(Entry{Source: "session", ID: "c", Text: "In general nobody threw it away"})
		c.SetHead("move", "b")
		return nil
	}))
	return x, path
}

// ids are the ids of what is found.
func ids(t *testing.T, x *Index, question, source string) (list []string) {
	hits, err := x.Search(question, source, 10)
	require.NoError(t, err)
	for _, h := range hits {
		list = append(list, h.ID)
	}
	return list
}

func TestSearch(t *testing.T) {
	t.Parallel()
	x, _ := filled(t)
	for _, c := range []struct {
		question, source string
		want             []string
	}{
		{"why did the parser reject empty lines?", "", []string{"a"}}, // other forms of the words
		{"builds", "", []string{"b", "a", "c"}},                       // the others have words that come to mind with it
		{"generously", "", []string{"c"}},                             // SQLite takes generous and general for one word
		{"who turned it down?", "", []string{"a"}},                    // a phrase that says rejected
		{"builds", "file", nil},
		{"session", "", nil},                // an entry is of this source, and none has the word
		{"the of", "", []string{"a", "b"}},  // only stop words
		{"ファイル", "", []string{"spec.md:1"}}, // in the midst of others
		{"ファル", "", nil},
		{"настройки", "", []string{"spec.md:1"}},
		{"", "", nil},
		{`"" * ( NEAR OR - ^ : '`, "", nil}, // nothing is syntax
		{`1.26" OR title:x`, "", []string{"b"}},
		{strings.Repeat("gibberish xyzzy plugh foobarbaz ", 320) + "1.26", "", []string{"b"}}, // 10 KB
	} {
		require.Equal(t, c.want, ids(t, x, c.question, c.source), c.question)
	}
	hits, err := x.Search("parsing", "", 1)
	require.NoError(t, err)
	require.Positive(t, hits[0].Score)
	hits[0].Score = 0
	require.Equal(t, Hit{Source: "move", ID: "a", Task: "parser", Title: "reject parser", At: time.Unix(1000, 0).UTC(),
		Text: "an empty line ends the parsing\nof the file", Excerpt: "an empty line ends the parsing\nof the file"}, hits[0])
}

func TestWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"update", "ref", "locked"}, Words("Why is the update-ref ref LOCKED?"))
	require.Equal(t, []string{"what", "is", "it"}, Words("what is it"))
	var many strings.Builder
	for i := range 2 * mostWords {
		fmt.Fprintf(&many, "word%d ", i)
	}
	require.Len(t, Words(many.String()), mostWords)
}

// TestChange tells that entries are replaced and dropped with their words, and that a
// change that fails changes nothing.
func TestChange(t *testing.T) {
	t.Parallel()
	x, path := filled(t)
	require.NoError(t, x.Change(func(c *Change) error {
		c.Add(Entry{Source: "move", ID: "a", Text: "other"})
		c.Drop("file", "spec.md:")
		c.SetHead("move", "")
		c.SetHead("file", "1")
		return nil
	}))
	require.Empty(t, ids(t, x, "parsing", ""))
	require.Empty(t, ids(t, x, "настройки", ""))
	require.Equal(t, []string{"a"}, ids(t, x, "other", ""))
	require.Error(t, x.Change(func(c *Change) error {
		c.Drop("move", "")
		return os.ErrClosed
	}))
	again, err := Open(path) // while it is open
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, []string{"a"}, ids(t, again, "other", ""))
	heads, err := again.Heads()
	require.NoError(t, err)
	require.Equal(t, map[string]string{"file": "1"}, heads)
}

// TestSearchDuringChange searches while another process enters everything anew, under other
// rows: what is found is what was there at one moment.
func TestSearchDuringChange(t *testing.T) {
	t.Parallel()
	x, path := filled(t)
	other, err := Open(path)
	require.NoError(t, err)
	defer other.Close()
	require.NoError(t, x.searching(func(s searched) error {
		senses := sensesOf("1.26")
		found, err := s.weigh(senses, "")
		require.NoError(t, err)
		require.NoError(t, other.Change(func(c *Change) error {
			c.Drop("move", "")
			c.Add(Entry{Source: "move", ID: "c", Text: "nothing"})
			c.Add(Entry{Source: "move", ID: "b", Title: "note", Text: "The build needs Go 1.26"})
			return nil
		}))
		hits, _, err := s.read(most(found, 10), 10, senses)
		require.NoError(t, err)
		require.Len(t, hits, 1)
		require.Equal(t, "b", hits[0].ID)
		return nil
	}))
	require.Equal(t, []string{"b"}, ids(t, x, "1.26", ""))
}

// TestDamaged opens files that are no index, or no whole one.
func TestDamaged(t *testing.T) {
	t.Parallel()
	x, path := filled(t)
	require.NoError(t, x.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, content := range map[string][]byte{
		"text":  []byte(strings.Repeat("no index\n", 1000)),
		"torn":  whole[:len(whole)/3],
		"zeros": append(append([]byte{}, whole[:4096]...), make([]byte, len(whole)-4096)...),
		"newer": append(append(append([]byte{}, whole[:60]...), 0, 0, 0, Version+1), whole[64:]...),
	} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, content, 0o666))
		require.True(t, IsDamaged(use(path)), name)
		require.NoError(t, Remove(path))
		require.NoError(t, use(path), name)
	}
	folder := t.TempDir() // no file can be there
	err = use(folder)
	require.True(t, IsUnwritable(err) && !IsDamaged(err), "%v", err)
	require.NoError(t, use(""))
}

// use opens an index, changes it and asks it.
func use(path string) error {
	x, err := Open(path)
	if err != nil {
		return err
	}
	defer x.Close()
	if _, err := x.Heads(); err != nil {
		return err
	}
	if err := x.Change(func(c *Change) error { c.Add(Entry{Source: "move", ID: "z", Text: "words"}); return nil }); err != nil {
		return err
	}
	_, err = x.Search("words parsing", "", 3)
	return err
}

// BenchmarkSearch asks an index of 100,000 entries; BenchmarkAdd enters one more.
func BenchmarkSearch(b *testing.B) {
	x := large(b)
	for b.Loop() {
		if _, err := x.Search("why was the merge of word77 into word7 rejected by the parser", "", 5); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	x := large(b)
	n := 0
	for b.Loop() {
		n++
		if err := x.Change(func(c *Change) error { c.Add(largeEntry(200_000 + n)); c.SetHead("move", fmt.Sprint(n)); return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func large(b *testing.B) *Index {
	path := filepath.Join(b.TempDir(), "index.db")
	x, err := Open(path)
	require.NoError(b, err)
	b.Cleanup(func() { x.Close() })
	require.NoError(b, x.Change(func(c *Change) error {
		for n := range 100_000 {
			c.Add(largeEntry(n))
		}
		return nil
	}))
	info, err := os.Stat(path)
	require.NoError(b, err)
	b.Cleanup(func() { b.ReportMetric(float64(info.Size())/100_000, "bytes/entry") })
	return x
}

// largeEntry is an entry of some sixty words, frequent ones and rare ones.
func largeEntry(n int) Entry {
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "word%d ", (n*7919+i*i*31)%(20*(i+1)*(i+1)))
	}
	return Entry{Source: "move", ID: fmt.Sprint("id", n), Title: fmt.Sprintf("reject task-%d by code-reviewer-1", n/10), Text: "the merge was rejected " + text.String()}
}
