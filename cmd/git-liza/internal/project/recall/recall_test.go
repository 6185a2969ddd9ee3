package recall

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// entries are what the tests look through.
var entries = []Entry{
	{Source: "move", ID: "a", Task: "parser", Title: "reject parser", Text: "an empty line ends the parsing\nof the file", At: time.Unix(1000, 0)},
	{Source: "move", ID: "b", Title: "note", Text: "The build needs Go 1.26"},
	{Source: "file", ID: "spec.md:1", Title: "spec.md", Text: "設定ファイルを読む。Настройки читаются."},
	{Source: "session", ID: "c", Text: "In general nobody threw it away"},
}

// ask asks the entries.
func ask(question string, limit int) []Hit {
	s := New(question)
	for _, e := range entries {
		s.Add(e)
	}
	return s.Hits(limit)
}

func TestSearch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		question string
		want     []string
	}{
		{"why did the parser reject empty lines?", []string{"a"}}, // other forms of the words
		{"which records were declined", []string{"a"}},            // other words
		{"the throwing", []string{"c"}},                           // an irregular form
		{"generate", nil},                                         // general begins alike
		{"session", nil},                                          // an entry is of this source, and none has the word
		{"the of", []string{"a", "b"}},                            // only words that nearly every text has
		{"ファイル", []string{"spec.md:1"}},                           // in the midst of others
		{"設", nil},
		{"НАСТРОЙКИ", []string{"spec.md:1"}},
		{"", nil},
		{`"" * ( - ^ : '`, nil},
		{strings.Repeat("gibberish xyzzy plugh foobarbaz ", 10) + "1.26", []string{"b"}},
	} {
		var found []string
		for _, h := range ask(c.question, 10) {
			found = append(found, h.ID)
		}
		require.Equal(t, c.want, found, c.question)
	}
	hits := ask("parsing", 1)
	require.Positive(t, hits[0].Score)
	hits[0].Score = 0
	require.Equal(t, Hit{Entry: entries[0], Excerpt: entries[0].Text}, hits[0])
}

// Of two entries that say as much the newer one comes first.
func TestOrder(t *testing.T) {
	t.Parallel()
	s := New("zeppelin")
	for i := range 3 {
		s.Add(Entry{ID: fmt.Sprint(i), Text: "A zeppelin", At: time.Unix(int64(i), 0)})
	}
	s.Add(Entry{ID: "title", Title: "Zeppelins", Text: "fly"})
	var found []string
	for _, h := range s.Hits(9) {
		found = append(found, h.ID)
	}
	require.Equal(t, []string{"title", "2", "1", "0"}, found)
	require.Len(t, s.Hits(2), 2)
	require.Empty(t, New("zeppelin").Hits(9))
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	s := New("zeppelin")
	s.Add(Entry{Text: strings.Repeat("before ", 30) + "a zeppelin " + strings.Repeat("after ", 60)})
	s.Add(Entry{Text: strings.Repeat("前", 300) + "zeppelin" + strings.Repeat("後", 300)})
	hits := s.Hits(2)
	require.Equal(t, "…"+strings.Repeat("before ", 11)+"a zeppelin"+strings.Repeat(" after", 25)+"…", hits[0].Excerpt)
	require.Equal(t, "…"+strings.Repeat("前", 26)+"zeppelin"+strings.Repeat("後", 50)+"…", hits[1].Excerpt)
}

func TestWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"updat", "ref", "lock"}, stemsOfSenses("Why is the update-ref ref LOCKED?"))
	require.Equal(t, []string{"what", "is", "it"}, stemsOfSenses("what is it"))
	var many strings.Builder
	for i := range 2 * mostWords {
		fmt.Fprintf(&many, "word%d ", i)
	}
	require.Len(t, sensesOf(many.String()), mostWords)
	var words []string
	for _, word := range wordsOf("Größe: 設定ファ x2 ๑ ไทย") {
		words = append(words, word)
	}
	require.Equal(t, []string{"größe", "設定", "定フ", "ファ", "x2", "๑", "ไท", "ทย"}, words)
}

func stemsOfSenses(question string) (list []string) {
	for _, s := range sensesOf(question) {
		list = append(list, s[0].stem)
	}
	return list
}

func TestStems(t *testing.T) {
	t.Parallel()
	for _, same := range []string{"move moves moved moving mover", "stop stops stopped stopping", "normalise normalize normalised normalizing normalisation",
		"carry carries carried", "reject rejects rejection rejections", "quick quickly", "pass passes passed"} {
		require.Len(t, stemsIn(same), 1, "%v", stemsIn(same))
	}
	require.Equal(t, []string{"general", "generat", "us", "thi", "loss"}, stemsIn("general generate us this loss"))
}

// TestGroups holds the file to what a person who adds a group relies on: sorted lines, each
// once, of words in lower case that are looked for at all.
func TestGroups(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSuffix(groups, "\n"), "\n")
	require.True(t, slices.IsSorted(lines))
	require.Len(t, slices.Compact(lines), len(lines))
	stop := stemsIn(stopWords)
	for _, line := range lines {
		words := strings.Fields(line)
		require.GreaterOrEqual(t, len(words), 2, line)
		require.Regexp(t, `^[a-z0-9]+( [a-z0-9]+)+$`, line)
		for i, word := range words {
			require.NotContains(t, stop, stemOf(word), line)
			require.NotContains(t, words[:i], word, line)
		}
	}
}

// BenchmarkSearch looks through 10,000 entries of some sixty words.
func BenchmarkSearch(b *testing.B) {
	var large []Entry
	for n := range 10_000 {
		var text strings.Builder
		for i := range 60 {
			fmt.Fprintf(&text, "word%d ", (n*7919+i*i*31)%(20*(i+1)*(i+1)))
		}
		large = append(large, Entry{Source: "move", ID: fmt.Sprint("id", n), Title: fmt.Sprintf("reject task-%d by code-reviewer-1", n/10), Text: "the merge was rejected " + text.String()})
	}
	for b.Loop() {
		s := New("why was the merge of word77 into word7 rejected by the parser")
		for _, e := range large {
			s.Add(e)
		}
		s.Hits(5)
	}
}
