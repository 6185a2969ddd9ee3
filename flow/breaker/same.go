package breaker

import (
	"slices"
	"strings"
	"unicode"
)

// Two texts of at least fewest words are the same if Dice's coefficient of their pairs of
// neighbouring words is threshold or more. Only the first words of a text count.
const (
	fewest    = 3
	threshold = 0.6
	words     = 64
)

// A text is one that is compared: its words, and its pairs of neighbouring words, sorted.
type text struct {
	plain string
	pairs []string
	count int // of words
}

// same reports whether two texts say the same in similar words. Case, numbers, paths,
// hexadecimal names and quotes do not count. An empty text is the same as nothing.
func (t text) same(o text) bool {
	if t.plain == "" || o.plain == "" {
		return false
	}
	if t.plain == o.plain {
		return true
	}
	if t.count < fewest || o.count < fewest {
		return false
	}
	all := len(t.pairs) + len(o.pairs)
	if 2*float64(min(len(t.pairs), len(o.pairs))) < threshold*float64(all) {
		return false
	}
	shared := 0
	for i, j := 0, 0; i < len(t.pairs) && j < len(o.pairs); {
		switch strings.Compare(t.pairs[i], o.pairs[j]) {
		case 0:
			shared, i, j = shared+1, i+1, j+1
		case -1:
			i++
		default:
			j++
		}
	}
	return 2*float64(shared) >= threshold*float64(all)
}

// normalise brings a text to what is compared of it. A text of nothing but numbers and
// paths is compared as it is written: without them nothing would be left of it.
func normalise(s string) text {
	var list []string
	for word := range strings.FieldsSeq(strings.Map(unquoted, fold(s))) {
		if strings.Contains(word, "/") {
			list = append(list, "/")
			continue
		}
		for _, part := range strings.FieldsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if part = numberless(part); part != "#" || len(list) == 0 || list[len(list)-1] != "#" {
				list = append(list, part)
			}
		}
		if len(list) >= words {
			break
		}
	}
	list = list[:min(len(list), words)]
	if !slices.ContainsFunc(list, func(word string) bool { return strings.Trim(word, "/#") != "" }) {
		return text{plain: fold(s)}
	}
	t := text{plain: strings.Join(list, " "), count: len(list)}
	for i := 1; i < len(list); i++ {
		t.pairs = append(t.pairs, list[i-1]+" "+list[i])
	}
	slices.Sort(t.pairs)
	t.pairs = slices.Compact(t.pairs)
	return t
}

// numberless is a word with # for hexadecimal names and for each number in it.
func numberless(word string) string {
	if len(word) >= 6 && strings.ContainsAny(word, "0123456789") && strings.Trim(word, "0123456789abcdef") == "" {
		return "#"
	}
	var out strings.Builder
	inNumber := false
	for _, r := range word {
		if digit := unicode.IsDigit(r); !digit {
			out.WriteRune(r)
		} else if !inNumber {
			out.WriteByte('#')
		}
		inNumber = unicode.IsDigit(r)
	}
	return out.String()
}

// unquoted drops quotation marks.
func unquoted(r rune) rune {
	if strings.ContainsRune("\"'`´‘’‚“”„«»‹›", r) {
		return -1
	}
	return r
}

// fold is a text in lower case, with single blanks.
func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// excerpt is the beginning of a text in a line.
func excerpt(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 160 {
		s = strings.TrimSpace(strings.ToValidUTF8(s[:160], "")) + "…"
	}
	return s
}
