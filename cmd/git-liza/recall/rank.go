package recall

import (
	"math"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// A sense is a word of a question, with those that mean nearly the same.
type sense struct {
	terms map[string]float64 // by their stems, how much each tells, see [telling]
}

// likeness is how much a word counts that means nearly the same as that of the question.
const likeness = 0.8

// telling is how much a word tells that so many of all entries have: the inverse document
// frequency of BM25.
func telling(has, all int) float64 {
	return math.Log(1 + (float64(max(all-has, 0))+0.5)/(float64(has)+0.5))
}

// The parameters of BM25, as Lucene and SQLite have them.
const (
	saturation = 1.2
	lengthwise = 0.75
)

// A document is an entry as ranking sees it.
type document struct {
	times  map[string]float64 // how often it has each stem, twice for each time in the title
	length float64            // in words
}

func documentOf(title, text string) document {
	d := document{times: map[string]float64{}}
	for i, part := range []string{title, text} {
		for _, word := range wordsIn(part) {
			d.times[stemOf(word)] += float64(2 - i)
			d.length++
		}
	}
	return d
}

// score is BM25 over senses: words of one sense count as one word, which tells as much
// as the best of them that is there. average is the usual length of a document.
func (d document) score(senses []sense, average float64) (score float64) {
	for _, s := range senses {
		times, best := 0.0, 0.0
		for stem, tells := range s.terms {
			if n := d.times[stem]; n > 0 {
				times += n
				best = max(best, tells)
			}
		}
		score += best * times * (saturation + 1) / (times + saturation*(1-lengthwise+lengthwise*d.length/average))
	}
	return score
}

// wordsIn are the words of a text in lower case, and the letters of scripts that put no
// blanks between words.
func wordsIn(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) })
	return append(words, strings.Fields(unspaced(text))...)
}

// stemOf is a word without its ending.
func stemOf(word string) string { return english.Stem(word, true) }
