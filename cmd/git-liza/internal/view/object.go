package view

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// An Object is a JSON object that keeps the order of its keys.
type Object []Member

// A Member is a key of an [Object] with its value.
type Member struct {
	Key   string
	Value any
}

// MarshalJSON writes the members in order.
func (o Object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for i, m := range o {
		out.WriteByte("{,"[min(i, 1)])
		if err := e.Encode(m.Key); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := e.Encode(m.Value); err != nil {
			return nil, err
		}
	}
	if len(o) == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Find returns the value of a key, nil if there is none.
func (o Object) Find(key string) any {
	if m := lists.Find(o, func(m Member) bool { return m.Key == key }); m != nil {
		return m.Value
	}
	return nil
}

// With returns the object with one more member at its end.
func (o Object) With(key string, value any) Object {
	return append(slices.Clip(o), Member{key, value})
}

// Only returns the members with these keys, in the object's order. It
// overwrites o.
func (o Object) Only(keys []string) Object {
	return slices.DeleteFunc(o, func(m Member) bool { return !slices.Contains(keys, m.Key) })
}

// ObjectOf is [ValueOf] for a struct or a pointer to one. It is nil for a nil
// pointer.
func ObjectOf(document any) Object {
	o, _ := ValueOf(document).(Object)
	return o
}

// ValueOf turns a document of the blackboard, or a part of one, into what JSON
// shows. It has all keys of the YAML, in its order. An absent value is null
// for an object or a time, [] for a list, {} for a mapping, and otherwise "",
// 0 or false. Times are RFC 3339 in UTC.
func ValueOf(document any) any { return reflected(reflect.ValueOf(document)) }

func reflected(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		return reflected(v.Elem())
	}
	switch known := v.Interface().(type) {
	case time.Time:
		return TimeValue(known)
	case board.Cost:
		return known.String() // a cost of zero is a value too
	case board.Usage:
		return append(structValue(v), Member{"tokens", known.Tokens()})
	case encoding.TextMarshaler:
		return textValue(v, known)
	}
	switch v.Kind() {
	case reflect.Struct:
		return structValue(v)
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = reflected(v.Index(i))
		}
		return list
	case reflect.Map:
		return mapValue(v)
	case reflect.String:
		return v.String()
	}
	return v.Interface()
}

// TimeValue is a time as JSON shows it: RFC 3339 in UTC, null for the zero time.
func TimeValue(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(time.RFC3339)
}

// textValue returns the name of a value, "" for the zero value of an
// enumeration.
func textValue(v reflect.Value, m encoding.TextMarshaler) any {
	text, err := m.MarshalText()
	if err != nil || v.IsZero() {
		return ""
	}
	return string(text)
}

func mapValue(v reflect.Value) any {
	all := make(map[string]any, v.Len())
	for _, key := range v.MapKeys() {
		all[key.String()] = reflected(v.MapIndex(key))
	}
	return all
}

func structValue(v reflect.Value) Object {
	all := make(Object, 0, v.NumField())
	for i := range v.NumField() {
		key, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		value := v.Field(i)
		switch {
		case options == "inline":
			if inner, ok := reflected(value).(Object); ok {
				all = append(all, inner...)
			}
		case key != "" && key != "-":
			all = append(all, Member{key, reflected(value)})
		}
	}
	return all
}

// Plain formats a value as text: "" for null, a list of plain values with
// commas, JSON for objects.
func Plain(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []any:
		return strings.Join(lists.Of(v, Plain), ",")
	case Object:
		var text bytes.Buffer
		if raw, err := v.MarshalJSON(); err != nil || json.Compact(&text, raw) != nil {
			return ""
		}
		return text.String()
	}
	return fmt.Sprint(value)
}
