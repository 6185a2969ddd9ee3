package document

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// timeLayout is the form of times, always in UTC.
const timeLayout = "2006-01-02T15:04:05Z"

// An encoder turns a value into nodes.
type encoder struct {
	nodes
	version int
}

// usualNodes are more than most documents and moves have.
const usualNodes = 64

// encodeDocument appends the nodes of v.
func (e *encoder) encodeDocument(v any) error {
	e.nodes = slices.Grow(e.nodes, usualNodes)
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("write %T: not a pointer", v)
	}
	switch f := formOf(p.Type().Elem()); f {
	case formStruct, formSlice:
		if err := e.encode(p.Elem(), f, 0); err != nil {
			return fmt.Errorf("write %T: %w", v, err)
		}
		return nil
	}
	return fmt.Errorf("write %T: not a pointer to a struct or slice", v)
}

func (e *encoder) encode(v reflect.Value, f form, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("nested deeper than %d", maxDepth)
	}
	switch f {
	case formString:
		return e.text(v.String())
	case formBool:
		e.plain(strconv.FormatBool(v.Bool()))
	case formInt:
		e.plain(strconv.FormatInt(v.Int(), 10))
	case formUint:
		e.plain(strconv.FormatUint(v.Uint(), 10))
	case formTime:
		return e.time(v.Interface().(time.Time))
	case formText:
		return e.marshaler(v)
	case formPointer:
		if v.IsNil() {
			return fmt.Errorf("a nil pointer in a list or mapping")
		}
		return e.encode(v.Elem(), formOf(v.Type().Elem()), depth)
	case formStruct:
		at := e.open(mappingNode, 0)
		if err := e.fields(v, nil, depth); err != nil {
			return err
		}
		e.close(at)
	case formSlice:
		return e.slice(v, depth)
	case formMap:
		return e.table(v, depth)
	default:
		return fmt.Errorf("%v has no place in a document", v.Type())
	}
	return nil
}

func (ns *nodes) plain(text string) { ns.add(node{text: text}) }

func (ns *nodes) time(t time.Time) error {
	t = t.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return fmt.Errorf("the year %d has no four digits", t.Year())
	}
	ns.plain(t.Format(timeLayout))
	return nil
}

func (ns *nodes) marshaler(v reflect.Value) error {
	m, ok := v.Interface().(encoding.TextMarshaler)
	if !ok && v.CanAddr() {
		m, ok = v.Addr().Interface().(encoding.TextMarshaler)
	}
	switch {
	case ok:
		text, err := m.MarshalText()
		if err != nil {
			return err
		}
		return ns.text(string(text))
	case v.Kind() == reflect.String:
		return ns.text(v.String())
	}
	return fmt.Errorf("%v: its MarshalText is out of reach", v.Type())
}

// fields appends the keys of v. outer is the shape of the struct that v is
// inline in, nil if none.
func (e *encoder) fields(v reflect.Value, outer *shape, depth int) error {
	s, err := shapeOf(v.Type())
	if err != nil {
		return err
	}
	for i := range s.fields {
		f := &s.fields[i]
		value := v.FieldByIndex(f.path)
		if f.key == "" {
			if err := e.inline(value, s, depth); err != nil {
				return err
			}
			continue
		}
		if outer != nil && outer.has(f.key) {
			return fmt.Errorf("key %q stands for two fields", f.key)
		}
		blank := empty(value)
		if !f.in(e.version) && !blank {
			return f.versionError(e.version)
		}
		if !f.in(e.version) || blank && !f.keep || value.Kind() == reflect.Pointer && value.IsNil() {
			continue
		}
		key := len(e.nodes)
		e.plain(f.key)
		if err := e.encode(value, f.form, depth+1); err != nil {
			return fmt.Errorf("%s: %w", f.key, err)
		}
		// A struct whose fields are all empty is empty too.
		if f.form == formStruct && !f.keep && e.empty(key+1) {
			e.nodes = e.nodes[:key]
		}
	}
	return nil
}

func (s *shape) has(key string) bool {
	_, ok := s.index[key]
	return ok
}

