package automation

import (
	"slices"
	"strings"
)

// readTags reads the files that tags <files> declare, outside fences. A tag that is not
// closed ends with its paragraph.
func (r *reader) readTags() {
	const begin, end = "<files>", "</files>"
	open := false
	for _, one := range r.prose {
		open = open && strings.Trim(one.text, " \t") != ""
		if one.fenced {
			continue
		}
		text, small := one.text, lower(one.text)
		isCode := false
		for {
			if !open {
				at := strings.Index(small, begin)
				if at < 0 {
					break
				}
				isCode = isCode != (strings.Count(small[:at], "`")%2 == 1)
				text, small = text[at+len(begin):], small[at+len(begin):]
				if isCode {
					continue
				}
				open = true
			}
			at := strings.Index(small, end)
			if at < 0 {
				r.addFiles(one.number, text)
				break
			}
			r.addFiles(one.number, text[:at])
			open, text, small = false, text[at+len(end):], small[at+len(end):]
		}
	}
}

// addFiles adds the paths of a line: the first word of each entry, without the marks of
// Markdown.
func (r *reader) addFiles(number int, text string) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.Trim(part, " \t")
		if startsWithBullet(part) {
			part = strings.TrimLeft(part[1:], " \t")
		}
		words := fields(part)
		if len(words) == 0 {
			continue
		}
		path := strings.Trim(words[0], "`\"'")
		if strings.Contains(path, "*") && !strings.Contains(path, "/") && !strings.HasPrefix(path, "*.") {
			path = strings.Trim(path, "*")
		}
		if !slices.Contains(nothing, lower(path)) {
			r.files = append(r.files, Evidence{number, path})
		}
	}
}

func startsWithBullet(text string) bool {
	return len(text) > 1 && strings.IndexByte("-*+", text[0]) >= 0 && text[1] == ' '
}

// readLabels reads which paths are allowed and which excluded: a heading or a label
// with entries after it.
func (r *reader) readLabels() {
	var into *[]Evidence
	for _, one := range r.prose {
		label, rest := r.label(one)
		switch {
		case label != nil:
			into = label
			addEntry(into, one.number, rest)
		case into == nil:
		case !one.fenced && (isHeading(one.text) || endsLabel(one.text)):
			into = nil
		case one.fenced && strings.Trim(one.text, " \t`~") == "":
		default:
			addEntry(into, one.number, one.text)
		}
	}
}

func isHeading(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " "), "#") }

// endsLabel reports another label, such as **Notes:** or Verification:.
func endsLabel(text string) bool {
	text = strings.Trim(text, " \t*_")
	return strings.HasSuffix(text, ":") && !strings.ContainsAny(text, "/`")
}

// label is the list that a line begins, with what stands after the label.
func (r *reader) label(one line) (into *[]Evidence, rest string) {
	if one.fenced {
		return nil, ""
	}
	text := strings.TrimLeft(one.text, " \t#>*_-+0123456789.)`")
	small := strings.ReplaceAll(lower(text), "_", " ")
	for _, label := range []struct {
		begin string
		into  *[]Evidence
	}{{"allowed path", &r.allowed}, {"excluded path", &r.excluded}} {
		after, ok := strings.CutPrefix(small, label.begin)
		if !ok {
			continue
		}
		after = strings.TrimPrefix(after, "s")
		rest = strings.TrimLeft(text[len(text)-len(after):], "*_` ")
		if strings.HasPrefix(rest, "(") {
			_, rest, _ = strings.Cut(rest, ")")
			rest = strings.TrimLeft(rest, "*_` ")
		}
		if rest == "" || rest[0] == ':' || rest[0] == '#' {
			return label.into, strings.TrimLeft(rest, ":*_# ")
		}
	}
	return nil, ""
}

// addEntry adds what a line lists.
func addEntry(into *[]Evidence, number int, text string) {
	text = strings.Trim(text, " \t")
	if startsWithBullet(text) {
		text = strings.Trim(text[1:], " \t")
	}
	if text = strings.Trim(text, "`"); !slices.Contains(nothing, lower(text)) {
		*into = append(*into, Evidence{number, text})
	}
}
