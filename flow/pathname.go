package flow

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// quoteC is a path as git prints unusual ones: in double quotes, with backslash
// escapes and octal bytes.
func quoteC(name string) string { return `"` + escape(name, `"`) + `"` }

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
		case unprintable(r) || r == utf8.RuneError && n == 1:
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
