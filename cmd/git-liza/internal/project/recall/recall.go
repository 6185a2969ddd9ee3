// Package recall ranks texts by how much they say of a question: by its words, and by those
// that mean nearly the same to people who develop software. It reads all texts for each
// question, keeps nothing, and hides no secrets.
package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
)

// An Entry is a text that can be found.
type Entry struct {
	Source string    `json:"source"` // the kind of thing that it comes from, such as move
	ID     string    `json:"id"`     // names it among those of its source
	Task   string    `json:"task"`   // that it is about, "" if it is about none
	Title  string    `json:"title"`  // its words count more than those of Text
	Text   string    `json:"-"`
	At     time.Time `json:"at,omitzero"` // when it was said, zero if nobody knows
}

// A Hit is an entry that was found.
type Hit struct {
	Entry
	Excerpt string  `json:"excerpt"` // of the text, around the word that counts most
	Score   float64 `json:"score"`   // larger is better; comparable within one search only
}

// A Search ranks entries by one question.
type Search struct {
	senses []sense
	wanted map[string]bool   // the stems of all senses
	stems  map[string]string // of words, to find the stem of each only once
	found  []document
	has    map[string]int // how many entries have a stem
	count  int            // of all entries
	words  int            // in all entries
}

// A document is an entry that has a wanted stem.
type document struct {
	Entry
	stems map[string]use
	words int
}

// A use says how often an entry has a stem, and where its text has it first.
type use struct {
	times float64
	at    int // in bytes; 0 if only the title has it
}

// New begins a search. A question without words finds nothing.
func New(question string) *Search {
	s := &Search{senses: sensesOf(question), wanted: map[string]bool{}, stems: map[string]string{}, has: map[string]int{}}
	for _, sense := range s.senses {
		for _, t := range sense {
			s.wanted[t.stem] = true
		}
	}
	return s
}

// titled is how often a word counts that is in the title.
const titled = 1.5

// Add looks for the words of the question in an entry.
func (s *Search) Add(e Entry) {
	d := document{Entry: e, stems: map[string]use{}}
	s.read(&d, e.Text, 1, true)
	s.read(&d, e.Title, titled, false)
	s.count++
	s.words += d.words
	if len(d.stems) == 0 {
		return
	}
	s.found = append(s.found, d)
	for stem := range d.stems {
		s.has[stem]++
	}
}

func (s *Search) read(d *document, text string, counts float64, inText bool) {
	for at, word := range wordsOf(text) {
		d.words++
		stem, ok := s.stems[word]
		if !ok {
			stem = stemOf(word)
			s.stems[word] = stem
		}
		if !s.wanted[stem] {
			continue
		}
		u, ok := d.stems[stem]
		if inText && !ok {
			u.at = at
		}
		u.times += counts
		d.stems[stem] = u
	}
}

// Hits returns the entries that say most of the question, the best first, and the newer one
// of two that say as much.
func (s *Search) Hits(limit int) []Hit {
	s.weigh()
	hits := make([]Hit, len(s.found))
	for i, d := range s.found {
		score, stem := s.score(d)
		hits[i] = Hit{Entry: d.Entry, Score: score, Excerpt: excerptAt(d.Text, d.stems[stem].at)}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	return hits[:min(limit, len(hits))]
}

// The parameters of BM25, and how much of the second word of a sense counts.
const (
	saturation = 1.2
	lengthwise = 0.6
	secondly   = 0.3
)

// weigh says of each word that is looked for how much it tells: by the root of the inverse
// document frequency, and no more than the word of the question that it stands for.
func (s *Search) weigh() {
	for _, sense := range s.senses {
		most := math.Inf(1)
		for i := range sense {
			has := float64(s.has[sense[i].stem])
			tells := math.Sqrt(math.Log(1 + (float64(s.count)-has+0.5)/(has+0.5)))
			if i == 0 && has > 0 {
				most = tells
			}
			sense[i].tells = sense[i].likeness * min(most, tells)
		}
	}
}

// score is BM25, where of the words of one sense the best one counts, and a part of the
// second. stem is the one that counts most.
func (s *Search) score(d document) (score float64, stem string) {
	slow := saturation * (1 - lengthwise + lengthwise*float64(d.words*s.count)/float64(s.words))
	most := 0.0
	for _, sense := range s.senses {
		best, second := 0.0, 0.0
		for _, t := range sense {
			n := d.stems[t.stem].times
			tells := t.tells * n * (saturation + 1) / (n + slow)
			if tells > most {
				most, stem = tells, t.stem
			}
			best, second = max(best, tells), max(second, min(best, tells))
		}
		score += best + secondly*second
	}
	return score, stem
}

// How much of a text an excerpt has before a word and from it on, in bytes.
const (
	leading  = 80
	trailing = 160
)

// excerptAt is what stands in a text around a place, from word to word.
func excerptAt(text string, at int) string {
	before, after := text[:at], text[at:]
	if n := len(before) - leading; n > 0 {
		before = before[n:]
		before = "…" + strings.ToValidUTF8(before[strings.IndexFunc(before, unicode.IsSpace)+1:], "")
	}
	if len(after) > trailing {
		after = after[:trailing]
		if end := strings.LastIndexFunc(after, unicode.IsSpace); end > 0 {
			after = after[:end]
		}
		after = strings.ToValidUTF8(after, "") + "…"
	}
	return before + after
}
