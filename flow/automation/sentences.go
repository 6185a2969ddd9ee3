package automation

import "strings"

// findings is what prose asks for.
type findings struct {
	checks, designs, changes, openEnds []Evidence
	hasPath                            bool
}

// survey finds the verbs of prose, and whether it names a path.
func survey(prose []line) (found findings) {
	s := sentence{tokens: tokensOf(prose), negated: none, embedded: none}
	for i := 0; i < len(s.tokens); {
		t := s.tokens[i]
		switch t.kind {
		case stopToken:
			s.checked, s.negated, s.embedded = false, none, none
			i++
			continue
		case pathToken:
			found.hasPath = true
		}
		if t.kind != wordToken {
			i++
			continue
		}
		phrase, n, kind := s.match(i)
		what := Evidence{t.line, phrase}
		switch {
		case kind == isOpenEnd:
			found.openEnds = append(found.openEnds, what)
		case kind == isNothing || s.isNoun(i, n) || s.isNegated(i) || s.isEmbedded(i):
		case kind == isCheck:
			found.checks = append(found.checks, what)
			s.checked = true
		case kind == isDesign:
			found.designs = append(found.designs, what)
		case kind == isChange:
			found.changes = append(found.changes, what)
		}
		i += n
	}
	return found
}

// none is the place of no token.
const none = -9

// A sentence is where a survey is in the prose.
type sentence struct {
	tokens   []token
	checked  bool // a checking verb came before in the sentence
	negated  int  // the last verb that is not to be done, or none
	embedded int  // the last verb that says what is checked, or none
}

// The kinds of words.
type wordKind uint8

const (
	isNothing wordKind = iota
	isCheck
	isDesign
	isChange
	isOpenEnd
)

// match finds the longest phrase that a list knows at a place, with the number of its
// words; one word that asks for nothing if there is none.
func (s *sentence) match(at int) (phrase string, n int, kind wordKind) {
	for n = 2; n > 0; n-- {
		if at+n > len(s.tokens) || n == 2 && s.tokens[at+1].kind != wordToken {
			continue
		}
		phrase = s.tokens[at].word
		if n == 2 {
			phrase += " " + s.tokens[at+1].word
		}
		switch {
		case neutrals()[phrase]:
			return phrase, n, isNothing
		case openEnds()[phrase]:
			return phrase, n, isOpenEnd
		case checks()[phrase]:
			return phrase, n, isCheck
		case designs()[phrase]:
			return phrase, n, isDesign
		case changes()[phrase]:
			return phrase, n, isChange
		}
	}
	return phrase, 1, isNothing
}

// word is the word at a place, "" where none is.
func (s *sentence) word(at int) string {
	if at < 0 || at >= len(s.tokens) || s.tokens[at].kind != wordToken {
		return ""
	}
	return s.tokens[at].word
}

// isNoun reports words that stand like a noun: "the build", "for review", "API's
// design", "updates are", and verbs that nobody asks for. A word in -ing is no noun after
// a preposition.
func (s *sentence) isNoun(at, n int) bool {
	before, word, after := s.word(at-1), s.word(at), s.word(at+n)
	if n == 1 && ambiguities()[word] && (strings.HasSuffix(after, "ed") || before != "" && !joining()[before] && !asking()[before] && !negating()[before]) {
		return true
	}
	return before == "to" && hardening()[s.word(at-2)] || beforeNoun()[before] || strings.HasSuffix(before, "'s") ||
		prepositional()[before] && !strings.HasSuffix(word, "ing") ||
		afterNoun()[after] && !strings.HasPrefix(word, "be")
}

// isNegated reports verbs that are not to be done: "do not edit, move or rename".
func (s *sentence) isNegated(at int) bool {
	before := at - 1
	for connecting()[s.word(before)] {
		before--
	}
	listed := s.negated == at-2 && s.word(before) == "" && alternating()[s.word(at+1)]
	if negating()[s.word(before)] || s.negated != none && alternating()[s.word(before)] || listed {
		s.negated = at
		return true
	}
	return false
}

// isEmbedded reports verbs that say what somebody can do or what is checked: "verify that
// users create and delete accounts". A verb that begins a clause of its own does not.
func (s *sentence) isEmbedded(at int) bool {
	before := s.word(at - 1)
	begins := joining()[before] || before == "" && at > 0 && s.tokens[at-1].kind == pauseToken
	if !enabling()[before] && !(begins && s.embedded == at-2) && !(s.checked && !begins) {
		return false
	}
	s.embedded = at
	return true
}

// guarded are the security words of prose and declared files.
func (r *reader) guarded() (found []Evidence) {
	seen := wordList{}
	look := func(number int, text string) {
		for _, word := range strings.FieldsFunc(lower(text), func(c rune) bool { return c < '0' || c > '9' && c < 'a' || c > 'z' && c < 0x80 }) {
			if guards()[word] && !seen[word] {
				seen[word] = true
				found = append(found, Evidence{number, word})
			}
		}
	}
	for _, file := range r.files {
		look(file.Line, file.Text)
	}
	for _, one := range r.prose {
		if !one.fenced {
			look(one.number, one.text)
		}
	}
	return found
}
