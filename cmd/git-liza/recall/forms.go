package recall

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/kljensen/snowball/english"
)

// irregular has a line for each word whose forms no rule leads back to it: the word, and
// its forms.
//
//go:embed forms.txt
var irregular string

// forms says for the stem of each irregular form which word it is of, and for each such
// word its forms.
var forms = sync.OnceValues(func() (of map[string]string, all map[string][]string) {
	of, all = map[string]string{}, map[string][]string{}
	for line := range strings.Lines(irregular) {
		word := strings.Fields(line)
		all[word[0]] = word[1:]
		for _, form := range word {
			of[regularStem(form)] = word[0]
		}
	}
	return of, all
})

// stemOf is a word without its ending, the same for British and American spelling.
func stemOf(word string) string {
	of, _ := forms()
	stem := regularStem(word)
	if base, ok := of[stem]; ok {
		return regularStem(base)
	}
	return stem
}

func regularStem(word string) string { return english.Stem(respell(word, "is", "iz"), true) }

// respell is a word with -ize for -ise, in all its forms, or the other way round.
func respell(word, from, to string) string {
	for _, ending := range []string{"e", "ed", "es", "ing", "ation", "ations"} {
		if start, ok := strings.CutSuffix(word, from+ending); ok && len(start) >= 4 {
			return start + to + ending
		}
	}
	return word
}

// formsOf are a word and those of its forms and spellings that SQLite takes for others.
func formsOf(word string) []string {
	of, irregular := forms()
	all := []string{word}
	if base, ok := of[regularStem(word)]; ok {
		all = append([]string{base}, irregular[base]...)
	}
	for _, spelled := range []string{respell(word, "is", "iz"), respell(word, "iz", "is")} {
		if spelled != word {
			return append(all, spelled)
		}
	}
	return all
}
