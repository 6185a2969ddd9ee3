// Package spelling finds the word that a mistyped one was probably meant to be.
package spelling

import "strings"

// Distance returns the number of letters in which two texts differ, at most
// the limit most.
func Distance(a, b string, most int) int {
	if max(len(a)-len(b), len(b)-len(a)) >= most || b == "" {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return min(row[len(b)], most)
}

// Nearest returns the word of a list that a mistyped one of at least three letters
// begins, else the one that differs in the fewest letters from it, "" if none differs in
// less than a third of them.
func Nearest(mistyped string, words []string) string {
	for _, word := range words {
		if len(mistyped) >= 3 && strings.HasPrefix(word, mistyped) {
			return word
		}
	}
	best, least := "", max(3, len(mistyped)/3+1)
	for _, word := range words {
		if far := Distance(mistyped, word, least); far < least {
			best, least = word, far
		}
	}
	return best
}
