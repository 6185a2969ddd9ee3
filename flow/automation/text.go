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
	checks         = listOf(checking)
	designs        = listOf(designing)
	changes        = listOf(changing)
	neutrals       = listOf(neutral)
	openEnds       = listOf(openEnded)
	guards         = listOf(security)
	beforeNoun     = listOf(determiners)
	prepositional  = listOf(prepositions)
	afterNoun      = listOf(auxiliaries)
	negating       = listOf(negations)
	alternating    = listOf(alternatives)
	connecting     = listOf(between)
	ambiguities    = listOf(ambiguous)
	enabling       = listOf(abilities)
	hardening      = listOf(difficulties)
	asking         = listOf(askers)
	joining        = listOf(joints)
	endings        = listOf(extensions)
	folderNames    = listOf(folders)
	storyTitles    = listOf(stories)
	criteriaTitles = listOf(criteria)
	productNames   = listOf(products)
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
