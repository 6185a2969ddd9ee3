package automation

import "strings"

// A form is what a file names by its form: keys, headings, items and tags.
type form struct {
	stories []Evidence // or tasks
	files   []Evidence // that the work changes
	allowed []Evidence // paths that the work is bound to
	checks  []Evidence // commands that verify it
}

// class is how far the work may be automated by its form: where stories have paths and a
// verification nothing is left open.
func (f form) class() Class {
	switch {
	case len(f.stories) > 0 && len(f.allowed) > 0 && len(f.checks) > 0:
		return Class{Mechanical, Bounded, Allowed, Unnecessary, Inferred, []Evidence{f.stories[0], f.allowed[0], f.checks[0]}}
	case len(f.files)+len(f.allowed) > 0:
		return Class{Mixed, Bounded, Discouraged, Optional, Inferred, append(f.files, f.allowed...)}
	}
	return Class{Conceptual, Unbounded, Discouraged, Optional, Inferred, nil}
}

// add adds a piece of evidence unless it says nothing.
func add(to *[]Evidence, number int, text string) {
	if text = strings.Trim(text, " \t`"); text != "" && lower(text) != "none" {
		*to = append(*to, Evidence{number, text})
	}
}

// readMarkdown reads headings and labels of paths and commands with their entries, items
// with a box, which are stories elsewhere, and tags <files>.
func (f *form) readMarkdown(body []line) {
	into := &f.stories
	for _, one := range body {
		text := strings.Trim(one.text, " \t")
		label, rest, found := f.labelOf(text)
		switch {
		case found && !one.fenced:
			if into = label; into != &f.stories && into != nil {
				add(into, one.number, rest)
			}
		case text != "" && text[0] == '#' && !one.fenced:
			into = &f.stories
		case into != &f.stories && into != nil:
			if !one.fenced || strings.Trim(text, "`~") == text {
				add(into, one.number, strings.TrimLeft(text, "-*+ "))
			}
		case one.fenced:
		case strings.Contains(lower(text), "<files>"):
			_, name, _ := strings.Cut(lower(text), "<files>")
			name, _, _ = strings.Cut(name, "</files>")
			f.files = append(f.files, Evidence{one.number, strings.Trim(name, " \t`")})
		default:
			if item, ok := boxOf(text); ok && into != nil {
				add(&f.stories, one.number, item)
			}
		}
	}
}

// labelOf is the list to which the entries after a heading or label belong, nil for
// criteria, with what stands beside it. It is not found of other lines.
func (f *form) labelOf(text string) (into *[]Evidence, rest string, found bool) {
	bare := strings.TrimLeft(text, "#>*_ ")
	small := strings.ReplaceAll(lower(bare), "_", " ")
	for _, label := range []struct {
		begin string
		into  *[]Evidence
	}{{"allowed paths", &f.allowed}, {"verification commands", &f.checks}, {"verification", &f.checks}, {"acceptance criteria", nil}, {"success criteria", nil}} {
		if after, ok := strings.CutPrefix(small, label.begin); ok {
			rest = strings.TrimLeft(bare[len(bare)-len(after):], "*_ ")
			if rest == "" || rest[0] == ':' {
				return label.into, strings.TrimLeft(rest, ":*_ "), true
			}
		}
	}
	return nil, "", false
}

// boxOf is what stands after the box of an item: [ ] or [x].
func boxOf(text string) (after string, ok bool) {
	rest := strings.TrimLeft(text, "-*+0123456789.) ")
	if len(rest) == len(text) || len(rest) < 4 || rest[0] != '[' || strings.IndexByte(" xX", rest[1]) < 0 || rest[2] != ']' {
		return "", false
	}
	return rest[3:], true
}

// isBound and isCheck report the keys of a task that bound and verify it.
func isBound(name string) bool { return name == "owns" || name == "files" }

func isCheck(name string) bool { return name == "verify" || name == "verification" }

// readTasks reads which keys the tasks of a plan in YAML have. checked says that they have
// a verification in common.
func (f *form) readTasks(lines []line, checked bool) {
	bounded, verified, tasks, indent := 0, 0, 0, -1
	var last struct{ bounded, verified bool }
	for _, one := range lines {
		text := strings.TrimLeft(one.text, " ")
		if at := len(one.text) - len(text); strings.HasPrefix(text, "- ") && (indent < 0 || at == indent) {
			indent, tasks = at, tasks+1
			last.bounded, last.verified = false, checked
			if checked {
				verified++
			}
		}
		for part := range strings.FieldsFuncSeq(strings.TrimPrefix(text, "- "), func(c rune) bool { return c == '{' || c == ',' }) {
			name, _, _ := cutKey(strings.TrimLeft(part, " "))
			if isBound(name) && !last.bounded {
				bounded, last.bounded = bounded+1, true
				f.files = append(f.files, Evidence{one.number, name})
			}
			if isCheck(name) && !last.verified {
				verified, last.verified = verified+1, true
			}
		}
	}
	f.countTasks(lines[0].number, tasks, bounded, verified)
}

// countTasks takes tasks for stories with paths and a verification if each has both.
func (f *form) countTasks(number, tasks, bounded, verified int) {
	if tasks > 0 && bounded == tasks && verified == tasks {
		at := []Evidence{{number, "tasks"}}
		f.stories, f.allowed, f.checks = at, at, at
	}
}
