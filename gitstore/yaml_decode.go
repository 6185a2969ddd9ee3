package gitstore

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// A filler moves a checked document into a value.
type filler struct {
	doc   Document
	loose bool // passes over unknown keys
}

func (d Document) decode(v any, loose bool) error {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("read into %T: not a pointer", v)
	}
	switch formOf(p.Type().Elem()) {
	case formStruct, formSlice:
		return filler{d, loose}.value(d.root, p.Elem(), formOf(p.Type().Elem()))
	}
	return fmt.Errorf("read into %T: not a pointer to a struct or slice", v)
}

func (f filler) value(n *node, v reflect.Value, as form) error {
	switch as {
	case formStruct:
		return f.mapping(n, v)
	case formSlice:
		return f.slice(n, v)
	case formMap:
		return f.table(n, v)
	case formPointer:
		elem := reflect.New(v.Type().Elem())
		if err := f.value(n, elem.Elem(), formOf(v.Type().Elem())); err != nil {
			return err
		}
		v.Set(elem)
		return nil
	case formNone:
		return fmt.Errorf("read into %v: it has no place in a document", v.Type())
	}
	if n.Kind != scalarNode {
		return f.want(n, "a single value")
	}
	return f.scalar(n, v, as)
}

func (f filler) want(n *node, what string) error {
	got := strconv.Quote(n.Value)
	switch {
	case n.Kind == mappingNode:
		got = "a mapping"
	case n.Kind == sequenceNode:
		got = "a list"
	case len(n.Value) > 40:
		got = fmt.Sprintf("%.40q…", n.Value)
	case n.Style != plainStyle:
		got = "the text " + got
	}
	return f.doc.fail(n.Line, fmt.Sprintf("want %s, got %s", what, got))
}

// scalar takes texts in any style, everything else only as it is written.
func (f filler) scalar(n *node, v reflect.Value, as form) error {
	switch as {
	case formString:
		v.SetString(n.Value)
		return nil
	case formText:
		if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Value)); err != nil {
			return f.doc.fail(n.Line, err.Error())
		}
		return nil
	}
	text := n.Value
	if n.Style != plainStyle {
		text = ""
	}
	switch as {
	case formBool:
		if text != "true" && text != "false" {
			return f.want(n, "true or false")
		}
		v.SetBool(text == "true")
	case formInt:
		i, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil || strconv.FormatInt(i, 10) != text {
			return f.want(n, "a whole number")
		}
		v.SetInt(i)
	case formUint:
		u, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if err != nil || strconv.FormatUint(u, 10) != text {
			return f.want(n, "a whole number from 0")
		}
		v.SetUint(u)
	case formTime:
		t, err := time.Parse(timeLayout, text)
		if err != nil || t.Format(timeLayout) != text {
			return f.want(n, "a time such as 2026-01-17T14:06:00Z")
		}
		v.Set(reflect.ValueOf(t))
	}
	return nil
}

func (f filler) mapping(n *node, v reflect.Value) error {
	if n.Kind != mappingNode {
		return f.want(n, "a mapping")
	}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		target, as, err := lookup(v, key.Value)
		switch {
		case err != nil:
			return err
		case target.IsValid():
			if err := f.value(n.Content[i+1], target, as); err != nil {
				return err
			}
		case !f.loose:
			return f.doc.fail(key.Line, fmt.Sprintf("unknown key %q", key.Value))
		}
	}
	return nil
}

// lookup finds the field of the struct v, or of what is inline in it, that has
// the key. The zero Value means none.
func lookup(v reflect.Value, key string) (reflect.Value, form, error) {
	s, err := shapeOf(v.Type())
	if err != nil {
		return reflect.Value{}, formNone, err
	}
	if i, ok := s.index[key]; ok {
		return v.FieldByIndex(s.fields[i].path), s.fields[i].form, nil
	}
	for _, i := range s.inline {
		in, err := inlined(v.FieldByIndex(s.fields[i].path))
		if err != nil {
			return reflect.Value{}, formNone, err
		}
		if !in.IsValid() {
			continue
		}
		target, as, err := lookup(in, key)
		if err != nil || target.IsValid() {
			return target, as, err
		}
	}
	return reflect.Value{}, formNone, nil
}

// slice and table leave nil for an empty list or mapping, which is never
// written.
func (f filler) slice(n *node, v reflect.Value) error {
	if n.Kind != sequenceNode {
		return f.want(n, "a list")
	}
	if len(n.Content) == 0 {
		v.SetZero()
		return nil
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	as := formOf(v.Type().Elem())
	for i, child := range n.Content {
		if err := f.value(child, list.Index(i), as); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

func (f filler) table(n *node, v reflect.Value) error {
	if n.Kind != mappingNode {
		return f.want(n, "a mapping")
	}
	if len(n.Content) == 0 {
		v.SetZero()
		return nil
	}
	table := reflect.MakeMapWithSize(v.Type(), len(n.Content)/2)
	keyForm, elemForm := formOf(v.Type().Key()), formOf(v.Type().Elem())
	for i := 0; i < len(n.Content); i += 2 {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := f.value(n.Content[i], key, keyForm); err != nil {
			return err
		}
		if err := f.value(n.Content[i+1], elem, elemForm); err != nil {
			return err
		}
		table.SetMapIndex(key, elem)
	}
	v.Set(table)
	return nil
}
