package house

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recallEntry is one thing that was said on the board of testdata/recall.
type recallEntry struct {
	ID, Source, Text string
}

// recallQuestion is what somebody asks who half remembers, with the ids of all
// entries that answer it.
type recallQuestion struct {
	Question string
	Answer   []string
}

// recallStops are words that say nothing of what a text is about.
var recallStops = strings.Fields(`a about after again all also always am an and any are as at be because been before
being both but by can cannot could did do does doing each else for from had has have having he her here him his how i
if in into is it its itself just may me more most must my no nobody none nor not now of off on once one only or other
our out over own so some somebody someone something still such than that the their them then there these they this
those through to too under until up us very was we were what when where which while who whom whose why will with
without would you your`)

var recallWord = regexp.MustCompile(`[\pL\pN]+`)

// contentWords returns the words of a text that are about something, without the
// endings of plurals, -ed and -ing.
func contentWords(text string) map[string]bool {
	words := map[string]bool{}
	for _, word := range recallWord.FindAllString(strings.ToLower(text), -1) {
		words[word] = true
	}
	for _, stop := range recallStops {
		delete(words, stop)
	}
	stems := map[string]bool{}
	for word := range words {
		stems[recallStem(word)] = true
	}
	return stems
}

// recallStem cuts one ending off a word, so that "move", "moved", "moves" and
// "moving" are the same.
func recallStem(word string) string {
	for _, ending := range []struct{ cut, put string }{{"ing", ""}, {"ies", "y"}, {"ed", ""}, {"es", ""}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(word, ending.cut); ok && len(stem) >= 3 {
			word = stem + ending.put
			break
		}
	}
	if len(word) > 3 {
		word = strings.TrimRight(word, "e")
	}
	return word
}

// readRecall reads a file of testdata/recall, one JSON object a line.
func readRecall[T any](t *testing.T, name string) (all []T) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "recall", name))
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one T
		decoder := json.NewDecoder(strings.NewReader(lines.Text()))
		decoder.DisallowUnknownFields()
		require.NoError(t, decoder.Decode(&one), "%s: %s", name, lines.Text())
		all = append(all, one)
	}
	require.NoError(t, lines.Err())
	return all
}

// The questions were written before anything ranked the entries. A ranking is
// measured by them as long as they stay: most are in other words than the answers,
// so that words alone do not find them.
func TestRecallQuestionsKeepTheirShape(t *testing.T) {
	texts := map[string]string{}
	for _, entry := range readRecall[recallEntry](t, "history.jsonl") {
		_, known := texts[entry.ID]
		require.False(t, known, "two entries have the id %s", entry.ID)
		require.NotEmpty(t, strings.TrimSpace(entry.Text), entry.ID)
		require.Contains(t, []string{"move", "file"}, entry.Source, entry.ID)
		texts[entry.ID] = entry.Text
	}
	require.GreaterOrEqual(t, len(texts), 800)

	questions := readRecall[recallQuestion](t, "questions.jsonl")
	require.Equal(t, 100, len(questions))
	asked, inOtherWords := map[string]bool{}, 0
	for _, q := range questions {
		plain := strings.Join(strings.Fields(strings.ToLower(q.Question)), " ")
		require.NotEmpty(t, plain)
		require.False(t, asked[plain], "asked twice: %s", q.Question)
		asked[plain] = true
		require.True(t, 1 <= len(q.Answer) && len(q.Answer) <= 3, "%s has %d answers", q.Question, len(q.Answer))
		most, named := 0, map[string]bool{}
		for _, id := range q.Answer {
			_, known := texts[id]
			require.True(t, known, "%s is no entry, and is to answer: %s", id, q.Question)
			require.False(t, named[id], "%s names %s twice", q.Question, id)
			named[id] = true
			most = max(most, sharedWords(q.Question, texts[id]))
		}
		if most <= 2 {
			inOtherWords++
		}
	}
	require.GreaterOrEqual(t, inOtherWords, 50, "questions that share at most two content words with each answer")
}

// sharedWords counts the content words that are in both texts.
func sharedWords(a, b string) (shared int) {
	inB := contentWords(b)
	for word := range contentWords(a) {
		if inB[word] {
			shared++
		}
	}
	return shared
}

func TestContentWordsAreComparedWithoutEndings(t *testing.T) {
	require.Equal(t, contentWords("move claim carry"), contentWords("The moving, claimed; carries"))
	require.Equal(t, 1, sharedWords("why was the board moved", "moving is what it does"))
	require.Zero(t, sharedWords("the and of", "the and of"))
}
