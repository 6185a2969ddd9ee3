// Package markdown finds the sections of a Markdown text by the anchors that GitHub
// gives their headings.
package markdown

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Section returns the part of a text whose heading has the anchor, without the # of a
// link: from that heading to the next one of the same or a higher level. line is the
// number of the heading's line, from 1. found is false if no heading has the anchor.
// Headings within fences and front matter are none.
func Section(text, anchor string) (section string, line int, found bool) {
	lines := strings.SplitAfter(text, "\n")
	taken := map[string]int{}
	begin, level := -1, 0
	for _, h := range headings(lines) {
		if begin >= 0 && h.level <= level {
			return strings.Join(lines[begin:h.line], ""), begin + 1, true
		}
		if begin < 0 && h.anchor(taken) == anchor {
			begin, level = h.line, h.level
		}
	}
	if begin < 0 {
		return "", 0, false
	}
	return strings.Join(lines[begin:], ""), begin + 1, true
}

// A heading is a heading of a text. Its line is counted from 0.
type heading struct {
	line, level int
	title       string
}

// compiled returns a regular expression that is compiled when it is first used: few
// commands read Markdown.
func compiled(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

var (
	numbered   = compiled(`^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$`)
	underline  = compiled(`^ {0,3}(=+|-+)[ \t]*$`)
	fence      = compiled("^ {0,3}(```+|~~~+)(.*)$")
	noTitle    = compiled(`^(?: {4}|\t| {0,3}(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t]|<))`)
	link       = compiled(`!?\[([^\]]*)\]\([^)]*\)`)
	emphasised = compiled(`(^|[^\pL\pN_])_+([^_]+)_+($|[^\pL\pN_])`)
)

// headings lists the headings of a text that is split into its lines.
func headings(lines []string) []heading {
	var list []heading
	closing := "" // of the fence that is open
	paragraph := false
	for i := frontMatter(lines); i < len(lines); i++ {
		text := strings.TrimRight(lines[i], "\r\n")
		mark := fence().FindStringSubmatch(text)
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
		if h := numbered().FindStringSubmatch(text); h != nil {
			list = append(list, heading{i, len(h[1]), h[2]})
			paragraph = false
			continue
		}
		if h := underline().FindStringSubmatch(text); h != nil && paragraph {
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
