package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ParseJSON is [Parse] of a text in JSON. A member with the value null is left out.
func ParseJSON(name string, data []byte, limit int) (Parsed, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	d := Parsed{name: name, data: data}
	if err := d.checkBytes(limit); err != nil {
		return Parsed{}, err
	}
	r := jsonReader{doc: &d, tokens: json.NewDecoder(bytes.NewReader(data)), line: 1}
	r.tokens.UseNumber()
	err := r.read()
	return d, err
}

// A jsonReader appends the values of a text in JSON to a document.
type jsonReader struct {
	doc    *Parsed
	tokens *json.Decoder
	passed int // bytes whose lines are counted
	line   int
}

func (r *jsonReader) read() error {
	first, err := r.next()
	if err != nil {
		return err
	}
	if err := r.value(first, 0); err != nil {
		return err
	}
	if _, err := r.tokens.Token(); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		return r.syntaxError(err)
	}
	r.passTo(int(r.tokens.InputOffset()))
	return r.errorf("a second document begins")
}

// next reads a token and goes on to its line.
func (r *jsonReader) next() (json.Token, error) {
	token, err := r.tokens.Token()
	if err != nil {
		return nil, r.syntaxError(err)
	}
	r.passTo(int(r.tokens.InputOffset()))
	return token, nil
}

func (r *jsonReader) passTo(offset int) {
	offset = min(max(offset, r.passed), len(r.doc.data))
	r.line += bytes.Count(r.doc.data[r.passed:offset], []byte("\n"))
	r.passed = offset
}

func (r *jsonReader) errorf(format string, args ...any) error {
	return r.doc.errorAt(r.line, fmt.Sprintf(format, args...))
}

func (r *jsonReader) syntaxError(err error) error {
	switch {
	case errors.Is(err, io.EOF) && len(r.doc.all) == 0:
		return r.errorf("the document is empty")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		r.passTo(len(bytes.TrimRight(r.doc.data, "\n")))
		return r.errorf("the text ends in the middle of a value")
	}
	// The offset of a json.SyntaxError is that in the value which cannot be read.
	at := int(r.tokens.InputOffset())
	rest := r.doc.data[min(at, len(r.doc.data)):]
	r.passTo(at + len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:")))
	return r.errorf("%v", err)
}

func (r *jsonReader) value(token json.Token, depth int) error {
	switch {
	case depth > maxDepth:
		return r.errorf("nested deeper than %d", maxDepth)
	case len(r.doc.all) >= MaxNodes:
		return r.doc.tooMany(r.line)
	}
	switch token := token.(type) {
	case nil:
		return r.errorf("a null; leave it out instead")
	case string:
		r.doc.all.add(node{text: token, line: int32(r.line), style: quotedStyle})
	case json.Number:
		r.doc.all.add(node{text: token.String(), line: int32(r.line)})
	case bool:
		r.doc.all.add(node{text: fmt.Sprint(token), line: int32(r.line)})
	case json.Delim:
		if token == '[' {
			return r.list(depth)
		}
		return r.members(depth)
	}
	return nil
}

func (r *jsonReader) list(depth int) error {
	at := r.doc.all.open(sequenceNode, r.line)
	for {
		token, err := r.next()
		switch {
		case err != nil:
			return err
		case token == json.Delim(']'):
			r.doc.all.close(at)
			return nil
		}
		if err := r.value(token, depth+1); err != nil {
			return err
		}
	}
}

func (r *jsonReader) members(depth int) error {
	all := &r.doc.all
	at := all.open(mappingNode, r.line)
	for {
		key, err := r.next()
		if err != nil {
			return err
		}
		if key == json.Delim('}') {
			break
		}
		all.add(node{text: key.(string), line: int32(r.line), style: quotedStyle})
		value, err := r.next()
		if err != nil {
			return err
		}
		if value == nil {
			*all = (*all)[:len(*all)-1]
			continue
		}
		if err := r.value(value, depth+1); err != nil {
			return err
		}
	}
	all.close(at)
	if twice := all.duplicate(at); twice >= 0 {
		return r.doc.errorAt(int((*all)[twice].line), fmt.Sprintf("duplicate key %q", (*all)[twice].text))
	}
	return nil
}
