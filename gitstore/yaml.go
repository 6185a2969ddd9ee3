package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Limits on what is read, in bytes.
const (
	MaxDocument = 256 << 10 // one document of the blackboard
	MaxMove     = 4 << 20   // the move in the message of one commit
)

// maxDepth bounds how deep lists and mappings nest, written or read. No
// document of ours passes 10.
const maxDepth = 32

// A DocumentError says where a document is not what the reader accepts.
type DocumentError struct {
	Name   string // of the document, usually its path in the tree
	Line   int    // from 1
	Reason string
}

// Error is the name, the line and the reason: tasks/03/task-3.yaml:7: unknown key "titel".
func (e *DocumentError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Reason)
}

// node, and the names below, are all that the other files know of the library.
type node = yaml.Node

const (
	plainStyle   = yaml.Style(0)
	quotedStyle  = yaml.DoubleQuotedStyle
	literalStyle = yaml.LiteralStyle

	scalarNode   = yaml.ScalarNode
	mappingNode  = yaml.MappingNode
	sequenceNode = yaml.SequenceNode
)

// Encode writes the canonical document of v, a pointer to a struct or to a
// slice: keys in the order of the fields, an indent of two, no empty fields,
// "\n" at the end. Equal values have equal bytes.
//
// Fields carry `yaml:"name"`, `yaml:"name,keep"` to be written even if empty,
// `yaml:"-"` to be left out, or `yaml:",inline"` on a struct, or on a pointer
// or interface that holds a pointer to a struct, whose keys then stand among
// those of the outer struct. A field is a string, bool, integer, time.Time, a
// type with text methods, a struct, or a pointer to, slice of or map with
// string keys to one of these.
//
// Errors are those of MarshalText, text that is not UTF-8 and types that do
// not fit; they name the key.
func Encode(v any) ([]byte, error) {
	root, err := encodeDocument(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	emitter := yaml.NewEncoder(&out)
	emitter.SetIndent(2)
	if err := emitter.Encode(root); err != nil {
		return nil, fmt.Errorf("write %T: %w", v, err)
	}
	if err := emitter.Close(); err != nil {
		return nil, fmt.Errorf("write %T: %w", v, err)
	}
	return out.Bytes(), nil
}

// Decode reads a document of at most [MaxDocument] bytes into v, a pointer to
// a zero struct or slice. It accepts what [Encode] writes and what people
// write by hand with the same keys: any order, comments, any style of text.
// It refuses, with a [*DocumentError], unknown and duplicate keys, nulls,
// values of another kind, aliases, anchors, tags, several documents and bytes
// that are not UTF-8. After an error v is partly filled.
func Decode(name string, data []byte, v any) error {
	d, err := ParseDocument(name, data, MaxDocument)
	if err != nil {
		return err
	}
	return d.Decode(v)
}

// DecodeLoose is [Decode] but passes over unknown keys.
func DecodeLoose(name string, data []byte, v any) error {
	d, err := ParseDocument(name, data, MaxDocument)
	if err != nil {
		return err
	}
	return d.DecodeLoose(v)
}

// A Document is parsed and free of all that no reader accepts, but not yet
// held against a type.
type Document struct {
	name string
	data []byte
	root *node
}

// ParseDocument reads data, which stays in use, of at most limit bytes.
// Errors are [*DocumentError].
func ParseDocument(name string, data []byte, limit int) (Document, error) {
	d := Document{name: name, data: data}
	if err := d.checkBytes(limit); err != nil {
		return Document{}, err
	}
	parser := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next node
	switch err := parser.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return Document{}, d.fail(1, "the document is empty")
	case err != nil:
		return Document{}, d.syntaxError(err)
	}
	switch err := parser.Decode(&next); {
	case err == nil:
		return Document{}, d.fail(next.Line, "a second document begins")
	case !errors.Is(err, io.EOF):
		return Document{}, d.syntaxError(err)
	}
	d.root = doc.Content[0]
	return d, d.checkNode(d.root, newBangs(data), 0)
}

// Decode fills v as the function [Decode] does.
func (d Document) Decode(v any) error { return d.decode(v, false) }

// DecodeLoose fills v as the function [DecodeLoose] does.
func (d Document) DecodeLoose(v any) error { return d.decode(v, true) }

