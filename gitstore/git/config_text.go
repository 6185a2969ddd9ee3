package git

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// errAskGit is wrapped where a repository or its configuration is one that only git
// itself reads for certain: the caller starts git, which then also says what is wrong.
var errAskGit = errors.New("git is asked")

// A configLine is one setting as a file has it, with the key as git renders it. Bare
// says that it has no value, not even an empty one.
type configLine struct {
	key, value string
	bare       bool
}

// render appends a line as `git config --null --list` prints it.
func (l configLine) render(out []byte) []byte {
	out = append(out, l.key...)
	if !l.bare {
		out = append(append(out, '\n'), l.value...)
	}
	return append(out, 0)
}

// A configText reads the text of a configuration file, character by character as git
// does (config.c). The error wraps errAskGit for what git refuses, and for what its
// versions read differently.
type configText struct {
	text  []byte
	at    int
	ended bool
}

var utf8Mark = []byte("\xef\xbb\xbf")

// parseConfigText returns the settings of a file in their order.
func parseConfigText(text []byte) ([]configLine, error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%w: a configuration file holds a zero byte", errAskGit)
	}
	t := &configText{text: bytes.TrimPrefix(text, utf8Mark)}
	list, err := t.readLines()
	if err != nil {
		return nil, fmt.Errorf("%w: byte %d of a configuration file: %w", errAskGit, t.at, err)
	}
	return list, nil
}

// next returns the next character, a line break at the end of the text, and for the two
// characters that end a line elsewhere.
func (t *configText) next() byte {
	if t.at >= len(t.text) {
		t.ended = true
		return '\n'
	}
	c := t.text[t.at]
	t.at++
	if c == '\r' && t.at < len(t.text) && t.text[t.at] == '\n' {
		t.at++
		return '\n'
	}
	return c
}

func (t *configText) readLines() (list []configLine, err error) {
	section := ""
	for {
		switch c := t.next(); {
		case t.ended:
			return list, nil
		case isConfigSpace(c):
		case c == '#' || c == ';':
			t.skipComment()
		case c == '[':
			if section, err = t.readSection(); err != nil {
				return nil, err
			}
		case isLetter(c) && section != "":
			line, err := t.readSetting(section, c)
			if err != nil {
				return nil, err
			}
			list = append(list, line)
		default:
			return nil, errors.New("no setting begins so")
		}
	}
}

func (t *configText) skipComment() {
	for c := t.next(); c != '\n'; c = t.next() {
	}
}

// readSection reads what follows the bracket of a section's header, and returns the
// beginning of its keys.
func (t *configText) readSection() (string, error) {
	var name strings.Builder
	for {
		c := t.next()
		switch {
		case t.ended:
			return "", errors.New("a header does not end")
		case c == ']' && name.Len() == 0:
			return "", errors.New("a header without a name")
		case c == ']':
			return name.String() + ".", nil
		case isConfigSpace(c):
			sub, err := t.readSubsection(c)
			return name.String() + "." + sub + ".", err
		case !isKeyChar(c) && c != '.':
			return "", errors.New("a character that no section has")
		}
		name.WriteByte(lowerASCII(c))
	}
}

// readSubsection reads the quoted part of a header; c is the space before it.
func (t *configText) readSubsection(c byte) (string, error) {
	for isConfigSpace(c) {
		if c == '\n' {
			return "", errors.New("a header does not end")
		}
		c = t.next()
	}
	if c != '"' {
		return "", errors.New("a subsection without quotes")
	}
	var name strings.Builder
	for c = t.next(); c != '"'; c = t.next() {
		if c == '\\' {
			c = t.next()
		}
		if c == '\n' {
			return "", errors.New("a subsection does not end")
		}
		name.WriteByte(c)
	}
	if t.next() != ']' {
		return "", errors.New("a header does not end")
	}
	return name.String(), nil
}

// readSetting reads the rest of a setting whose name begins with c.
func (t *configText) readSetting(section string, c byte) (configLine, error) {
	name := []byte(section)
	for ; isKeyChar(c); c = t.next() {
		name = append(name, lowerASCII(c))
	}
	for c == ' ' || c == '\t' {
		c = t.next()
	}
	line := configLine{key: string(name)}
	switch c {
	case '\n':
		line.bare = true
		return line, nil
	case '=':
		var err error
		line.value, err = t.readValue()
		return line, err
	}
	return line, errors.New("a name is followed by neither = nor the end of the line")
}

// escapes are the characters that a backslash makes others of.
var escapes = map[byte]byte{'t': '\t', 'b': '\b', 'n': '\n', '\\': '\\', '"': '"'}

// readValue reads what stands behind the sign. Spaces within a value stay; versions of
// git differ in what they make of other white space there.
func (t *configText) readValue() (string, error) {
	var value []byte
	quoted, spaces, odd := false, 0, false
	for {
		c := t.next()
		switch {
		case c == '\n' && quoted:
			return "", errors.New("a quoted value does not end")
		case c == '\n':
			return string(value), nil
		case isConfigSpace(c) && !quoted:
			if len(value) > 0 {
				spaces, odd = spaces+1, odd || c != ' '
			}
			continue
		case !quoted && (c == ';' || c == '#'):
			t.skipComment()
			return string(value), nil
		case odd:
			return "", errors.New("white space that is no space stands in a value")
		}
		value = append(value, bytes.Repeat([]byte(" "), spaces)...)
		spaces = 0
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			if c = t.next(); c == '\n' {
				continue // the value goes on in the next line
			}
			plain, ok := escapes[c]
			if !ok {
				return "", errors.New("an escape that git does not know")
			}
			value = append(value, plain)
		default:
			value = append(value, c)
		}
	}
}

func isConfigSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isKeyChar(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' || c == '-' }

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// parseConfigKey renders a key that comes from the environment as git does; ok is false
// for one that git refuses.
func parseConfigKey(key string) (canonical string, ok bool) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first <= 0 || last == len(key)-1 || strings.ContainsAny(key, "\n\x00") || !isLetter(key[last+1]) {
		return "", false
	}
	for i := range len(key) {
		if (i < first || i > last) && !isKeyChar(key[i]) {
			return "", false
		}
	}
	return canonicalKey(key), true
}
