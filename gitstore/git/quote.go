package git

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// Visible is a name or a command that somebody else has chosen as text of one line that
// steers no terminal: quoted as in Go where it has characters that do not print or are
// hidden, else as it is.
func Visible(text string) string {
	switch {
	case isPrintable(text) && plaintext.Line(text) == text:
		return text
	case isPrintable(text): // Quote would leave hidden ones as they are
		return strconv.QuoteToASCII(text)
	}
	return strconv.Quote(text)
}

// VisibleList names the first few of a list, as Visible does, and says how many more there are.
func VisibleList(names []string, most int) string {
	shown := lists.Of(names[:min(len(names), most)], Visible)
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func isPrintable(name string) bool {
	return utf8.ValidString(name) && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}
