package automation

import "strings"

// A key is a key of the outermost mapping, with the lines of its value.
type key struct {
	name  string
	lines []line // the first is that of the key, without it
}

// The keys that a class depends on.
const (
	blockKey   = "automation"
	filesKey   = "files_modified"
	allowedKey = "allowed_paths"
	tasksKey   = "tasks"
)

// readFront reads the keys that the class depends on.
func (r *reader) readFront(lines []line) error {
	size := 0
	for _, one := range lines {
		if size += len(one.text) + 1; size > maxFront {
			return r.errorAt(one.number, "the front matter is larger than %d bytes", maxFront)
		}
	}
	keys, err := r.keysOf(lines)
	checked := false // by what all tasks have in common
	for _, k := range keys {
		if err != nil {
			break
		}
		switch k.name {
		case blockKey:
			err = r.readBlock(k)
		case filesKey:
			err = r.readList(k, &r.form.files)
		case allowedKey:
			err = r.readList(k, &r.form.allowed)
		case "defaults":
			for _, one := range k.lines {
				checked = checked || strings.Contains(one.text, "verify:")
			}
		case tasksKey:
			r.form.readTasks(k.lines, checked)
		}
	}
	return err
}

// keysOf parts a mapping into its keys. A list has none.
func (r *reader) keysOf(lines []line) ([]key, error) {
	var keys []key
	seen := map[string]bool{}
	blockText := -1 // the indent of the key whose block of text goes on
	for i, one := range lines {
		text := strings.TrimRight(one.text, " \t")
		indent := len(text) - len(strings.TrimLeft(text, " "))
		if blockText >= 0 && (text == "" || indent > blockText) {
			keys[len(keys)-1].lines = append(keys[len(keys)-1].lines, one)
			continue
		}
		blockText = -1
		switch {
		case text == "" || text[indent] == '#', text == "---" && len(keys) == 0:
			continue
		case text == "---" && i > 0:
			return nil, r.errorAt(one.number, "a second document begins")
		case strings.HasPrefix(text[indent:], "\t"):
			return nil, r.errorAt(one.number, "a tab indents; YAML takes blanks only")
		}
		if err := r.checkMark(one.number, text[indent:]); err != nil {
			return nil, err
		}
		name, value, isKey := cutKey(text)
		if isKey && isAmbiguous(value) {
			return nil, r.errorAt(one.number, "a text with a colon and a blank stands between quotes in YAML: %.40q", value)
		}
		goesOn := indent > 0 || text[0] == '-' || text[0] == ']' || text[0] == '}'
		switch {
		case len(keys) == 0 && text[0] == '-':
			return nil, nil // a list
		case len(keys) == 0 && goesOn:
			return nil, r.errorAt(one.number, "a value without a key")
		case !goesOn && !isKey && isOpen(keys):
			goesOn = true
		case !goesOn && !isKey:
			return nil, r.errorAt(one.number, "%.40q is neither a key nor a value of YAML", text)
		}
		if goesOn {
			keys[len(keys)-1].lines = append(keys[len(keys)-1].lines, one)
		} else if seen[name] {
			return nil, r.errorAt(one.number, "duplicate key %.40q", name)
		} else {
			seen[name] = true
			keys = append(keys, key{name, []line{{number: one.number, text: value}}})
		}
		if beginsText(text) {
			blockText = indent
		}
	}
	return keys, nil
}

// checkMark refuses what the keys and values of our documents never have.
func (r *reader) checkMark(number int, text string) error {
	for {
		rest, isItem := strings.CutPrefix(text, "- ")
		if !isItem {
			break
		}
		text = strings.TrimLeft(rest, " ")
	}
	if _, value, isKey := cutKey(text); isKey {
		text = value
	}
	if text == "" {
		return nil
	}
	switch text[0] {
	case '&':
		return r.errorAt(number, "anchors are not allowed; put a text that begins with & between quotes")
	case '*':
		return r.errorAt(number, "aliases are not allowed; put a text that begins with * between quotes")
	case '!':
		return r.errorAt(number, "tags are not allowed; put a text that begins with ! between quotes")
	}
	return nil
}

// cutKey parts a line into a key and the rest after the colon.
func cutKey(text string) (name, value string, ok bool) {
	if text == "" {
		return "", "", false
	}
	if quote := text[0]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(text[1:], quote)
		if end < 0 {
			return "", "", false
		}
		name, text = text[1:1+end], text[2+end:]
		rest, isKey := strings.CutPrefix(strings.TrimLeft(text, " "), ":")
		return name, strings.Trim(rest, " \t"), isKey && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
	}
	for i := range len(text) {
		switch {
		case text[i] == '#' && i > 0 && text[i-1] == ' ', strings.IndexByte("{}[],\"'", text[i]) >= 0:
			return "", "", false
		case text[i] == ':' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\t'):
			name = strings.TrimRight(text[:i], " ")
			return name, strings.Trim(text[i+1:], " \t"), name != ""
		}
	}
	return "", "", false
}

