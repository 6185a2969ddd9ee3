package recall

import (
	"math"
	"strings"
	"unicode"
)

// telling is how much a word tells that so many of all entries have: the root of the
// inverse document frequency of BM25, since a question has fewer of the words that an
// answer has than a text that is like it.
func telling(has, all int) float64 {
	return math.Sqrt(math.Log(1 + (float64(max(all-has, 0))+0.5)/(float64(has)+0.5)))
}

// The parameters of BM25.
const (
	saturation = 1.2
	lengthwise = 0.6
)

// A document is an entry as ranking sees it.
type document struct {
	times  map[string]float64 // how often it has each term that is wanted, more for each time in the title
	places map[string][]int   // where it has them, counted in words
	length float64            // in words
}

// titled is how much a word in the title counts.
const titled = 1.5

// A wanted is what is looked for in documents: the keys of terms, and for the first words
// of phrases, how many words those have. It remembers the stems of words.
type wanted struct {
	keys    map[string]bool
	phrases map[string]int
	stems   map[string]string
}

func wantedOf(senses []sense) wanted {
	w := wanted{map[string]bool{}, map[string]int{}, map[string]string{}}
	for _, s := range senses {
		for _, t := range s.terms {
			w.keys[t.key] = true
			if first, _, ok := strings.Cut(t.key, "_"); ok {
				w.phrases[first] = max(w.phrases[first], 1+strings.Count(t.key, "_"))
			}
		}
	}
	return w
}

func (w wanted) document(title, text string) document {
	d := document{times: map[string]float64{}, places: map[string][]int{}}
	for i, part := range []string{title, text} {
		keys, much := w.keysIn(part), titled
		if i == 1 {
			much = 1
		}
		add := func(key string, at int) {
			if w.keys[key] {
				d.times[key] += much
				d.places[key] = append(d.places[key], int(d.length)+at)
			}
		}
		for at, key := range keys {
			add(key, at)
			for n := 2; n <= min(w.phrases[key], len(keys)-at); n++ {
				add(strings.Join(keys[at:at+n], "_"), at)
			}
		}
		d.length += float64(len(keys))
	}
	return d
}

// keysIn are the words of a text, by their stems.
func (w wanted) keysIn(text string) []string {
	keys := wordsIn(text)
	for i, word := range keys {
		stem, ok := w.stems[word]
		if !ok {
			stem = stemOf(word)
			w.stems[word] = stem
		}
		keys[i] = stem
	}
	return keys
}

// What an entry gets beside the best word of each sense: a part of the second one, and a
// part for two senses of which the question speaks one after the other, if their words are
// near each other, within some six words.
const (
	secondly = 0.2
	together = 0.5
	nearby   = 6.0
)

// score is BM25 over senses: of the words of one sense the one counts that tells most.
// average is the usual length of a document.
func (d document) score(senses []sense, average float64) (score float64) {
	last, lastBest := "", 0.0
	for _, s := range senses {
		key, best, second := d.best(s, average)
		if key == "" {
			continue
		}
		score += best + secondly*second
		if last != "" && last != key {
			score += together * min(best, lastBest) * math.Exp(-d.distance(last, key)/nearby)
		}
		last, lastBest = key, best
	}
	return score
}

// best is the term of a sense that tells most in a document, "" if it has none, and how
// much that one and the next one tell.
func (d document) best(s sense, average float64) (key string, best, second float64) {
	slow := saturation * (1 - lengthwise + lengthwise*d.length/average)
	for _, t := range s.terms {
		n := d.times[t.key]
		if n == 0 {
			continue
		}
		if tells := t.tells * n * (saturation + 1) / (n + slow); tells > best {
			key, best, second = t.key, tells, best
		} else {
			second = max(second, tells)
		}
	}
	return key, best, second
}

// distance is how many words two terms of a document are apart where they are nearest.
func (d document) distance(a, b string) float64 {
	least, others := math.Inf(1), d.places[b]
	for _, place := range d.places[a] { // both are sorted
		for len(others) > 1 && others[1] <= place {
			others = others[1:]
		}
		for _, other := range others[:min(2, len(others))] {
			least = min(least, math.Abs(float64(place-other)))
		}
	}
	return least
}

// terms are the terms of senses that a document has, as FTS5 reads them.
func (d document) terms(senses []sense) (has []string) {
	for _, s := range senses {
		for _, t := range s.terms {
			if d.times[t.key] > 0 {
				has = append(has, t.expression())
			}
		}
	}
	return has
}

// wordsIn are the words of a text in lower case, and the letters of scripts that put no
// blanks between words.
func wordsIn(text string) []string {
	return append(fieldsOf(text), strings.Fields(unspaced(text))...)
}

// fieldsOf are the words of a text in lower case.
func fieldsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) })
}
