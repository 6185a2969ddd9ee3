package web

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/plaintext"
)

// longestWord is after how many characters without a space a line may be broken.
const longestWord = 80

// A filter passes HTML on in which a browser obeys no character of a text: an escape is
// shown as ␛, a hidden character by its code point. It lets long words be broken. All
// pages go through it, so that no template can forget it.
type filter struct {
	to   io.Writer
	rest []byte // the beginning of a character whose end is still to come

	tag       []byte // what was read of a tag; nil outside of one
	raw       string // the element in which no other may stand, such as title; "" outside
	word      int    // characters since the last space
	reference bool   // within a character reference, which is one character
	last      rune   // that was passed on, 0 for one in whose place another stands
}

// Write filters the next piece. The error is that of the writer.
func (f *filter) Write(p []byte) (int, error) {
	all := append(f.rest, p...)
	var out bytes.Buffer
	for len(all) > 0 && (utf8.FullRune(all) || len(all) >= utf8.UTFMax) {
		r, n := utf8.DecodeRune(all)
		f.writeRune(&out, r, all[:n])
		all = all[n:]
	}
	f.rest = slices.Clone(all)
	_, err := f.to.Write(out.Bytes())
	return len(p), err
}

// Close passes on what is left of a character that never ended.
func (f *filter) Close() error {
	_, err := io.WriteString(f.to, strings.Repeat("\uFFFD", min(1, len(f.rest))))
	f.rest = nil
	return err
}

func (f *filter) writeRune(out *bytes.Buffer, r rune, raw []byte) {
	if f.tag != nil {
		f.writeInTag(out, r)
		return
	}
	switch {
	case r == '<':
		f.tag, f.reference = []byte{}, false
		out.WriteByte('<')
		return
	case f.reference:
		f.reference = r != ';' && !unicode.IsSpace(r)
	case unicode.IsSpace(r):
		f.word = 0
	default:
		if f.word >= longestWord && f.raw == "" {
			out.WriteString("<wbr>")
			f.word = 0
		}
		f.word++
		f.reference = r == '&'
	}
	out.WriteString(f.visible(r, raw))
}

// writeInTag passes on a character of a tag, and notes what the tag begins or ends.
func (f *filter) writeInTag(out *bytes.Buffer, r rune) {
	if r != '>' {
		out.WriteString(f.visible(r, nil))
		if len(f.tag) < 20 {
			f.tag = utf8.AppendRune(f.tag, r)
		}
		return
	}
	out.WriteByte('>')
	name, _, _ := strings.Cut(strings.ToLower(string(f.tag)), " ")
	switch {
	case f.raw == "" && slices.Contains([]string{"title", "textarea", "option", "svg"}, name):
		f.raw = name
	case f.raw != "" && name == "/"+f.raw:
		f.raw = ""
	}
	f.tag, f.word = nil, 0
}

// visible is a character as a browser shows it and does not obey it. raw are its bytes.
func (f *filter) visible(r rune, raw []byte) string {
	last := f.last
	f.last = 0
	switch {
	case r == '\n' || r == '\t':
		return string(r)
	case r == '\r':
		return ""
	case r < 0x20:
		return string(0x2400 + r) // the picture of a control character
	case r == 0x7f:
		return "\u2421"
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf("\u2039%02x\u203a", raw[0])
	case plaintext.IsHidden(last, r):
		return fmt.Sprintf("\u2039U+%04X\u203a", r)
	}
	f.last = r
	return string(r)
}

// mostLines bounds the lines of a text on a page.
const mostLines = 2000

// firstLines returns the first lines of a text, from a line on that is counted from 1,
// and the number of the line after them, 0 if there is none.
func firstLines(text string, from int) (part string, next int) {
	line := 1
	for ; line < from && text != ""; line++ {
		_, rest, found := strings.Cut(text, "\n")
		if text = rest; !found {
			return "", 0
		}
	}
	end := 0
	for n := 0; n < mostLines; n++ {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text, 0
		}
		end += i + 1
	}
	if strings.TrimRight(text[end:], "\n") == "" && len(text)-end < mostLines {
		return text[:end], 0
	}
	return text[:end], line + mostLines
}
