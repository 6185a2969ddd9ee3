package board

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxList is how many entries a list inside a document may have.
const MaxList = 50

// MaxTasks is how many tasks one move may add.
const MaxTasks = 5000

// MaxPaths is how many changed paths a submission may name.
const MaxPaths = 20000

// Clean is the text as documents hold it: valid UTF-8, line feeds only, no
// control characters except tab and line feed, no blank lines or blanks at
// either end. No text then makes a commit unreadable.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = lineFeeds.Replace(s)
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !Unprintable(r) {
			return r
		}
		return -1
	}, s)
	return strings.TrimFunc(s, unicode.IsSpace)
}

// lineFeeds is made once, because making it takes longer than replacing in a
// line.
var lineFeeds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Unprintable reports control characters and code points that YAML forbids.
func Unprintable(r rune) bool {
	return unicode.IsControl(r) || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF || r == '\u2028' || r == '\u2029'
}

// A LongText is a text of which the limit is 16 KiB where that of the configuration is
// lower.
type LongText string

// Excerpt is the first and last part of an output, within n bytes, at least 16.
func Excerpt(s string, n int) string {
	s = Clean(s)
	if len(s) <= n {
		return s
	}
	const cut = "\n[…]\n"
	half := (n - len(cut)) / 2
	return Clean(strings.ToValidUTF8(s[:half], "") + cut + strings.ToValidUTF8(s[len(s)-half:], ""))
}

// QuoteC is a path as git prints unusual ones: in double quotes, with backslash
// escapes and octal bytes.
func QuoteC(name string) string { return `"` + escape(name, `"`) + `"` }

// escape puts a backslash before unprintable characters, the backslash and the
// quote, as C and git do.
func escape(name, quote string) string {
	short := map[rune]string{'\t': `\t`, '\n': `\n`, '\r': `\r`, '\\': `\\`}
	var b strings.Builder
	for len(name) > 0 {
		r, n := utf8.DecodeRuneInString(name)
		switch {
		case short[r] != "":
			b.WriteString(short[r])
		case string(r) == quote:
			b.WriteString(`\` + quote)
		case Unprintable(r) || r == utf8.RuneError && n == 1:
			for _, c := range []byte(name[:n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteString(name[:n])
		}
		name = name[n:]
	}
	return b.String()
}
