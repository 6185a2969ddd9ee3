package stories

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// A value is a value of JSON with its place.
type value struct {
	span
	token   json.Token // nil, bool, json.Number, string, or the delimiter that begins it
	keys    []key      // of an object
	entries []value    // of a list
}

// A key is a key of an object with its value.
type key struct {
	span
	name  string
	value value
}

// at is the value of a key; ok is false if the object has none or its value is null.
func (v value) at(name string) (found value, ok bool) {
	for _, k := range v.keys {
		if k.name == name {
			return k.value, k.value.token != nil
		}
	}
	return value{}, false
}

// What is known of a prd.json.
var (
	versions  = []string{"1", "1.0"}
	fileKeys  = []string{"project", "branchName", "description", "userStories", "allowedPaths", "excludedPaths", "verificationCommands", "version"}
	storyKeys = []string{"id", "title", "description", "acceptanceCriteria", "priority", "passes", "notes"}
)

// noteUnknown notes the keys of an object that say something and are not known.
func (f *File) noteUnknown(v value, known []string) {
	for _, k := range v.keys {
		isEmpty := k.value.token == nil || k.value.token == "" || k.value.isEmptyList()
		if !isEmpty && !slices.Contains(known, k.name) {
			f.Unknown = append(f.Unknown, Key{k.name, f.line(k.from)})
		}
	}
}

// isEmptyList reports a list or an object that holds nothing.
func (v value) isEmptyList() bool {
	_, is := v.token.(json.Delim)
	return is && len(v.keys)+len(v.entries) == 0
}

func (f *File) readPRD() error {
	r := scanner{f: f, begin: len(f.data) - len(f.text())}
	r.tokens = json.NewDecoder(bytes.NewReader(f.text()))
	r.tokens.UseNumber()
	root, err := r.value(0)
	if err != nil {
		return err
	}
	if _, err := r.tokens.Token(); !errors.Is(err, io.EOF) {
		return f.errorAt(root.to, "something stands after the end of the object")
	}
	if v, ok := root.at("version"); ok && !slices.Contains(versions, fmt.Sprint(v.token)) {
		return f.errorAt(v.from, "version %.20q of prd.json is not known here; there is none, or version 1", fmt.Sprint(v.token))
	}
	f.noteUnknown(root, fileKeys)
	list, ok := root.at("userStories")
	if !ok || list.token != json.Delim('[') {
		return f.errorAt(root.from, "a prd.json is an object with a list userStories")
	}
	for _, one := range list.entries {
		if err := f.addStory(one); err != nil {
			return err
		}
	}
	return errors.Join(f.take(root, "project", &f.Title), f.take(root, "branchName", &f.Branch), f.take(root, "description", &f.Description),
		f.takeList(root, "allowedPaths", &f.Allowed), f.takeList(root, "excludedPaths", &f.Excluded), f.takeList(root, "verificationCommands", &f.Verify))
}

func (f *File) addStory(v value) error {
	if v.token != json.Delim('{') {
		return f.errorAt(v.from, "a story is an object")
	}
	f.noteUnknown(v, storyKeys)
	s := Story{Line: f.line(v.from)}
	if err := errors.Join(f.take(v, "id", &s.ID), f.take(v, "title", &s.Title), f.take(v, "description", &s.Description),
		f.takeList(v, "acceptanceCriteria", &s.Acceptance), f.take(v, "notes", &s.Notes)); err != nil {
		return err
	}
	at := place{end: v.from}
	if priority, ok := v.at("priority"); ok {
		number, _ := priority.token.(json.Number)
		n, err := strconv.ParseFloat(number.String(), 64)
		if err != nil {
			return f.errorAt(priority.from, "a priority is a number")
		}
		s.Priority = n
	}
	if passes, ok := v.at("passes"); ok {
		if s.Passes, ok = passes.token.(bool); !ok {
			return f.errorAt(passes.from, "passes is true or false")
		}
	}
	for i, k := range v.keys {
		switch k.name {
		case "passes":
			at.passes = k.value.span
		case "notes":
			at.notes = k.value.span
		}
		at.end = k.value.to
		before := v.from + 1
		if i > 0 {
			before = v.keys[i-1].value.to
		}
		gap := f.data[before:k.from]
		at.lead = string(gap[bytes.IndexByte(gap, ',')+1:])
	}
	f.Stories, f.places = append(f.Stories, s), append(f.places, at)
	return nil
}

// take reads the text of a key; without the key nothing changes.
func (f *File) take(v value, name string, to *string) error {
	found, ok := v.at(name)
	if !ok {
		return nil
	}
	if *to, ok = found.token.(string); !ok {
		return f.errorAt(found.from, "%s is a text", name)
	}
	return nil
}

func (f *File) takeList(v value, name string, to *[]string) error {
	found, ok := v.at(name)
	if !ok {
		return nil
	}
	if found.token != json.Delim('[') {
		return f.errorAt(found.from, "%s is a list of texts", name)
	}
	for _, one := range found.entries {
		text, ok := one.token.(string)
		if !ok {
			return f.errorAt(one.from, "%s is a list of texts", name)
		}
		*to = append(*to, text)
	}
	return nil
}

// A scanner reads JSON with the places of its values.
type scanner struct {
	f      *File
	tokens *json.Decoder
	begin  int // of the text in the file
}

// next reads a token with its place.
func (r *scanner) next() (json.Token, span, error) {
	before := r.begin + int(r.tokens.InputOffset())
	token, err := r.tokens.Token()
	rest := r.f.data[min(before, len(r.f.data)):]
	from := before + len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, span{}, r.f.errorAt(len(bytes.TrimRight(r.f.data, "\n")), "the text ends in the middle of a value")
	case err != nil:
		return nil, span{}, r.f.errorAt(from, "%v", err)
	}
	return token, span{from, r.begin + int(r.tokens.InputOffset())}, nil
}

// value reads a value; depth is how deep it is nested.
func (r *scanner) value(depth int) (value, error) {
	token, at, err := r.next()
	if err != nil {
		return value{}, err
	}
	return r.rest(token, at, depth)
}

// rest reads what follows the first token of a value.
func (r *scanner) rest(token json.Token, at span, depth int) (value, error) {
	v := value{span: at, token: token}
	if depth > maxDepth {
		return v, r.f.errorAt(at.from, "nested deeper than %d", maxDepth)
	}
	if token != json.Delim('[') && token != json.Delim('{') {
		return v, nil
	}
	seen := map[string]bool{}
	for {
		token, at, err := r.next()
		if err != nil {
			return v, err
		}
		if token == json.Delim(']') || token == json.Delim('}') {
			v.to = at.to
			return v, nil
		}
		if v.token == json.Delim('[') {
			entry, err := r.rest(token, at, depth+1)
			if err != nil {
				return v, err
			}
			v.entries = append(v.entries, entry)
			continue
		}
		name := token.(string) // the decoder takes nothing else for a key
		if seen[name] {
			return v, r.f.errorAt(at.from, "duplicate key %.40q", name)
		}
		seen[name] = true
		of, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.keys = append(v.keys, key{at, name, of})
	}
}
