package gitstore

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// timeLayout is how times are written, always in UTC.
const timeLayout = "2006-01-02T15:04:05Z"

func encodeDocument(v any) (*node, error) {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return nil, fmt.Errorf("write %T: not a pointer", v)
	}
	switch f := formOf(p.Type().Elem()); f {
	case formStruct, formSlice:
		n, err := encodeValue(p.Elem(), f, 0)
		if err != nil {
			return nil, fmt.Errorf("write %T: %w", v, err)
		}
		return n, nil
	}
	return nil, fmt.Errorf("write %T: not a pointer to a struct or slice", v)
}

func encodeValue(v reflect.Value, f form, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	switch f {
	case formString:
		return encodeText(v.String())
	case formBool:
		return scalar(strconv.FormatBool(v.Bool())), nil
	case formInt:
		return scalar(strconv.FormatInt(v.Int(), 10)), nil
	case formUint:
		return scalar(strconv.FormatUint(v.Uint(), 10)), nil
	case formTime:
		return encodeTime(v.Interface().(time.Time))
	case formText:
		return encodeMarshaler(v)
	case formPointer:
		if v.IsNil() {
			return nil, fmt.Errorf("a nil pointer in a list or mapping")
		}
		return encodeValue(v.Elem(), formOf(v.Type().Elem()), depth)
	case formStruct:
		n := &node{Kind: mappingNode}
		return n, encodeStruct(n, v, nil, depth)
	case formSlice:
		return encodeSlice(v, depth)
	case formMap:
		return encodeMap(v, depth)
	}
	return nil, fmt.Errorf("%v has no place in a document", v.Type())
}

func scalar(text string) *node { return &node{Kind: scalarNode, Value: text} }

func encodeTime(t time.Time) (*node, error) {
	t = t.UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return nil, fmt.Errorf("the year %d has no four digits", t.Year())
	}
	return scalar(t.Format(timeLayout)), nil
}

func encodeMarshaler(v reflect.Value) (*node, error) {
	m, ok := v.Interface().(encoding.TextMarshaler)
	if !ok && v.CanAddr() {
		m, ok = v.Addr().Interface().(encoding.TextMarshaler)
	}
	switch {
	case ok:
		text, err := m.MarshalText()
		if err != nil {
			return nil, err
		}
		return encodeText(string(text))
	case v.Kind() == reflect.String:
		return encodeText(v.String())
	}
	return nil, fmt.Errorf("%v: its MarshalText is out of reach", v.Type())
}

// encodeStruct appends the keys of v to n. outer is the shape of the struct
// that v is inline in, nil if none.
func encodeStruct(n *node, v reflect.Value, outer *shape, depth int) error {
	s, err := shapeOf(v.Type())
	if err != nil {
		return err
	}
	if n.Content == nil {
		n.Content = make([]*node, 0, 2*len(s.fields))
	}
	for i := range s.fields {
		f := &s.fields[i]
		value := v.FieldByIndex(f.path)
		if f.key == "" {
			if err := encodeInline(n, value, s, depth); err != nil {
				return err
			}
			continue
		}
		if outer != nil && outer.has(f.key) {
			return fmt.Errorf("key %q stands for two fields", f.key)
		}
		if !f.keep && empty(value) || value.Kind() == reflect.Pointer && value.IsNil() {
			continue
		}
		child, err := encodeValue(value, f.form, depth+1)
		if err != nil {
			return fmt.Errorf("%s: %w", f.key, err)
		}
		// A struct is also empty if all it holds are empty lists.
		if f.form == formStruct && !f.keep && len(child.Content) == 0 {
			continue
		}
		n.Content = append(n.Content, scalar(f.key), child)
	}
	return nil
}

func (s *shape) has(key string) bool {
	_, ok := s.index[key]
	return ok
}

func encodeInline(n *node, v reflect.Value, outer *shape, depth int) error {
	in, err := inlined(v)
	if err != nil || !in.IsValid() {
		return err
	}
	return encodeStruct(n, in, outer, depth)
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

func encodeSlice(v reflect.Value, depth int) (*node, error) {
	n := &node{Kind: sequenceNode, Content: make([]*node, v.Len())}
	f := formOf(v.Type().Elem())
	for i := range n.Content {
		child, err := encodeValue(v.Index(i), f, depth+1)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		n.Content[i] = child
	}
	return n, nil
}

func encodeMap(v reflect.Value, depth int) (*node, error) {
	n := &node{Kind: mappingNode, Content: make([]*node, 0, 2*v.Len())}
	f := formOf(v.Type().Elem())
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, k := range keys {
		key, err := encodeText(k.String())
		if err != nil {
			return nil, err
		}
		if key.Style == literalStyle {
			key.Style = quotedStyle
		}
		child, err := encodeValue(v.MapIndex(k), f, depth+1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.String(), err)
		}
		n.Content = append(n.Content, key, child)
	}
	return n, nil
}

// encodeText chooses the style itself: the library's own choice changes or
// breaks some odd strings, and a text must never make a document unreadable.
func encodeText(text string) (*node, error) {
	n := scalar(text)
	switch {
	case !utf8.ValidString(text):
		return nil, fmt.Errorf("the text %.40q is not UTF-8", text)
	case isPlain(text):
	case isLiteral(text):
		n.Style = literalStyle
	default:
		n.Style = quotedStyle
	}
	return n, nil
}

var (
	// YAML 1.1 and 1.2 read these as something else than text.
	notText = regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off|y|n|\.inf|\.nan)$`)
	// A superset of numbers and dates: 12, 1_000, 1.2.3, 1e5, 1234567e5, 2026-01-17.
	likeNumber = regexp.MustCompile(`^[0-9._+-]*([eE][0-9._+-]*)?$|^0[xXbBoO][0-9a-fA-F_]*$`)
)

// isPlain reports whether text needs no quotes: words of ASCII letters, digits
// and . _ / @ + - with single spaces between them, beginning with a letter,
// digit, dot, underscore or slash, that no reader takes for another kind.
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
	return !likeNumber.MatchString(text) && !notText.MatchString(text)
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
	for _, line := range lines {
		if strings.HasSuffix(line, " ") || strings.HasSuffix(line, "\t") || strings.ContainsFunc(line, isOdd) {
			return false
		}
	}
	return true
}

// isOdd holds for characters that a literal block does not keep: those that
// YAML forbids, takes for a line break or a byte order mark, and those that
// the library only writes escaped.
func isOdd(r rune) bool {
	switch r {
	case 0x85, 0x2028, 0x2029, 0xfeff:
		return true
	}
	return isControl(r) && r != '\t' || r > 0xffff
}
