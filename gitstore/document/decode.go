package document

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/spelling"
)

// A filler copies a checked document into a value.
type filler struct {
	doc     Parsed
	version int      // keys of others are refused
	loose   bool     // skips unknown keys
	faults  *[]error // collects faults in mappings and lists; nil ends at the first
	most    int      // faults that are collected
	field   string   // dotted, where the value is, if faults are collected
}

// inKey is the filler of what a key of a mapping holds.
func (f filler) inKey(key string) filler {
	if f.faults != nil && f.field != "" {
		key = f.field + "." + key
	}
	f.field = key
	return f
}

// inEntry is the filler of what an entry of a list holds.
func (f filler) inEntry(i int) filler {
	if f.faults != nil {
		f.field += "[" + strconv.Itoa(i) + "]"
	}
	return f
}

// collectFault is the error that ends reading, nil if reading continues.
func (f filler) collectFault(err error) error {
	if err == nil || f.faults == nil || len(*f.faults) == f.most {
		return err
	}
	if e, ok := err.(*Error); ok && e.Field == "" {
		e.Field = f.field
	}
	*f.faults = append(*f.faults, err)
	return nil
}

// DecodeAll is [Parsed.Decode] for documents that people write: the error
// reports up to most faults, each a [*Error], joined.
func (d Parsed) DecodeAll(v any, most int) error {
	var faults []error
	last := d.fill(v, filler{doc: d, faults: &faults, most: most})
	if last != nil && len(faults) < most {
		faults = append(faults, last)
	}
	return errors.Join(faults...)
}

func (d Parsed) fill(v any, f filler) error {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return fmt.Errorf("read into %T: not a pointer", v)
	}
	switch formOf(p.Type().Elem()) {
	case formStruct, formSlice:
		return f.value(0, p.Elem(), formOf(p.Type().Elem()))
	}
	return fmt.Errorf("read into %T: not a pointer to a struct or slice", v)
}

// value fills v from the node at a place.
func (f filler) value(at int, v reflect.Value, as form) error {
	n := &f.doc.all[at]
	switch as {
	case formStruct:
		return f.mapping(at, v)
	case formSlice:
		return f.slice(at, v)
	case formMap:
		return f.table(at, v)
	case formPointer:
		elem := reflect.New(v.Type().Elem())
		if err := f.value(at, elem.Elem(), formOf(v.Type().Elem())); err != nil {
			return err
		}
		v.Set(elem)
		return nil
	case formValue:
		v.Set(reflect.ValueOf(Value{&f.doc, at}))
		return nil
	case formNone:
		return fmt.Errorf("read into %v: it has no place in a document", v.Type())
	}
	if n.kind != scalarNode {
		return f.typeError(n, "a single value")
	}
	return f.scalar(n, v, as)
}

func (f filler) typeError(n *node, what string) error {
	got := strconv.Quote(n.text)
	switch {
	case n.kind == mappingNode:
		got = "a mapping"
	case n.kind == sequenceNode:
		got = "a list"
	case len(n.text) > 40:
		got = fmt.Sprintf("%.40q…", n.text)
	case n.style != plainStyle:
		got = "the text " + got
	}
	return f.doc.errorAt(int(n.line), fmt.Sprintf("want %s, got %s", what, got))
}

// scalar accepts text in any style, and other values only in their canonical
// form.
func (f filler) scalar(n *node, v reflect.Value, as form) error {
	switch as {
	case formString:
		v.SetString(strings.Clone(n.text)) // else it would keep the whole document in memory
		return nil
	case formText:
		if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.text)); err != nil {
			return f.doc.errorAt(int(n.line), err.Error())
		}
		return nil
	}
	text := n.text
	if n.style != plainStyle {
		text = ""
	}
	switch as {
	case formBool:
		if text != "true" && text != "false" {
			return f.typeError(n, "true or false")
		}
		v.SetBool(text == "true")
	case formInt:
		i, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil || strconv.FormatInt(i, 10) != text {
			return f.typeError(n, "a whole number")
		}
		v.SetInt(i)
	case formUint:
		u, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if err != nil || strconv.FormatUint(u, 10) != text {
			return f.typeError(n, "a whole number from 0")
		}
		v.SetUint(u)
	case formTime:
		t, err := time.Parse(timeLayout, text)
		if err != nil || t.Format(timeLayout) != text {
			return f.typeError(n, "a time such as 2026-01-17T14:06:00Z")
		}
		v.Set(reflect.ValueOf(t))
	}
	return nil
}

