package recall

import (
	_ "embed"
	"slices"
	"strings"
)

// synonyms has a line for each group of words that mean nearly the same to those who
// develop software. A word may stand in several.
//
//go:embed synonyms.txt
var synonyms string

// mostLike bounds the words that stand for those of one question.
const mostLike = 150

// like are, for each of some words, those that mean nearly the same, without the word itself.
func like(words []string) [][]string {
	others, of := make([][]string, len(words)), map[string][]int{}
	for i, word := range words {
		stem := stemOf(word)
		of[stem] = append(of[stem], i)
	}
	found := 0
	for line := range strings.Lines(synonyms) {
		group := strings.Fields(line)
		for _, member := range group {
			for _, i := range of[stemOf(member)] {
				for _, other := range group {
					if found < mostLike && stemOf(other) != stemOf(words[i]) && !slices.Contains(others[i], other) {
						others[i] = append(others[i], other)
						found++
					}
				}
			}
		}
	}
	return others
}
