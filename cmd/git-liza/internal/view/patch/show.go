package patch

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// Show returns a patch or a range-diff, as git prints it without color, for a terminal:
// a character that a terminal would obey or hide is written out, and with color the
// lines have the colors of git.
func Show(text string, color bool) string {
	p := shown{painter: painter{color}}
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(p.line(strings.TrimSuffix(line, "\n")))
	}
	return out.String()
}

// Numbered returns a patch without color in which each line of the new file has its
// number before it, and each character is written out that an editor would hide.
func Numbered(text string) string {
	var p shown
	var out strings.Builder
	at := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		inside := p.olds > 0 || p.news > 0
		shownLine := p.line(line)
		switch m := newLine().FindStringSubmatch(line); {
		case !inside && m != nil:
			at, _ = strconv.Atoi(m[1])
			fmt.Fprintf(&out, "%6s %s", "", shownLine)
		case inside && !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "\\"):
			fmt.Fprintf(&out, "%6d %s", at, shownLine)
			at++
		default:
			fmt.Fprintf(&out, "%6s %s", "", shownLine)
		}
	}
	return out.String()
}

// shown is the state of a patch between two lines.
type shown struct {
	painter
	olds, news int // lines of the hunk that are still to come
}

var (
	hunkLine = pattern.Late(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)
	newLine  = pattern.Late(`^@@ -\S+ \+(\d+)`)
	pairLine = pattern.Late(`^ *(\d+|-): +\S+ [=!<>] +(\d+|-): +\S+ `) // of a range-diff
)

func (p *shown) line(line string) string {
	text := Visible(line)
	if p.olds > 0 || p.news > 0 {
		return p.inHunk(text)
	}
	switch m := hunkLine().FindStringSubmatch(line); {
	case m != nil:
		p.olds, p.news = count(m[1]), count(m[2])
		return p.paint("36", text)
	case strings.HasPrefix(line, "diff --git "), strings.HasPrefix(line, "index "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "), pairLine().MatchString(line):
		return p.paint("1", text)
	case strings.HasPrefix(line, "    +"): // the outer difference of a range-diff
		return p.paint("32", text)
	case strings.HasPrefix(line, "    -"):
		return p.paint("31", text)
	case strings.HasPrefix(line, "    @@"):
		return p.paint("36", text)
	}
	return text + "\n"
}

func (p *shown) inHunk(text string) string {
	switch {
	case strings.HasPrefix(text, "+"):
		p.news--
		return p.paint("32", text)
	case strings.HasPrefix(text, "-"):
		p.olds--
		return p.paint("31", text)
	case !strings.HasPrefix(text, "\\"): // no newline at the end of the file
		p.olds, p.news = p.olds-1, p.news-1
	}
	return text + "\n"
}

// count is the length in the head of a hunk, where 1 is left out.
func count(n string) int {
	if n == "" {
		return 1
	}
	number, _ := strconv.Atoi(n)
	return number
}

// Visible returns a line in which each character is written out that a terminal would
// obey or hide: ^[ for an escape, <U+202E> for a bidirectional mark, <ff> for a byte that
// is no text.
func Visible(line string) string {
	if strings.IndexFunc(line, hides) < 0 {
		return line
	}
	var out strings.Builder
	for len(line) > 0 {
		r, n := utf8.DecodeRuneInString(line)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, "<%02x>", line[0])
		case hides(r):
			out.WriteString(plaintext.Spell(r))
		default:
			out.WriteRune(r)
		}
		line = line[n:]
	}
	return out.String()
}

// hides is stricter than for other texts: the reader of a difference has to see each blank that
// is no usual one, and what joins emoji.
func hides(r rune) bool {
	return r != '\t' && (!strconv.IsPrint(r) || plaintext.IsHidden(0, r)) || r == utf8.RuneError
}
