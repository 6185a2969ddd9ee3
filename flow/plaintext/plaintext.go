// Package plaintext shows texts that others wrote: a character that a reader would not
// see, or that a terminal or a browser would obey, is spelled out. It changes what is
// shown and never what is stored.
//
// Hidden are control characters, separators of lines and paragraphs, all characters of
// Unicode's category Cf, such as marks of direction and joiners, variation selectors, and
// what else is ignored by default. Emoji keep what joins them: see [IsHidden].
package plaintext

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	nonJoiner = 0x200c // parts two letters that would be joined
	joiner    = 0x200d // joins two emoji or two letters to one
	asText    = 0xfe0e // a picture in black and white
	asEmoji   = 0xfe0f // a picture in colours
)

// IsHidden reports whether a reader would not see r. last is the character before it, 0 if
// there is none or if it was hidden: behind a picture one joiner or one choice of its
// colours is part of the picture, and behind letters of scripts that are spelled with
// them (Unicode Standard Annex 31, section 2.3) so is one joiner or non-joiner. The tags
// of flags and the selectors of keycaps are hidden.
func IsHidden(last, r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case r == nonJoiner:
		return !isJoined(last)
	case r == joiner:
		return last != asEmoji && !isPicture(last) && !isJoined(last)
	case r == asText || r == asEmoji:
		return !isPicture(last)
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isPicture reports whether a character can begin an emoji or end a part of one.
func isPicture(r rune) bool {
	return r >= 0x2000 && unicode.In(r, unicode.So, unicode.Sm, unicode.Sk)
}

// isJoined reports whether a character is of a script whose words need joiners: letters
// that are written joined, and vowel signs of India and its neighbours.
func isJoined(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko) && unicode.IsLetter(r) ||
		r >= 0x900 && r < 0xe00 && unicode.IsMark(r) // the blocks from Devanagari to Sinhala
}

// Spell returns a hidden character as a pager does: ^[ for an escape, <U+202E> for a mark
// of direction.
func Spell(r rune) string {
	switch {
	case r < ' ':
		return "^" + string(r+'@')
	case r == 0x7f:
		return "^?"
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// IsPlain reports whether a text has nothing but the letters, digits and signs of ASCII, and
// blanks. Most texts do.
func IsPlain(text string) bool { return isBetween(text, ' ') }

// isBetween reports whether all bytes are at least least and below 0x7f. It looks at eight
// of them at once.
func isBetween[T string | []byte](text T, least byte) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		t := text[i : i+8]
		x := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		// The high bit of a byte is set if it is above 0x7f, 0x7f, or below least.
		if (x|(x+each)|^((x|high)-each*uint64(least)))&high != 0 {
			return false
		}
	}
	for ; i < len(text); i++ {
		if text[i] < least || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Line returns a text on one line, with hidden characters spelled out. Those that end a
// line or a column become blanks.
func Line(text string) string {
	if IsPlain(text) {
		return text
	}
	var out strings.Builder
	last := rune(0)
	for _, r := range text {
		switch {
		case !IsHidden(last, r):
			out.WriteRune(r)
			last = r
			continue
		case unicode.IsSpace(r):
			out.WriteByte(' ')
		default:
			out.WriteString(Spell(r))
		}
		last = 0
	}
	return out.String()
}

// Lines is [Line] for each line of a text.
func Lines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		shown, ended := strings.CutSuffix(line, "\n")
		out.WriteString(Line(shown))
		if ended {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// EscapeJSON escapes hidden characters in a text of JSON. The values stay what they are.
// Control characters below a blank stand in JSON only between values.
func EscapeJSON(text []byte) []byte {
	hidden := func(r rune) bool { return r >= 0x7f && IsHidden(0, r) }
	if isBetween(text, 0) || !bytes.ContainsFunc(text, hidden) {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		switch {
		case !hidden(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
