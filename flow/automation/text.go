package automation

import (
	"strings"
	"sync"
)

// A wordList has the words and phrases of a list.
type wordList map[string]bool

// listOf returns a function that reads a list at its first use.
func listOf(words string) func() wordList {
	return sync.OnceValue(func() wordList {
		list := wordList{}
		for _, word := range fields(words) {
			list[strings.ReplaceAll(word, "_", " ")] = true
		}
		return list
	})
}

var (
	checks        = listOf(checking)
	designs       = listOf(designing)
	changes       = listOf(changing)
	neutrals      = listOf(neutral)
	openEnds      = listOf(openEnded)
	guards        = listOf(security)
	beforeNoun    = listOf(determiners)
	prepositional = listOf(prepositions)
	afterNoun     = listOf(auxiliaries)
	negating      = listOf(negations)
	alternating   = listOf(alternatives)
	connecting    = listOf(between)
	ambiguities   = listOf(ambiguous)
	enabling      = listOf(abilities)
	hardening     = listOf(difficulties)
	asking        = listOf(askers)
	joining       = listOf(joints)
	endings       = listOf(extensions)
	folderNames   = listOf(folders)
	productNames  = listOf(products)
)

// fields parts a text at blanks of ASCII.
func fields(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == ' ' || c == '\t' || c == '\n' })
}

// A token is a word of the prose in small letters, a path, or an end.
type token struct {
	kind tokenKind
	word string
	line int
}

type tokenKind uint8

const (
	wordToken tokenKind = iota
	pathToken
	pauseToken // a comma or a bracket
	stopToken  // the end of a sentence, item or cell
)

// tokensOf reads prose outside fences. Words within backquotes are names and no verbs;
// only paths count there.
func tokensOf(prose []line) []token {
	l := lexer{}
	for _, one := range prose {
		l.number = one.number
		if one.fenced {
			l.add(stopToken, "")
			continue
		}
		l.line(one.text)
	}
	return l.tokens
}

// A lexer makes tokens of lines.
type lexer struct {
	tokens  []token
	number  int
	comment bool // goes on from the line before
	command bool // within a tag <verify>

	// What the rest of the line does not close: a tag, and code after so many backquotes.
	openTag  bool
	openCode map[int]bool
}

func (l *lexer) add(kind tokenKind, word string) {
	l.tokens = append(l.tokens, token{kind, word, l.number})
}

func (l *lexer) line(text string) {
	text = strings.TrimLeft(text, " \t>")
	if l.comment {
		_, after, ends := strings.Cut(text, "-->")
		if !ends {
			return
		}
		l.comment, text = false, after
	}
	if text == "" || startsItem(text) {
		l.add(stopToken, "")
	}
	heading := text != "" && text[0] == '#'
	l.openTag, l.openCode = false, nil
	for text != "" {
		text = l.next(text)
	}
	if heading {
		l.add(stopToken, "")
	}
}

// startsItem reports lines that begin a heading, an item of a list or a row of a table.
func startsItem(text string) bool {
	digits := strings.TrimLeft(text, "0123456789")
	switch {
	case strings.IndexByte("#|", text[0]) >= 0:
		return true
	case len(digits) < len(text):
		return strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")
	}
	return strings.IndexByte("-*+", text[0]) >= 0 && (len(text) == 1 || text[1] == ' ')
}

// next takes a piece off the beginning of a line and returns the rest.
func (l *lexer) next(text string) string {
	switch c := text[0]; {
	case c == '`':
		return l.code(text)
	case c == '<' && len(text) > 1 && (text[1] == '/' || text[1] == '!' || isLetter(text[1])):
		return l.tag(text)
	case c == ',' || c == '(' || c == ')':
		l.add(pauseToken, "")
	case c == ';' || c == '|' || c == '.' || c == '!' || c == '?' || c == ':':
		l.add(stopToken, "")
	case isRun(text):
		end := 1
		for end < len(text) && isRun(text[end:]) {
			end++
		}
		l.run(text[:end], l.command)
		return text[end:]
	case strings.HasPrefix(text, "\u2013"), strings.HasPrefix(text, "\u2014"):
		l.add(pauseToken, "")
		return text[3:]
	}
	return text[1:]
}

// code reads text between backquotes.
func (l *lexer) code(text string) string {
	rest := strings.TrimLeft(text, "`")
	mark := text[:len(text)-len(rest)]
	if l.openCode[len(mark)] {
		return rest
	}
	inside, after, closed := strings.Cut(rest, mark)
	if !closed {
		if l.openCode == nil {
			l.openCode = map[int]bool{}
		}
		l.openCode[len(mark)] = true
		return rest
	}
	for _, field := range fields(inside) {
		l.run(field, true)
	}
	if len(fields(inside)) > 0 {
		l.add(wordToken, "") // a name, of which no list knows
	}
	return after
}

// tag skips a tag or a comment.
func (l *lexer) tag(text string) string {
	if strings.HasPrefix(text, "<!--") {
		_, after, ends := strings.Cut(text, "-->")
		l.comment = !ends
		return after
	}
	if l.openTag {
		return text[1:]
	}
	_, after, closed := strings.Cut(text, ">")
	if !closed {
		l.openTag = true
		return text[1:]
	}
	l.add(stopToken, "")
	switch lower(text[:len(text)-len(after)]) {
	case "<verify>":
		l.command = true
	case "</verify>":
		l.command = false
	}
	return after
}

// isRun reports whether a word or path goes on here. Dashes, quotes and blanks of
// Unicode's general punctuation part words like those of ASCII.
func isRun(text string) bool {
	c := text[0]
	switch {
	case c == 0xe2 && len(text) > 2 && text[1] == 0x80:
		return text[2] == 0x99 // an apostrophe
	case c == 0xc2 && len(text) > 1 && text[1] == 0xa0:
		return false
	}
	return c >= 0x80 || isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte("'*+-./:@_~", c) >= 0
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// run reads what stands between blanks.
func (l *lexer) run(text string, code bool) {
	text = strings.ReplaceAll(lower(text), "\u2019", "'")
	bare := strings.Trim(text, "*_'")
	plain := strings.TrimRight(bare, ".:*_'-")
	switch {
	case strings.Contains(text, "://"):
		return
	case isPath(plain, code) || isPath(text, code):
		l.add(pathToken, plain)
	case !code:
		for i, word := range strings.FieldsFunc(plain, func(c rune) bool { return strings.ContainsRune("*+./:@~", c) }) {
			if i > 0 && strings.Contains(plain, ": ") {
				l.add(stopToken, "")
			}
			l.add(wordToken, strings.Trim(word, "-'_"))
		}
	}
	if text == "-" {
		l.add(pauseToken, "")
	}
	if end := bare[len(plain):]; !code && strings.ContainsAny(end, ".:") {
		l.add(stopToken, "")
	}
}

// isPath reports texts that look like the path of a file or folder.
func isPath(text string, code bool) bool {
	text = strings.TrimPrefix(text, "@")
	if productNames()[text] || strings.Trim(text, "./*-~") == "" {
		return false
	}
	name := text[strings.LastIndexByte(text, '/')+1:]
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 && endings()[name[dot+1:]] {
		return true
	}
	slashes := strings.Count(text, "/")
	first, _, _ := strings.Cut(text, "/")
	switch {
	case slashes == 0:
		return false
	case strings.HasPrefix(text, "./"), strings.HasPrefix(text, "../"), strings.HasPrefix(text, "~/"), strings.Contains(text, "/*"):
		return true
	case slashes > 1 || strings.HasSuffix(text, "/"):
		return first != "" || code
	}
	return code && first != "" || folderNames()[first]
}

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
