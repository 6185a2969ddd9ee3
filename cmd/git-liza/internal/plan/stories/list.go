package stories

import (
	"fmt"
	"strings"
)

// A section is what the items below a heading are.
type section uint8

const (
	storySection section = iota
	allowedSection
	excludedSection
	verifySection
	otherSection
)

// sections are the headings, in small letters, that say what their items are. Where a
// heading names stories, items elsewhere are none.
var sections = map[string]section{
	"stories": storySection, "user stories": storySection, "tasks": storySection,
	"allowed paths": allowedSection, "excluded paths": excludedSection,
	"verification": verifySection, "verification commands": verifySection,
	"success criteria": otherSection, "acceptance criteria": otherSection,
}

// A listReader reads a list of tasks in Markdown.
type listReader struct {
	f       *File
	section section
	closing string // of the fence that is open
	named   bool   // a heading names stories
	indent  int    // of the items that are stories; -1 before the first
	item    bool   // a story goes on
	inNotes bool   // its notes go on
	code    bool   // it has fenced code, which notes are put before: nobody may have closed it
}

// readList reads stories from items with a box: - [ ] ID: TITLE. Items and lines that
// are indented below one belong to it.
func (f *File) readList() {
	r := listReader{f: f, indent: -1}
	for line := range strings.Lines(string(f.text())) {
		if title, ok := headingOf(line); ok && sections[lowerTitle(title)] == storySection && known(title) {
			r.named = true
		}
	}
	if r.section = storySection; r.named {
		r.section = otherSection
	}
	at := len(f.data) - len(f.text())
	for line := range strings.Lines(string(f.text())) {
		r.line(line, at)
		at += len(line)
	}
}

func lowerTitle(title string) string { return strings.ToLower(strings.TrimRight(title, ": ")) }

func known(title string) bool {
	_, ok := sections[lowerTitle(title)]
	return ok
}

// headingOf is the title of a heading with #.
func headingOf(line string) (title string, ok bool) {
	text := strings.TrimRight(line, " \t\r\n")
	rest := strings.TrimLeft(text, "#")
	n := len(text) - len(rest)
	return strings.Trim(rest, " \t"), n > 0 && n < 7 && (rest == "" || rest[0] == ' ')
}

// line reads a line that begins at a byte of the file.
func (r *listReader) line(line string, at int) {
	text := strings.TrimRight(line, " \t\r\n")
	bare := strings.TrimLeft(text, " \t")
	indent := len(text) - len(bare)
	if mark := fenceOf(bare); mark != "" || r.closing != "" {
		r.item = r.item && (r.closing != "" || indent > r.indent)
		r.inNotes, r.code = false, true
		r.fence(bare, mark)
		return
	}
	if bare == "" {
		r.inNotes = false
		return
	}
	if title, ok := headingOf(text); ok {
		r.heading(title)
		return
	}
	entry, isItem := itemOf(bare)
	done, title, hasBox := boxOf(entry)
	switch {
	case isItem && hasBox && r.section == storySection && (r.indent < 0 || indent <= r.indent):
		r.indent, r.item, r.inNotes, r.code = indent, true, false, false
		r.add(done, title, at+len(text)-len(entry)+1, at+len(text), lineEnd(line)+strings.Repeat(" ", indent+2))
	case r.item && indent > r.indent:
		r.addLine(bare, entry, isItem, at+len(text))
	case isItem && r.section != storySection:
		r.entry(strings.Trim(entry, "`"))
	default:
		r.item = false
	}
}

// lineEnd is how a line ends, "\n" for the last one of a file.
func lineEnd(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// fenceOf is the mark of a line that begins or ends fenced code, "" if it does not.
func fenceOf(text string) string {
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(text, c); len(text)-len(rest) >= 3 {
			return text[:len(text)-len(rest)]
		}
	}
	return ""
}

// fence reads a line of fenced code. Below the headings of paths and commands it is an
// entry.
func (r *listReader) fence(text, mark string) {
	switch {
	case r.closing == "":
		r.closing = mark
	case strings.HasPrefix(mark, r.closing) && strings.Trim(text, " "+mark[:1]) == "":
		r.closing = ""
	case r.section != storySection:
		r.entry(text)
	}
}

