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
	if prints(name) {
		return name
	}
	return strconv.Quote(name)
}

func prints(name string) bool {
	return utf8.ValidString(name) && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// ShellWord is text as one word of a command to type, in one line that steers no
// terminal: in the quotes of bash, zsh and ksh where characters do not print.
func ShellWord(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%:,="
	switch {
	case text != "" && strings.Trim(text, plain) == "":
		return text
	case prints(text):
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + text[:n])
		case unicode.IsPrint(r) && (r != utf8.RuneError || n > 1):
			b.WriteString(text[:n])
		default:
			for _, c := range []byte(text[:n]) {
				b.WriteString(`\` + string('0'+c>>6) + string('0'+c>>3&7) + string('0'+c&7))
			}
		}
		text = text[n:]
	}
	b.WriteString("'")
	return b.String()
}
