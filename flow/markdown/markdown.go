// Package markdown finds the sections of a Markdown text by the anchors that GitHub
// gives their headings.
package markdown

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
)

// Section returns the part of a text whose heading has the anchor, without the # of a
// link: from that heading to the next one of the same or a higher level. line is the
// number of the heading's line, from 1. found is false if no heading has the anchor.
// Headings within fences and front matter are none.
func Section(text, anchor string) (section string, line int, found bool) {
	for _, s := range sections(text) {
		if s.anchor == anchor {
			return text[s.from:s.to], s.line + 1, true
		}
	}
	return "", 0, false
}

// Anchors returns the anchors of all headings, in their order.
func Anchors(text string) []string {
	return lists.Of(sections(text), func(s part) string { return s.anchor })
}

// Hashes returns a hash of the section of each anchor, 32 hexadecimal digits of its
// SHA-256; "" for an anchor that no heading has.
func Hashes(text string, anchors []string) []string {
	known := map[string]part{}
	for _, s := range sections(text) {
		known[s.anchor] = s
	}
	list := make([]string, len(anchors))
	for i, anchor := range anchors {
		if s, ok := known[anchor]; ok {
			sum := sha256.Sum256([]byte(text[s.from:s.to]))
			list[i] = hex.EncodeToString(sum[:16])
		}
	}
	return list
}

// A part is a section of a text, from one byte up to another, below a heading whose
// line is counted from 0.
type part struct {
	anchor         string
	line, from, to int
}

// sections lists the sections of a text, each with those of lower levels in it.
func sections(text string) []part {
	lines := strings.SplitAfter(text, "\n")
	begins := make([]int, len(lines)) // of lines, in bytes
	for i := 1; i < len(lines); i++ {
		begins[i] = begins[i-1] + len(lines[i-1])
	}
	found := headings(lines)
	list := make([]part, len(found))
	taken := map[string]int{}
	for i, h := range found {
		list[i] = part{h.anchor(taken), h.line, begins[h.line], len(text)}
	}
	var next [7]int // the first byte of the next heading of a level, or of a higher one
	for level := range next {
		next[level] = len(text)
	}
	for i, h := range slices.Backward(found) {
		list[i].to = next[h.level]
		for level := h.level; level < len(next); level++ {
			next[level] = list[i].from
		}
	}
	return list
}

// A heading is a heading of a text. Its line is counted from 0.
type heading struct {
	line, level int
	title       string
}

var (
	numbered   = pattern.Late(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$`)
	underline  = pattern.Late(`^ {0,3}(=+|-+)[ \t]*$`)
	fence      = pattern.Late("^ {0,3}(```+|~~~+)(.*)$")
	noTitle    = pattern.Late(`^(?: {4}|\t| {0,3}(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t]|<))`)
	link       = pattern.Late(`!?\[([^\]]*)\]\([^)]*\)`)
	emphasised = pattern.Late(`(^|[^\pL\pN_])_+([^_]+)_+($|[^\pL\pN_])`)
)

// headings lists the headings of a text that is split into its lines.
func headings(lines []string) []heading {
	var list []heading
	closing := "" // of the fence that is open
	paragraph := false
	for i := frontMatter(lines); i < len(lines); i++ {
		text := strings.TrimRight(lines[i], "\r\n")
		begin := strings.TrimLeft(text, " ")
		mark := matchAfter("`~", begin, fence, text)
		switch {
		case closing != "":
			if mark != nil && strings.HasPrefix(mark[1], closing) && strings.TrimSpace(mark[2]) == "" {
				closing = ""
			}
			continue
		case mark != nil && (mark[1][0] == '~' || !strings.Contains(mark[2], "`")):
			closing, paragraph = mark[1], false
			continue
		}
		if h := matchAfter("#", begin, numbered, text); h != nil {
			list = append(list, heading{i, len(h[1]), h[2]})
			paragraph = false
			continue
		}
		if h := matchAfter("=-", begin, underline, text); h != nil && paragraph {
			level := 1
			if h[1][0] == '-' {
				level = 2
			}
			list = append(list, heading{i - 1, level, strings.TrimSpace(lines[i-1])})
			paragraph = false
			continue
		}
		paragraph = strings.TrimSpace(text) != "" && !noTitle().MatchString(text)
	}
	return list
}

// matchAfter matches a line that begins, after its blanks, with one of the characters.
// Most lines begin with none, and a regular expression takes long to say so.
func matchAfter(characters, begin string, pattern func() *regexp.Regexp, line string) []string {
	if begin == "" || strings.IndexByte(characters, begin[0]) < 0 {
		return nil
	}
	return pattern().FindStringSubmatch(line)
}

// frontMatter returns the number of lines that the front matter takes, 0 if there is
// none.
func frontMatter(lines []string) int {
	if strings.TrimRight(lines[0], " \t\r\n") != "---" {
		return 0
	}
	for i, line := range lines[1:] {
		if end := strings.TrimRight(line, " \t\r\n"); end == "---" || end == "..." {
			return i + 2
		}
	}
	return 0
}

// anchor returns the anchor of the heading; taken has those of the headings before it.
// A second heading of the same title gets -1, and so on.
func (h heading) anchor(taken map[string]int) string {
	slug := h.slug()
	name := slug
	for _, used := taken[name]; used; _, used = taken[name] {
		taken[slug]++
		name = slug + "-" + strconv.Itoa(taken[slug])
	}
	taken[name] = 0
	return name
}

// slug returns the title in lower case, with letters, numbers, hyphens and
// underscores only, and a hyphen for each blank.
func (h heading) slug() string {
	title := link().ReplaceAllString(h.title, "$1")
	title = emphasised().ReplaceAllString(title, "$1$2$3")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Pc):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}
