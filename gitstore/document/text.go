package document

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// plainEnd is the end of the plain text at the start of s, before a colon or
// the end of the line; 0 if it is not canonical.
func plainEnd(s string) int {
	if s == "" || !isWordByte(s[0]) && !(s[0] == '-' && len(s) > 1 && s[1] >= '0' && s[1] <= '9') || strings.HasPrefix(s, "...") {
		return 0
	}
	for i := range len(s) {
		switch c := s[i]; {
		case isWordByte(c), c == '@', c == '+', c == '-':
		case c == ' ' && s[i-1] != ' ':
		case c == ':' && i+1 < len(s) && isWordByte(s[i+1]):
		case (c == ':' || c == '\n') && s[i-1] != ' ':
			return i
		default:
			return 0
		}
	}
	return 0
}

// isWordByte reports bytes that plain text may begin with.
func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '/'
}

// quotedEnd is the end of the quoted text at the start of s, 0 if it does not
// end on its line.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\n', '\t':
			return 0
		case '"':
			return i + 1
		}
	}
	return 0
}

// unquote removes quotes and escapes from a text.
func unquote(s string) (text string, ok bool) {
	if len(s) < 2 {
		return "", false
	}
	s = s[1 : len(s)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var b strings.Builder
	for {
		plain, rest, more := strings.Cut(s, `\`)
		b.WriteString(plain)
		if !more {
			return b.String(), true
		}
		if rest == "" {
			return "", false
		}
		digits := escapeDigits[rest[0]]
		r, known := escapes[rest[0]]
		switch {
		case digits > 0 && len(rest) > digits:
			n, err := strconv.ParseUint(rest[1:1+digits], 16, 32)
			if r = rune(n); err != nil || n > utf8.MaxRune || !utf8.ValidRune(r) {
				return "", false
			}
		case !known:
			return "", false
		}
		b.WriteRune(r)
		s = rest[1+digits:]
	}
}

// escapes are the characters after a backslash with what they stand for.
// escapeDigits are those that digits follow, with their number.
var (
	escapes = map[byte]rune{'0': 0, 'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1b,
		'"': '"', '\\': '\\', 'N': 0x85, '_': 0xa0, 'L': 0x2028, 'P': 0x2029}
	escapeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}
)
