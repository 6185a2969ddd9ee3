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

func regularStem(word string) string { return english.Stem(american(word), true) }

// american is a word with -ize for -ise, in all its forms.
func american(word string) string {
	for _, ending := range []string{"ise", "ised", "ises", "ising", "isation", "isations"} {
		if start, ok := strings.CutSuffix(word, ending); ok && len(start) >= 4 {
			return start + "iz" + ending[2:]
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
	if spelled := american(word); spelled != word {
		return append(all, spelled)
	}
	if spelled := british(word); spelled != word {
		return append(all, spelled)
	}
	return all
}

// british is a word with -ise for -ize.
func british(word string) string {
	for _, ending := range []string{"ize", "ized", "izes", "izing", "ization", "izations"} {
		if start, ok := strings.CutSuffix(word, ending); ok && len(start) >= 4 {
			return start + "is" + ending[2:]
		}
	}
	return word
}
