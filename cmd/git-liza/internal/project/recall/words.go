package recall

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// groups has a line for each group of words that mean nearly the same to people who develop
// software, or that are forms of one word. A word may stand in several.
//
//go:embed groups.txt
var groups string

// A sense is a word of a question, and behind it those that stand for it.
type sense []term

// A term is a word that is looked for, by its stem.
type term struct {
	stem     string
	likeness float64 // to the word of the question
	tells    float64 // how much it tells if an entry has it
}

// mostWords bounds the words of a question that are looked for: the first ones.
const mostWords = 64

// How much a word counts that stands for one of the question, and one that says little of
// what a question is about.
const (
	likeness  = 0.85
	vagueness = 0.5
)

// sensesOf are the senses of a question: of its words but those that nearly every text has,
// unless there are no others.
func sensesOf(question string) (senses []sense) {
	stop, vague := stemsIn(stopWords), stemsIn(vagueWords)
	all := stemsIn(question)
	telling := slices.DeleteFunc(slices.Clone(all), func(stem string) bool { return slices.Contains(stop, stem) })
	if len(telling) == 0 {
		telling = all
	}
	for _, stem := range telling[:min(len(telling), mostWords)] {
		t := term{stem: stem, likeness: 1}
		if slices.Contains(vague, stem) {
			t.likeness = vagueness
		}
		senses = append(senses, sense{t})
	}
	for line := range strings.Lines(groups) {
		group := stemsIn(line)
		for i, s := range senses {
			if slices.Contains(group, s[0].stem) {
				senses[i] = s.with(group)
			}
		}
	}
	return senses
}

// with is a sense with the words of a group.
func (s sense) with(group []string) sense {
	for _, stem := range group {
		if !slices.ContainsFunc(s, func(t term) bool { return t.stem == stem }) {
			s = append(s, term{stem: stem, likeness: likeness * s[0].likeness})
		}
	}
	return s
}

// stopWords are the words that nearly every text has.
const stopWords = `a about all also am an and any are as at be because been being between but by can could did do does
	doing done during each else for from had has have having he her here him his how i if in into is it its itself just
	let me more most must my nor now of on or other our shall she should so some such than that the their them then
	there these they this those through to too until up us very was we were what when where which while who whom whose
	why will with would you your d ll m re s t ve`

// vagueWords say little of what a question is about.
const vagueWords = `able again although always anybody anything back bad big bit case come different else end even ever
	everything find first get give go good happen keep kind know last like long make many may might much need new
	nothing old one others part per person place put right say see set show since small someone somebody something sort
	start still take tell there thing think time together try turn two upon use via want way whether whole within
	without work yet`

// stemsIn are the stems of the words of a text, each once.
func stemsIn(text string) (list []string) {
	seen := map[string]bool{}
	for _, word := range wordsOf(text) {
		if stem := stemOf(word); !seen[stem] {
			seen[stem] = true
			list = append(list, stem)
		}
	}
	return list
}

// wordsOf yields the words of a text in lower case, each with its place in bytes.
func wordsOf(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for from := 0; ; {
			start := strings.IndexFunc(text[from:], isLetter)
			if start < 0 {
				return
			}
			word, step := firstWord(text[from+start:])
			if !yield(from+start, word) {
				return
			}
			from += start + step
		}
	}
}

// firstWord is the word with which a text begins, and where the next one may begin. In scripts
// that put no blanks between words, each two letters beside each other are a word.
func firstWord(text string) (word string, next int) {
	first, size := utf8.DecodeRuneInString(text)
	if !isUnspaced(first) {
		end := strings.IndexFunc(text, func(r rune) bool { return !isLetter(r) || isUnspaced(r) })
		if end < 0 {
			end = len(text)
		}
		return strings.ToLower(text[:end]), end
	}
	second, more := utf8.DecodeRuneInString(text[size:])
	if !isUnspaced(second) {
		return text[:size], size
	}
	pair := size + more
	if third, _ := utf8.DecodeRuneInString(text[pair:]); isUnspaced(third) {
		return text[:pair], size
	}
	return text[:pair], pair
}

func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || r > ' ' && unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// isUnspaced reports whether a letter is of a script that puts no blanks between words. The
// first of these is Thai.
func isUnspaced(r rune) bool {
	return r >= '\u0e00' && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// endings are cut off words, of each the first one that it has.
var endings = []struct{ cut, put string }{
	{"isations", ""}, {"izations", ""}, {"isation", ""}, {"ization", ""}, {"ations", ""}, {"ation", ""},
	{"ising", ""}, {"izing", ""}, {"ised", ""}, {"ized", ""}, {"ises", ""}, {"izes", ""}, {"ise", ""}, {"ize", ""},
	{"ities", ""}, {"ity", ""}, {"ies", "y"}, {"ied", "y"}, {"nesses", ""}, {"ness", ""}, {"ments", ""}, {"ment", ""},
	{"ions", ""}, {"ion", ""}, {"ings", ""}, {"ing", ""}, {"edly", ""}, {"ed", ""}, {"ers", ""}, {"er", ""}, {"ly", ""},
	{"es", ""}, {"s", ""},
}

// stemOf is an English word without its ending, the same for British and American spelling.
// Three letters or more are left.
func stemOf(word string) string {
	if len(word) <= 3 || strings.HasSuffix(word, "ss") {
		return word
	}
	for _, e := range endings {
		if stem, ok := strings.CutSuffix(word, e.cut); ok && len(stem) >= 3 {
			word = stem + e.put
			break
		}
	}
	last := len(word) - 1
	if last > 2 && word[last] == word[last-1] && !strings.ContainsRune("ls", rune(word[last])) {
		word = word[:last]
	}
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "e")
	}
	return word
}