func (r *listReader) heading(title string) {
	r.item, r.inNotes, r.indent = false, false, -1
	switch {
	case known(title):
		r.section = sections[lowerTitle(title)]
	case r.f.Title == "" && len(r.f.Stories) == 0:
		r.f.Title = title
		fallthrough
	default:
		if r.section = storySection; r.named {
			r.section = otherSection
		}
	}
}

// entry adds an item to the list that its heading names.
func (r *listReader) entry(text string) {
	if text == "" {
		return
	}
	switch r.section {
	case allowedSection:
		r.f.Allowed = append(r.f.Allowed, text)
	case excludedSection:
		r.f.Excluded = append(r.f.Excluded, text)
	case verifySection:
		r.f.Verify = append(r.f.Verify, text)
	}
}

// itemOf is the text of an item of a list.
func itemOf(text string) (entry string, ok bool) {
	rest := strings.TrimLeft(text, "0123456789")
	switch {
	case len(rest) < len(text) && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")):
	case strings.HasPrefix(text, "- "), strings.HasPrefix(text, "* "), strings.HasPrefix(text, "+ "):
		rest = text
	default:
		return "", false
	}
	return strings.TrimLeft(rest[2:], " "), true
}

// boxOf reads the box of an item: [ ] or [x].
func boxOf(entry string) (done bool, title string, ok bool) {
	if len(entry) < 3 || entry[0] != '[' || entry[2] != ']' || !strings.Contains(" xX", entry[1:2]) || len(entry) > 3 && entry[3] != ' ' {
		return false, "", false
	}
	return entry[1] != ' ', strings.Trim(entry[3:], " "), true
}

// add begins a story whose box is at a byte, on a line that ends at another.
func (r *listReader) add(done bool, title string, box, end int, lead string) {
	s := Story{Title: title, Passes: done, Line: r.f.line(box)}
	if id, rest, ok := idOf(title); ok {
		s.ID, s.Title = id, rest
	} else {
		s.ID = fmt.Sprintf("story-%d", len(r.f.Stories)+1)
	}
	r.f.Stories = append(r.f.Stories, s)
	r.f.places = append(r.f.places, place{passes: span{box, box + 1}, end: end, lead: lead})
}

// idOf parts a title into an id, such as US-001, and what stands after its colon.
func idOf(title string) (id, rest string, ok bool) {
	id, rest, ok = strings.Cut(title, ":")
	id = strings.Trim(id, "*`")
	digits := strings.TrimRight(id, "0123456789")
	if !ok || digits == id || !strings.HasSuffix(digits, "-") || strings.ContainsAny(id, " \t") {
		return "", "", false
	}
	return id, strings.Trim(rest, " *"), true
}

// addLine reads a line that belongs to a story and ends at a byte. entry is what it says
// as an item of a list.
func (r *listReader) addLine(text, entry string, isItem bool, end int) {
	last := len(r.f.Stories) - 1
	s, at := &r.f.Stories[last], &r.f.places[last]
	if !r.code {
		at.end = end
	}
	if isItem {
		text = entry
	}
	_, title, hasBox := boxOf(entry)
	notes, begins := cutNotes(text)
	switch {
	case begins && at.notes.isNowhere():
		r.inNotes = true
		s.Notes = strings.Join(strings.Fields(notes), " ")
		at.notes = span{end - len(notes), end}
	case hasBox:
		s.Acceptance = append(s.Acceptance, title)
	case isItem:
		s.Acceptance = append(s.Acceptance, entry)
	case r.inNotes:
		s.Notes = strings.TrimLeft(s.Notes+" "+strings.Join(strings.Fields(text), " "), " ")
		at.notes.to = end
		return
	default:
		s.Description = strings.TrimLeft(s.Description+"\n"+text, "\n")
	}
	r.inNotes = begins
}

// cutNotes is what stands after the label Notes: in letters of either case.
func cutNotes(text string) (notes string, ok bool) {
	const label = "notes:"
	if len(text) < len(label) || strings.ToLower(text[:len(label)]) != label {
		return "", false
	}
	return text[len(label):], true
}