// isAmbiguous reports values that YAML would read as a key with a value.
func isAmbiguous(value string) bool {
	if value == "" || strings.IndexByte("\"'[{|>#", value[0]) >= 0 {
		return false
	}
	_, rest, found := strings.Cut(value, ": ")
	before, _, _ := strings.Cut(value, " #")
	return found && len(value)-len(rest) <= len(before)
}

// isOpen reports whether the value of the last key goes on, whatever the next line is:
// a bracket or a quote is open.
func isOpen(keys []key) bool {
	if len(keys) == 0 || keys[len(keys)-1].lines[0].text == "" {
		return false
	}
	value := keys[len(keys)-1].lines
	first := value[0].text[0]
	last := value[len(value)-1].text
	switch first {
	case '[', '{':
		return !strings.HasSuffix(last, string(first+2)) // ] and } stand two after [ and {
	case '"', '\'':
		return len(value) == 1 && strings.Count(last, string(first)) == 1 || len(value) > 1 && !strings.HasSuffix(last, string(first))
	}
	return false
}

// beginsText reports whether a line ends with the head of a block of text, such as |-.
func beginsText(text string) bool {
	at := strings.LastIndexByte(text, ' ') + 1
	head := text[at:]
	return at > 1 && (text[at-2] == ':' || text[at-2] == '-') && (head[0] == '|' || head[0] == '>') && strings.Trim(head[1:], "+-123456789") == ""
}

// readBlock reads the block that declares a class. All four keys are needed, and there
// are no others: a block with a slip must not lose its loop: forbidden.
func (r *reader) readBlock(k key) error {
	number := k.lines[0].number
	if r.declared != nil {
		return r.errorAt(number, "the file declares its class twice")
	}
	members, err := r.readMembers(k)
	if err != nil {
		return err
	}
	return r.declare(number, members)
}

// harnessKeys are the keys of a harness that stand for ours.
var harnessKeys = map[string]string{"ralph": "loop", "ecc": "second_look"}

// declare takes the members of a block on a line for the class of the file.
func (r *reader) declare(number int, members []key) (err error) {
	class := Class{Source: Declared}
	seen := map[string]bool{}
	for _, m := range members {
		value, at, key := m.lines[0].text, m.lines[0].number, m.name
		if ours := harnessKeys[key]; ours != "" {
			key = ours
		}
		switch key {
		case "type":
			err = class.Type.UnmarshalText([]byte(value))
		case "scope":
			err = class.Scope.UnmarshalText([]byte(value))
		case "loop":
			err = class.Loop.UnmarshalText([]byte(value))
		case "second_look":
			err = class.SecondLook.UnmarshalText([]byte(value))
		default:
			return r.errorAt(at, "unknown key %.40q; automation has type, scope, loop and second_look", m.name)
		}
		switch {
		case err != nil:
			return r.errorAt(at, "%s: %v", m.name, err)
		case seen[key]:
			return r.errorAt(at, "duplicate key %q", m.name)
		}
		seen[key] = true
		class.Evidence = append(class.Evidence, Evidence{at, m.name + ": " + value})
	}
	for _, name := range []string{"type", "scope", "loop", "second_look"} {
		if !seen[name] {
			return r.errorAt(number, "automation lacks %s; it has type, scope, loop and second_look", name)
		}
	}
	r.declared = &class
	return nil
}

// readMembers reads the mapping that is the value of a key: texts by their keys.
func (r *reader) readMembers(k key) ([]key, error) {
	var parts []line
	if k.lines[0].text != "" && k.lines[0].text[0] == '{' {
		var err error
		if parts, err = r.readFlow(k, '}'); err != nil {
			return nil, err
		}
	} else {
		if rest := k.lines[0].text; rest != "" && rest[0] != '#' {
			return nil, r.errorAt(k.lines[0].number, "%s is a mapping, got %.40q", k.name, rest)
		}
		indent := -1
		for _, one := range k.lines[1:] {
			text := strings.TrimLeft(one.text, " ")
			if at := len(one.text) - len(text); indent < 0 {
				indent = at
			} else if at != indent {
				return nil, r.errorAt(one.number, "the keys of %s are not indented alike", k.name)
			}
			parts = append(parts, line{number: one.number, text: text})
		}
	}
	var members []key
	for _, part := range parts {
		name, value, ok := cutKey(part.text)
		if !ok {
			return nil, r.errorAt(part.number, "%.40q is no key of %s", part.text, k.name)
		}
		text, err := r.scalar(part.number, value)
		if err != nil {
			return nil, err
		}
		members = append(members, key{name, []line{{number: part.number, text: text}}})
	}
	return members, nil
}
