// Package document reads and writes documents in their canonical form, a subset
// of YAML: equal values have equal bytes. It knows no type of document.
package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxSize bounds one document of the blackboard that is read, in bytes.
const MaxSize = 256 << 10

// maxDepth bounds how deep lists and mappings nest, on writing and reading.
// Documents of a board nest at most 10 deep.
const maxDepth = 32

// An Error says where and why the reader refuses a document.
type Error struct {
	Name   string // of the document, usually its path in the tree
	Line   int    // from 1
	Field  string // dotted, such as phases[0].roles; only [Parsed.DecodeAll] says it
	Key    string // that is unknown; "" of other faults
	Reason string
}

// Error is the name, the line and the reason: tasks/03/task-3.yaml:7: unknown key "titel".
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Reason)
}

// Encode writes the canonical document of v, a pointer to a struct or to a
// slice: keys in the order of the fields, an indent of two, no empty fields,
// "\n" at the end. Equal values have equal bytes.
//
// Fields carry `yaml:"name"`, `yaml:"name,keep"` to be written even if empty,
// `yaml:"-"` to be left out, or `yaml:",inline"` on a struct, or on a pointer
// or interface that holds a pointer to a struct, whose keys then stand among
// those of the outer struct. A field is a string, bool, integer, time.Time, a
// type with text methods, a struct, or a pointer to, slice of or map with
// string keys to one of these. The option since=N says in which
// version a field appeared, see [EncodeAt].
//
// Errors are those of MarshalText, text that is not UTF-8 and types that do
// not fit; they name the key.
func Encode(v any) ([]byte, error) { return EncodeAt(EveryVersion, v) }

// EveryVersion is the version that has the fields of all versions.
const EveryVersion = 0

// EncodeAt is [Encode] for one version of the documents: fields of later
// versions do not exist. A value in such a field is a [*VersionError].
func EncodeAt(version int, v any) ([]byte, error) {
	text, _, err := EncodeCounted(version, v)
	return []byte(text), err
}

// EncodeCounted is [EncodeAt]; it returns the number of nodes too.
func EncodeCounted(version int, v any) (text string, n int, err error) {
	e := encoder{version: version}
	if err := e.encodeDocument(v); err != nil {
		return "", 0, err
	}
	var b strings.Builder
	e.write(&b, 0, 0)
	return b.String(), len(e.nodes), nil
}

// A VersionError says that a version of the documents lacks a key.
type VersionError struct {
	Key     string
	Version int // that lacks it
	Since   int // the first version with the key
}

// Error names the key and the versions: "reviews" exists since format 2, not in 1.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the key %q exists since format %d, not in %d", e.Key, e.Since, e.Version)
}

// Decode reads a document of at most [MaxSize] bytes into v, a pointer to
// a zero struct or slice. It accepts what [Encode] writes and what people
// write by hand with the same keys: any order, comments, any style of text.
// It refuses, with a [*Error], unknown and duplicate keys, nulls,
// values of another kind, aliases, anchors, tags, several documents and bytes
// that are not UTF-8. After an error v is partly filled.
func Decode(name string, data []byte, v any) error { return DecodeAt(EveryVersion, name, data, v) }

// DecodeAt is [Decode] for one version of the documents: keys of other versions
// are refused.
func DecodeAt(version int, name string, data []byte, v any) error {
	d, err := Parse(name, data, MaxSize)
	if err != nil {
		return err
	}
	return d.DecodeAt(version, v)
}

// DecodeLoose is [Decode], but skips unknown keys.
func DecodeLoose(name string, data []byte, v any) error {
	d, err := Parse(name, data, MaxSize)
	if err != nil {
		return err
	}
	return d.DecodeLoose(v)
}

// A Parsed document has passed all checks that need no type.
type Parsed struct {
	name string
	data []byte
	all  nodes
}

// Parse parses data of at most limit bytes. The result refers to data. Errors
// are [*Error].
func Parse(name string, data []byte, limit int) (Parsed, error) {
	return ParseWithin(name, data, limit, limit)
}

// ParseWithin is [Parse], but data of more than foreign bytes must have the
// canonical form of [Encode]: nothing bounds what the YAML library makes of a
// hostile text of some megabytes.
func ParseWithin(name string, data []byte, limit, foreign int) (Parsed, error) {
	d := Parsed{name: name, data: data}
	if err := d.checkBytes(limit); err != nil {
		return Parsed{}, err
	}
	r := readCanonical(string(data))
	switch {
	case !r.bad:
		d.all = r.all
		return d, nil
	case r.many:
		return Parsed{}, d.tooMany(r.line)
	case len(data) > foreign:
		return Parsed{}, d.errorAt(r.line, "the document is not in canonical form")
	}
	all, err := d.readForeign()
	d.all = all
	return d, err
}

// Decode fills v as the function [Decode] does.
func (d Parsed) Decode(v any) error { return d.DecodeAt(EveryVersion, v) }

// DecodeAt fills v as the function [DecodeAt] does.
func (d Parsed) DecodeAt(version int, v any) error {
	return d.fill(v, filler{doc: d, version: version})
}

// DecodeLoose fills v as the function [DecodeLoose] does.
func (d Parsed) DecodeLoose(v any) error { return d.fill(v, filler{doc: d, loose: true}) }

func (d Parsed) errorAt(line int, reason string) error {
	return &Error{Name: d.name, Line: max(line, 1), Reason: reason}
}

func (d Parsed) checkBytes(limit int) error {
	if len(d.data) > limit {
		line := 1 + bytes.Count(d.data[:limit], []byte("\n"))
		return d.errorAt(line, fmt.Sprintf("the document is larger than %d bytes", limit))
	}
	line := 1
	for i := 0; i < len(d.data); {
		r, size := utf8.DecodeRune(d.data[i:])
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && size == 1:
			return d.errorAt(line, "the text is not UTF-8")
		case isControl(r) && r != '\t' && r != '\r':
			return d.errorAt(line, fmt.Sprintf("control character %U", r))
		}
		i += size
	}
	return nil
}

// isControl reports whether YAML forbids r outside escapes.
func isControl(r rune) bool {
	return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 && r != 0x85 || r == 0xfffe || r == 0xffff
}
