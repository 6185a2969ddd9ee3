package recall

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// mostWords bounds the words of a question that are looked for: the first ones.
const mostWords = 64

// Words are the words of a question that are looked for, in lower case, each once: not
// those that nearly every text has, unless there are no others.
func Words(question string) []string {
	stop, seen := stopWords(), map[string]bool{}
	var all, telling []string
	for _, word := range fieldsOf(question) {
		if seen[word] || len(telling) == mostWords {
			continue
		}
		seen[word] = true
		if len(all) < mostWords {
			all = append(all, word)
		}
		if !stop[word] {
			telling = append(telling, word)
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// stopWords are the words that nearly every text has.
var stopWords = sync.OnceValue(func() map[string]bool {
	stop := map[string]bool{}
	for _, word := range strings.Fields(`a about all also am an and any are as at be because been being between but by
		can could did do does doing done during each else for from had has have having he her here him his how i if in into is it
		its itself just let me more most must my nor now of on or other our shall she should so
		some such than that the their them then there these they this those through to too until up us very was we were what when
		where which while who whom whose why will with would you your
		d ll m re s t ve`) {
		stop[word] = true
	}
	return stop
})

// A sense is a word or phrase of a question, with those that mean nearly the same.
type sense struct {
	weight float64
	terms  []term // its own first, then the others, the most alike first
}

// A term is a word or phrase that is looked for.
type term struct {
	key, word string // see [keyOf]
	likeness  float64
	tells     float64 // how much it tells if an entry has it, see [searched.weigh]
}

// expression is a term as FTS5 reads it.
func (t term) expression() string {
	if apart := unspaced(t.word); apart != "" {
		return `unspaced : "` + apart + `"`
	}
	var forms []string
	if strings.Contains(t.word, "_") {
		forms = []string{strings.ReplaceAll(t.word, "_", " ")}
	} else {
		forms = formsOf(t.word)
	}
	return `{title text} : ("` + strings.Join(forms, `" OR "`) + `")`
}

// How much words of a question count that say little of what it is about, and words that
// belong to a phrase, which counts itself.
const (
	vagueness = 0.5
	inPhrase  = 0.5
)

// mostTerms bounds the terms that stand for one question, and mostLike those for one word.
const (
	mostTerms = 300
	mostLike  = 60
)

// sensesOf are the senses of a question: phrases that the thesaurus has, and words.
func sensesOf(question string) (senses []sense) {
	all := wordsIn(question)
	weights := map[string]float64{}
	for _, p := range phrasesIn(all[:min(len(all), mostWords)]) {
		senses = append(senses, sense{1, []term{{key: p.key, word: p.word, likeness: 1}}})
		for part := range strings.SplitSeq(p.key, "_") {
			weights[part] = inPhrase
		}
	}
	vague := vagueWords()
	for _, word := range Words(question) {
		key := stemOf(word)
		if slices.ContainsFunc(senses, func(s sense) bool { return s.terms[0].key == key }) {
			continue
		}
		weight := 1.0
		if vague[key] {
			weight = vagueness
		}
		if in, ok := weights[key]; ok {
			weight *= in
		}
		senses = append(senses, sense{weight, []term{{key: key, word: word, likeness: 1}}})
	}
	addLike(senses)
	return senses
}

// addLike adds the terms that are like those of a question, the most alike first where
// they are too many.
func addLike(senses []sense) {
	type candidate struct {
		sense int
		term
	}
	var all []candidate
	for i, s := range senses {
		like := words().like(s.terms[0].key)
		for _, other := range like[:min(len(like), mostLike)] {
			all = append(all, candidate{i, term{key: other.key, word: other.word, likeness: other.likeness}})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Compare(b.likeness*senses[b.sense].weight, a.likeness*senses[a.sense].weight)
	})
	for _, c := range all[:min(len(all), mostTerms)] {
		senses[c.sense].terms = append(senses[c.sense].terms, c.term)
	}
}

// A phrase is one of the thesaurus that a question has.
type phrase struct{ key, word string }

// phrasesIn are the phrases of two or three words among the words of a question. A word
// may stand between the two if it says nothing, as in "turn it down".
func phrasesIn(all []string) (found []phrase) {
	stop, known := stopWords(), words().groups
	keys := make([]string, len(all))
	for i, word := range all {
		keys[i] = stemOf(word)
	}
	add := func(at ...int) {
		var key, word []string
		for _, i := range at {
			if i >= len(all) {
				return
			}
			key, word = append(key, keys[i]), append(word, all[i])
		}
		p := phrase{strings.Join(key, "_"), strings.Join(word, "_")}
		if known[p.key] != nil && !slices.ContainsFunc(found, func(other phrase) bool { return other.key == p.key }) {
			found = append(found, p)
		}
	}
	for i := range all {
		add(i, i+1, i+2)
		add(i, i+1)
		if i+2 < len(all) && stop[all[i+1]] {
			add(i, i+2)
		}
	}
	return found
}

// vagueWords are words, by their keys, that say little of what a question is about.
var vagueWords = sync.OnceValue(func() map[string]bool {
	vague := map[string]bool{}
	for _, word := range strings.Fields(`able again although always anybody anything back bad big bit case come different else end even ever everything
		find first get give go good happen keep kind know last like long make many may might much need new nothing old one others part per person
		place put right say see set show since small someone somebody something sort start still take tell there thing think time together
		try turn two upon use via want way whether whole within without work yet`) {
		vague[stemOf(word)] = true
	}
	return vague
})