func (e *encoder) inline(v reflect.Value, outer *shape, depth int) error {
	in, err := inlined(v)
	if err != nil || !in.IsValid() {
		return err
	}
	return e.fields(in, outer, depth)
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		if v.Type() == timeType {
			return v.Interface().(time.Time).IsZero()
		}
	}
	return v.IsZero()
}

func (e *encoder) slice(v reflect.Value, depth int) error {
	at := e.open(sequenceNode, 0)
	f := formOf(v.Type().Elem())
	for i := range v.Len() {
		if err := e.encode(v.Index(i), f, depth+1); err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	e.close(at)
	return nil
}

func (e *encoder) table(v reflect.Value, depth int) error {
	at := e.open(mappingNode, 0)
	f := formOf(v.Type().Elem())
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, k := range keys {
		if err := e.text(k.String()); err != nil {
			return err
		}
		if key := &e.nodes[len(e.nodes)-1]; key.style == literalStyle {
			key.style = quotedStyle
		}
		if err := e.encode(v.MapIndex(k), f, depth+1); err != nil {
			return fmt.Errorf("%s: %w", k.String(), err)
		}
	}
	e.close(at)
	return nil
}

// text chooses the style by its own rules: the choice of a library changes or
// breaks some odd strings, and no text may make a document unreadable.
func (ns *nodes) text(text string) error {
	n := node{text: text}
	switch {
	case !utf8.ValidString(text):
		return fmt.Errorf("the text %.40q is not UTF-8", text)
	case isPlain(text):
	case isLiteral(text):
		n.style = literalStyle
	default:
		n.style = quotedStyle
	}
	ns.add(n)
	return nil
}

// isPlain reports whether text needs no quotes: words of ASCII letters, digits
// and . _ / @ + - with single spaces between them, beginning with a letter,
// digit, dot, underscore or slash but not with three dots, that no reader takes
// for another kind.
func isPlain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '/':
		case c == '@', c == '+', c == '-':
			if i == 0 {
				return false
			}
		case c == ' ':
			if i == 0 || i == len(text)-1 || text[i-1] == ' ' {
				return false
			}
		default:
			return false
		}
	}
	return !isNumeric(text) && !strings.HasPrefix(text, "...") && !isKeyword(text)
}

// isKeyword reports whether YAML 1.1 or 1.2 reads a word as another value than text.
func isKeyword(text string) bool {
	const longest = len("false")
	if len(text) > longest {
		return false
	}
	switch strings.ToLower(text) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", ".nan":
		return true
	}
	return false
}

// isNumeric reports whether a reader could take text for a number or a date: what consists
// of digits and . _ + - with an e among them or not, such as 12, 1_000, 1.2.3, 1234567e5 and
// 2026-01-17, and digits to another base, such as 0x1F.
func isNumeric(text string) bool {
	const digits = "0123456789._+-"
	rest := strings.TrimLeft(text, digits)
	switch {
	case rest == "", rest[0]|0x20 == 'e' && strings.Trim(rest[1:], digits) == "":
		return true
	case len(text) < 2 || text[0] != '0' || !strings.ContainsRune("xXbBoO", rune(text[1])):
		return false
	}
	return strings.Trim(text[2:], "0123456789abcdefABCDEF_") == ""
}

// isLiteral reports whether text is written as a literal block: several lines
// of printable characters of the basic plane and tabs, at most one line end at
// the end, no line with blanks at its end, and a first line that is neither
// empty nor indented.
func isLiteral(text string) bool {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 2 || lines[0] == "" || lines[0][0] == ' ' || lines[0][0] == '\t' || lines[len(lines)-1] == "" {
		return false
	}
	return !slices.ContainsFunc(lines, func(line string) bool {
		return strings.HasSuffix(line, " ") || strings.HasSuffix(line, "\t") || strings.ContainsFunc(line, isOdd)
	})
}

// isOdd reports characters that a literal block does not keep: those that YAML
// forbids, or reads as a line break or a byte order mark, and those that the
// library only writes escaped.
func isOdd(r rune) bool {
	switch r {
	case 0x85, 0x2028, 0x2029, 0xfeff:
		return true
	}
	return isControl(r) && r != '\t' || r > 0xffff
}
