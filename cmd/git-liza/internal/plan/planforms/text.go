package planforms

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A page is a text in Markdown with its front matter.
type page struct {
	file  string
	front document.Value
	lines []line
}

// A line is a line of a page. Lines of fenced code, and its fences, are no headings.
type line struct {
	number int // from 1
	text   string
	fenced bool
	fence  bool   // the line begins or ends fenced code
	code   string // the language of fenced code, "" if it says none
}

var (
	fencePattern   = pattern.Late("^\\s*(```+|~~~+)\\s*([A-Za-z]*)\\s*$")
	headingPattern = pattern.Late(`^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$`)
	numberPattern  = pattern.Late(`^(?:[0-9]+[.)]\s*)+`)
	itemPattern    = pattern.Late(`^(\s*)(?:[-*+]|[0-9]{1,4}[.)])\s+(?:\[([ xX])\]\s+)?(.*)$`)
	fieldPattern   = pattern.Late(`^\s*(?:[-*+]\s+)?(?:\*\*([^*:]{1,60}):?\*\*|([A-Z][A-Za-z ]{1,40}))\s*(?:\([^)]*\))?\s*:?\s*(.*)$`)
)

// page reads a text; nil if it cannot be read, which is noted.
func (r *reading) page(file string) *page {
	text, err := r.text(file)
	if err != nil {
		r.fail(file, err)
		return nil
	}
	part, faults := artifacts.Part(file, []byte(text))
	if len(faults) > 0 { // perhaps only for keys without value
		front, body, _ := strings.Cut(strings.TrimPrefix(text, "---"), "\n---")
		if again, none := artifacts.Part(file, []byte("---"+withoutNulls(front)+"\n---"+body)); len(none) == 0 {
			part, faults = again, nil
		}
	}
	for _, one := range faults {
		r.wrong(file, one.Line, "%s", one.Text)
	}
	p := &page{file: file, front: part.Front}
	closing, code := "", ""
	for text := range strings.SplitSeq(part.Body, "\n") {
		l := line{number: part.Line + len(p.lines), text: strings.TrimRight(text, " \t\r"), fenced: closing != ""}
		if m := fenceOf(l.text); m != nil {
			switch {
			case closing == "":
				closing, code, l.fenced, l.fence = m[1], strings.ToLower(m[2]), true, true
			case strings.HasPrefix(m[1], closing) && m[2] == "":
				closing, l.fence = "", true
			}
		}
		if l.fenced {
			l.code = code
		}
		p.lines = append(p.lines, l)
	}
	return p
}

// fenceOf matches a line that begins or ends fenced code; most lines do neither, and a
// regular expression takes long to say so.
func fenceOf(text string) []string {
	if bare := strings.TrimLeft(text, " \t"); bare == "" || bare[0] != '`' && bare[0] != '~' {
		return nil
	}
	return fencePattern().FindStringSubmatch(text)
}

// heading is the level and the title of a heading, 0 of other lines.
func (l line) heading() (level int, title string) {
	if l.fenced || !strings.HasPrefix(strings.TrimLeft(l.text, " "), "#") { // most lines are none
		return 0, ""
	}
	m := headingPattern().FindStringSubmatch(l.text)
	if m == nil {
		return 0, ""
	}
	return len(m[1]), strings.Trim(m[2], "*` ")
}

// title is the first heading of a page with its line; "" if it has none.
func (p *page) title() (string, int) {
	for _, l := range p.lines {
		if level, title := l.heading(); level > 0 {
			return title, l.number
		}
	}
	return "", 1
}

// opening is the prose between the first heading and the next one.
func (p *page) opening() string {
	for i, l := range p.lines {
		if level, _ := l.heading(); level > 0 {
			return prose(p.lines[i+1:])
		}
	}
	return ""
}

// section are the lines below the first heading that has one of the names, ignoring case,
// numbers before it and what follows it in brackets or after a colon.
func (p *page) section(names ...string) []line {
	for i, l := range p.lines {
		level, title := l.heading()
		if level == 0 || !isNamed(title, names) {
			continue
		}
		end := i + 1
		for end < len(p.lines) {
			if other, _ := p.lines[end].heading(); other > 0 && other <= level {
				break
			}
			end++
		}
		return p.lines[i+1 : end]
	}
	return nil
}

func isNamed(title string, names []string) bool {
	title, _, _ = strings.Cut(title, "(")
	title, _, _ = strings.Cut(title, ":")
	title = strings.ToLower(strings.TrimSpace(numberPattern().ReplaceAllString(title, "")))
	return slices.Contains(names, title)
}

// field is what a line says that begins with a name and a colon, bold or not.
func (l line) field() (name, value string) {
	m := fieldPattern().FindStringSubmatch(l.text)
	if m == nil || l.fenced || m[1] == "" && !strings.Contains(l.text, m[2]+":") {
		return "", ""
	}
	return strings.ToLower(strings.TrimSpace(m[1] + m[2])), strings.TrimSpace(m[3])
}

// An item is an entry of a list, with the lines that belong to it.
type item struct {
	number int
	text   string
	boxed  bool
	done   bool
}

// items are the entries of the lists of some lines.
func items(lines []line) (list []item) {
	goesOn := false
	for _, l := range lines {
		m := itemPattern().FindStringSubmatch(l.text)
		level, _ := l.heading()
		switch {
		case l.fenced || level > 0 || strings.TrimSpace(l.text) == "":
			goesOn = false
		case m != nil:
			list = append(list, item{l.number, strings.TrimSpace(m[3]), m[2] != "", m[2] == "x" || m[2] == "X"})
			goesOn = true
		case goesOn && strings.HasPrefix(l.text, " "):
			list[len(list)-1].text += " " + strings.TrimSpace(l.text)
		default:
			goesOn = false
		}
	}
	return list
}

// textsIn are the texts of the entries of lists; without any, the prose as one.
func textsIn(lines []line) (list []string) {
	list = lists.Of(items(lines), func(one item) string { return one.text })
	if text := prose(lines); len(list) == 0 && text != "" {
		list = []string{text}
	}
	return list
}

// prose are the lines that are no entries of lists, up to the first heading.
func prose(lines []line) string {
	var list []string
	for _, l := range lines {
		if level, _ := l.heading(); level > 0 {
			break
		}
		if !l.fenced && itemPattern().FindStringIndex(l.text) == nil {
			list = append(list, strings.TrimSpace(l.text))
		}
	}
	return strings.TrimSpace(strings.Join(list, "\n"))
}

// isAllDone reports whether some lines have boxes, and all are ticked.
func isAllDone(lines []line) bool {
	boxes := 0
	for _, one := range items(lines) {
		if one.boxed && !one.done {
			return false
		}
		if one.boxed {
			boxes++
		}
	}
	return boxes > 0
}

// words are the texts of lines, without blanks around them.
func words(lines []line) string {
	return strings.TrimSpace(strings.Join(lists.Of(lines, func(l line) string { return strings.TrimSpace(l.text) }), "\n"))
}
