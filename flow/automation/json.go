package automation

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// maxDepth bounds how deep values of JSON nest.
const maxDepth = 32

// A jsonValue is a value of JSON. Of an object the names are those of the entries.
type jsonValue struct {
	line    int
	isText  bool
	text    string
	entries []jsonValue
	names   []string
}

// readJSON reads what an object declares, and its form.
func (r *reader) readJSON(text string) error {
	j := jsonText{reader: r, text: text, line: 1}
	root, err := j.value(0)
	if err != nil {
		return err
	}
	if j.skip(); j.at < len(text) {
		return j.errorAt(j.line, "something stands after the end of the value")
	}
	for i, name := range root.names {
		entry := root.entries[i]
		switch name {
		case blockKey:
			err = r.declareJSON(entry)
		case filesKey:
			err = r.listJSON(name, entry, &r.form.files)
		case allowedKey, "allowedPaths":
			err = r.listJSON(name, entry, &r.form.allowed)
		case "verificationCommands":
			err = r.listJSON(name, entry, &r.form.checks)
		case "userStories":
			if len(entry.entries) > 0 {
				add(&r.form.stories, entry.line, name)
			}
		case tasksKey:
			r.form.readTasksJSON(entry)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readTasksJSON reads which keys the tasks of a graph have.
func (f *form) readTasksJSON(list jsonValue) {
	bounded, verified := 0, 0
	for _, task := range list.entries {
		if slices.ContainsFunc(task.names, isBound) {
			bounded++
			f.files = append(f.files, Evidence{task.line, "files"})
		}
		if slices.ContainsFunc(task.names, isCheck) {
			verified++
		}
	}
	f.countTasks(list.line, len(list.entries), bounded, verified)
}

func (r *reader) declareJSON(block jsonValue) error {
	var members []key
	for i, entry := range block.entries {
		if block.names == nil || !entry.isText {
			break
		}
		members = append(members, key{block.names[i], []line{{number: entry.line, text: entry.text}}})
	}
	if len(members) == 0 || len(members) < len(block.entries) {
		return r.errorAt(block.line, "%s is an object of texts", blockKey)
	}
	return r.declare(block.line, members)
}

func (r *reader) listJSON(name string, list jsonValue, to *[]Evidence) error {
	for _, entry := range list.entries {
		if !entry.isText || list.names != nil {
			return r.errorAt(entry.line, "%s is a list of texts", name)
		}
		add(to, entry.line, entry.text)
	}
	if list.isText {
		return r.errorAt(list.line, "%s is a list of texts", name)
	}
	return nil
}

// A jsonText is a text in JSON that is read up to a byte on a line.
type jsonText struct {
	*reader
	text     string
	at, line int
}

// skip goes on to the next byte that is no blank, which it returns; 0 at the end.
func (j *jsonText) skip() byte {
	for ; j.at < len(j.text); j.at++ {
		switch c := j.text[j.at]; c {
		case '\n':
			j.line++
		case ' ', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

func (j *jsonText) value(depth int) (v jsonValue, err error) {
	c := j.skip()
	v.line = j.line
	switch {
	case depth > maxDepth:
		return v, j.errorAt(j.line, "nested deeper than %d", maxDepth)
	case c == '"':
		v.isText = true
		v.text, err = j.string()
		return v, err
	case c == '{' || c == '[':
		return j.collection(v, c+2, depth) // } and ] stand two after { and [
	}
	from := j.at
	for j.at < len(j.text) && strings.IndexByte("+-.0123456789Eaeflnrstu", j.text[j.at]) >= 0 {
		j.at++
	}
	word := j.text[from:j.at]
	if _, err := strconv.ParseFloat(word, 64); err != nil && !slices.Contains([]string{"true", "false", "null"}, word) {
		return v, j.errorAt(j.line, "no value of JSON begins with %.20q", j.text[from:])
	}
	return v, nil
}

// collection reads an object or a list up to its closing bracket.
func (j *jsonText) collection(v jsonValue, closing byte, depth int) (jsonValue, error) {
	seen := map[string]bool{}
	for j.at++; j.skip() != closing || len(v.entries) > 0; {
		if closing == '}' {
			if j.skip() != '"' {
				return v, j.errorAt(j.line, "a key is a text")
			}
			name, err := j.string()
			switch {
			case err != nil:
				return v, err
			case seen[name]:
				return v, j.errorAt(j.line, "duplicate key %.40q", name)
			case j.skip() != ':':
				return v, j.errorAt(j.line, "a colon stands after a key")
			}
			seen[name], v.names, j.at = true, append(v.names, name), j.at+1
		}
		entry, err := j.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.entries = append(v.entries, entry)
		c := j.skip()
		if c == closing {
			break
		}
		if c != ',' {
			return v, j.errorAt(j.line, "a comma or %q is missing", closing)
		}
		j.at++
	}
	j.at++
	return v, nil
}

// string reads a text between quotes.
func (j *jsonText) string() (string, error) {
	var b strings.Builder
	for j.at++; j.at < len(j.text); j.at++ {
		switch c := j.text[j.at]; {
		case c == '"':
			j.at++
			return b.String(), nil
		case c < ' ':
			return "", j.errorAt(j.line, "a control character in a text")
		case c == '\\':
			if err := j.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", j.errorAt(j.line, "the text ends in the middle of a value")
}

// escape reads what a backslash begins, up to its last byte.
func (j *jsonText) escape(b *strings.Builder) error {
	const short, meant = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	j.at++
	if j.at < len(j.text) {
		if i := strings.IndexByte(short, j.text[j.at]); i >= 0 {
			b.WriteByte(meant[i])
			return nil
		}
	}
	first, ok := j.unit()
	if !ok {
		return j.errorAt(j.line, "a text holds an escape that JSON lacks")
	}
	if utf16.IsSurrogate(first) && strings.HasPrefix(j.text[j.at+1:], `\u`) {
		before := j.at
		j.at += 2
		second, ok := j.unit()
		if pair := utf16.DecodeRune(first, second); ok && pair != 0xfffd {
			b.WriteRune(pair)
			return nil
		}
		j.at = before
	}
	b.WriteRune(first) // a lone half becomes U+FFFD
	return nil
}

// unit reads uXXXX, up to its last byte.
func (j *jsonText) unit() (rune, bool) {
	if j.at+5 > len(j.text) || j.text[j.at] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(j.text[j.at+1:j.at+5], 16, 32)
	j.at += 4
	return rune(n), err == nil
}