// Canonical fills v as [Document.Decode] does, and refuses bytes other than
// those that [Encode] writes for it, naming the first line that differs.
func (d Document) Canonical(v any) error {
	if err := d.Decode(v); err != nil {
		return err
	}
	want, err := Encode(v)
	if err != nil {
		return d.fail(1, err.Error())
	}
	if bytes.Equal(want, d.data) {
		return nil
	}
	same := 0
	for same < len(want) && same < len(d.data) && want[same] == d.data[same] {
		same++
	}
	return d.fail(1+bytes.Count(d.data[:same], []byte("\n")), "the document is not in canonical form")
}

func (d Document) fail(line int, reason string) error {
	return &DocumentError{Name: d.name, Line: max(line, 1), Reason: reason}
}

func (d Document) checkBytes(limit int) error {
	if len(d.data) > limit {
		line := 1 + bytes.Count(d.data[:limit], []byte("\n"))
		return d.fail(line, fmt.Sprintf("the document is larger than %d bytes", limit))
	}
	line := 1
	for i := 0; i < len(d.data); {
		r, size := utf8.DecodeRune(d.data[i:])
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && size == 1:
			return d.fail(line, "the text is not UTF-8")
		case isControl(r) && r != '\t' && r != '\r':
			return d.fail(line, fmt.Sprintf("control character %U", r))
		}
		i += size
	}
	return nil
}

// isControl reports whether YAML forbids r outside escapes.
func isControl(r rune) bool {
	return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}

var (
	syntaxLine    = regexp.MustCompile(`^line (\d+): `)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// syntaxError names the line the library found, which for unclosed brackets
// and quotes is the one that opened them.
func (d Document) syntaxError(err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := syntaxLine.FindStringSubmatch(reason); m != nil {
		line, _ = strconv.Atoi(m[1])
		reason = reason[len(m[0]):]
	}
	if m := unknownAnchor.FindStringSubmatch(reason); m != nil {
		before, _, _ := strings.Cut(string(d.data), "*"+m[1])
		return d.fail(1+strings.Count(before, "\n"), "aliases are not allowed")
	}
	// The library counts from 0 in what its parser says, from 1 in what its
	// scanner says; only the parser expects.
	if strings.HasPrefix(reason, "did not find expected") {
		line++
	}
	return d.fail(line, reason)
}

// checkNode refuses, in the whole document, what no reader accepts.
func (d Document) checkNode(n *node, tags bangs, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return d.fail(n.Line, "aliases are not allowed")
	case n.Anchor != "":
		return d.fail(n.Line, "anchors are not allowed")
	case n.Style&yaml.TaggedStyle != 0 || tags.at(n.Line, n.Column):
		return d.fail(n.Line, "tags are not allowed")
	case n.Kind == scalarNode && n.Tag == "!!null":
		return d.fail(n.Line, "a null; leave the key out instead")
	case depth > maxDepth:
		return d.fail(n.Line, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	if n.Kind == mappingNode {
		if err := d.checkKeys(n); err != nil {
			return err
		}
	}
	for _, child := range n.Content {
		if err := d.checkNode(child, tags, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (d Document) checkKeys(n *node) error {
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != scalarNode && key.Kind != yaml.AliasNode:
			return d.fail(key.Line, "a key must be plain text")
		case seen[key.Value]:
			return d.fail(key.Line, fmt.Sprintf("duplicate key %q", key.Value))
		}
		seen[key.Value] = true
	}
	return nil
}

// bangs are the lines of a document that has a "!" somewhere. The library
// drops the lone tag "!" without a trace but for the place of the value.
type bangs []string

func newBangs(data []byte) bangs {
	if bytes.IndexByte(data, '!') < 0 {
		return nil
	}
	breaks := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
	return strings.Split(breaks.Replace(strings.TrimPrefix(string(data), "\ufeff")), "\n")
}

// at reports whether the value at line and column, both from 1, has a tag. No
// value itself begins with "!" unless it is quoted.
func (b bangs) at(line, column int) bool {
	if line > len(b) || line < 1 {
		return false
	}
	at := 1
	for _, r := range b[line-1] {
		if at == column {
			return r == '!'
		}
		at++
	}
	return false
}
