package codehost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// mostDepth bounds how deeply the values of an export are nested; those of the hosts are
// less than ten deep.
const mostDepth = 32

// values reads the JSON values of a text, one after the other. An object that names a key
// twice is refused: two readers would take different values of it.
func values(data []byte) ([]any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var list []any
	for {
		v, err := value(d, 0)
		switch {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("after %d bytes: %w", d.InputOffset(), err)
		}
		list = append(list, v)
	}
}

// errOpen says that a value does not end.
var errOpen = errors.New("the JSON ends within a value")

func value(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		if depth > 0 && errors.Is(err, io.EOF) {
			err = errOpen
		}
		return nil, err
	}
	if depth > mostDepth {
		return nil, fmt.Errorf("values are nested deeper than %d", mostDepth)
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, end(d)
	case json.Delim('{'):
		return object(d, depth)
	}
	return token, nil
}

func object(d *json.Decoder, depth int) (any, error) {
	keys := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if _, twice := keys[key]; twice {
			return nil, fmt.Errorf("the key %.40q is there twice in one object", key)
		}
		if keys[key], err = value(d, depth+1); err != nil {
			return nil, err
		}
	}
	return keys, end(d)
}

// end reads the end of a list or an object.
func end(d *json.Decoder) error {
	_, err := d.Token()
	if errors.Is(err, io.EOF) {
		return errOpen
	}
	return err
}

// An item is an object of an export, with the place at which it stands there. The first
// value of another kind than asked for stays in wrong.
type item struct {
	keys  map[string]any
	place string
	wrong *error
}

// has reports whether the object has a key with another value than null.
func (x item) has(key string) bool { return x.keys[key] != nil }

func (x item) refuse(key, want string) {
	if *x.wrong == nil {
		*x.wrong = fmt.Errorf("%s is not %s", strings.TrimSuffix(x.place+key, "."), want)
	}
}

// words returns a text without characters that a terminal obeys instead of showing them:
// control characters but tab and line feed, and marks of direction. "" if it is missing.
func (x item) words(key string) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(x.text(key), "\uFFFD"), "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d': // the last two join letters and emoji
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text))
}

// mostName bounds names, ids and addresses, in bytes.
const mostName = 1024

// name returns a text that names something, "" for one that is missing or null. One with
// characters that are not shown is refused: without them it would name something else.
func (x item) name(key string) string {
	text := x.text(key)
	hidden := func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
	}
	if len(text) > mostName || strings.ContainsFunc(text, hidden) {
		x.refuse(key, "a name")
		return ""
	}
	return text
}

// text returns a text, "" for one that is missing or null.
func (x item) text(key string) string {
	switch v := x.keys[key].(type) {
	case nil:
	case string:
		return v
	default:
		x.refuse(key, "a text")
	}
	return ""
}

// id returns a text or a whole number as a text.
func (x item) id(key string) string {
	if n, ok := x.keys[key].(json.Number); ok {
		if _, err := strconv.ParseUint(string(n), 10, 64); err != nil {
			x.refuse(key, "a whole number")
		}
		return string(n)
	}
	return x.name(key)
}

// number returns a whole number, 0 for one that is missing or null.
func (x item) number(key string) int {
	switch v := x.keys[key].(type) {
	case nil:
	case json.Number:
		n, err := strconv.ParseUint(string(v), 10, 31)
		if err != nil {
			x.refuse(key, "a whole number")
		}
		return int(n)
	default:
		x.refuse(key, "a whole number")
	}
	return 0
}

// yes returns a truth value, false for one that is missing or null.
func (x item) yes(key string) bool {
	switch v := x.keys[key].(type) {
	case nil:
	case bool:
		return v
	default:
		x.refuse(key, "true or false")
	}
	return false
}

// time returns a time, the zero one for one that is missing or null.
func (x item) time(key string) time.Time {
	text := x.name(key)
	if text == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		x.refuse(key, "a time")
	}
	return at
}

// item returns an object, an empty one for one that is missing or null.
func (x item) item(key string) item {
	inner := item{nil, x.place + key + ".", x.wrong}
	switch v := x.keys[key].(type) {
	case nil:
	case map[string]any:
		inner.keys = v
	default:
		x.refuse(key, "an object")
	}
	return inner
}

// items returns a list of objects, none for one that is missing or null.
func (x item) items(key string) []item {
	list, ok := x.keys[key].([]any)
	if !ok && x.has(key) {
		x.refuse(key, "a list")
	}
	return itemsOf(list, x.place+key, x.wrong)
}

// itemsOf returns the objects of a list.
func itemsOf(list []any, place string, wrong *error) (items []item) {
	for i, v := range list {
		one := item{nil, fmt.Sprintf("%s[%d].", place, i), wrong}
		keys, ok := v.(map[string]any)
		if !ok {
			one.refuse("", "an object")
		}
		one.keys = keys
		items = append(items, one)
	}
	return items
}
