package git

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible is a name that somebody else has chosen, of a file for example, as
// text of one line that steers no terminal: quoted as in Go where it has
// characters that do not print, else as it is.
func Visible(name string) string {
	if isPrintable(name) {
		return name
	}
	return strconv.Quote(name)
}

func isPrintable(name string) bool {
	return utf8.ValidString(name) && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}