func (f filler) mapping(at int, v reflect.Value) error {
	all := f.doc.all
	if all[at].kind != mappingNode {
		return f.typeError(&all[at], "a mapping")
	}
	for i := at + 1; i < int(all[at].end); {
		key, value := &all[i], int(all[i].end)
		inner := f.inKey(key.text)
		target, known, err := lookup(v, key.text)
		switch {
		case err != nil:
			return err
		case known == nil && !f.loose:
			err = f.unknownKey(key, v.Type())
		case known == nil:
		case !known.in(f.version):
			err = f.doc.errorAt(int(key.line), known.versionError(f.version).Error())
		default:
			err = inner.value(value, target, known.form)
		}
		if err := inner.collectFault(err); err != nil {
			return err
		}
		i = int(all[value].end)
	}
	return nil
}

// unknownKey tells people, whose faults are collected, which key they may have meant.
func (f filler) unknownKey(key *node, t reflect.Type) error {
	reason := fmt.Sprintf("unknown key %q", key.text)
	if s, err := shapeOf(t); err == nil && f.faults != nil {
		if like := spelling.Nearest(key.text, s.keys()); like != "" {
			reason += fmt.Sprintf("; did you mean %q?", like)
		}
	}
	return &Error{Name: f.doc.name, Line: max(int(key.line), 1), Key: key.text, Reason: reason}
}

// lookup finds the field with the key in the struct v or in its inline fields;
// nil means none.
func lookup(v reflect.Value, key string) (reflect.Value, *field, error) {
	s, err := shapeOf(v.Type())
	if err != nil {
		return reflect.Value{}, nil, err
	}
	if i, ok := s.index[key]; ok {
		return v.FieldByIndex(s.fields[i].path), &s.fields[i], nil
	}
	for _, i := range s.inline {
		in, err := inlined(v.FieldByIndex(s.fields[i].path))
		if err != nil {
			return reflect.Value{}, nil, err
		}
		if !in.IsValid() {
			continue
		}
		target, f, err := lookup(in, key)
		if err != nil || f != nil {
			return target, f, err
		}
	}
	return reflect.Value{}, nil, nil
}

// slice and table set nil for an empty list or mapping, which is never written.
func (f filler) slice(at int, v reflect.Value) error {
	all := f.doc.all
	if all[at].kind != sequenceNode {
		return f.typeError(&all[at], "a list")
	}
	if all.empty(at) {
		v.SetZero()
		return nil
	}
	places := all.children(at)
	list := reflect.MakeSlice(v.Type(), len(places), len(places))
	as := formOf(v.Type().Elem())
	for i, place := range places {
		inner := f.inEntry(i)
		if err := inner.collectFault(inner.value(place, list.Index(i), as)); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

func (f filler) table(at int, v reflect.Value) error {
	all := f.doc.all
	if all[at].kind != mappingNode {
		return f.typeError(&all[at], "a mapping")
	}
	if all.empty(at) {
		v.SetZero()
		return nil
	}
	places := all.children(at)
	table := reflect.MakeMapWithSize(v.Type(), len(places)/2)
	keyForm, elemForm := formOf(v.Type().Key()), formOf(v.Type().Elem())
	for i := 0; i < len(places); i += 2 {
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := f.value(places[i], key, keyForm); err != nil {
			return err
		}
		if err := f.value(places[i+1], elem, elemForm); err != nil {
			return err
		}
		table.SetMapIndex(key, elem)
	}
	v.Set(table)
	return nil
}
