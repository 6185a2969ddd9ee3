// Package shell quotes words of commands that people and agents copy from a
// hint. It runs no shell.
package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/plaintext"
)

// Quote is text as one word of a command to type, on one line and without
// control characters for the terminal. Text with unprintable or hidden
// characters gets the quotes of bash, zsh and ksh.
func Quote(text string) string {
	switch {
	case Plain(text):
		return text
	case utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !isShown(r) }) < 0:
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	short := map[rune]string{'\t': `\t`, '\n': `\n`, '\r': `\r`, '\\': `\\`, '\'': `\'`}
	var b strings.Builder
	b.WriteString("$'")
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case short[r] != "":
			b.WriteString(short[r])
		case isShown(r) && (r != utf8.RuneError || n > 1):
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

// Join is a command of several words to type, each as one word.
func Join(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = Quote(word)
	}
	return strings.Join(quoted, " ")
}

func isShown(r rune) bool { return unicode.IsPrint(r) && !plaintext.IsHidden(0, r) }

// Plain reports whether a shell takes the word literally.
func Plain(word string) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%:,="
	return word != "" && strings.Trim(word, plain) == ""
}

// Pathspec is the name of a file as one word of a git command that takes
// patterns. Without the quoting git would match other files by a * in the name.
func Pathspec(name string) string {
	if strings.ContainsAny(name, `*?[\`) || strings.HasPrefix(name, ":") {
		name = ":(literal)" + name
	}
	return Quote(name)
}
