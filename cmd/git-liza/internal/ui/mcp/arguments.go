package mcp

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
)

// An argument is a field of a command as a client passes it. The field's tags for
// the command line also hold for tools: required, help, placeholder, enum and
// default. A field with the tag tool:"-" is for the command line only; any other
// text of that tag replaces help for clients. What has the tag schema:"-", a list or
// an embedded struct, is read as any other argument but described elsewhere: the
// schema lets objects of any form pass. The tag data is the field's name in
// documents, if that differs from the flag.
type argument struct {
	name     string
	flag     string // its name on the command line, also accepted; "" if it is the same
	about    string
	required bool
	standard string // the default, "" for the zero value
	words    []string
	low      *float64
	high     *float64
	typ      reflect.Type
	index    []int
	hidden   bool // the schema does not name it, and lets any others pass
	open     bool // the schema does not say what its objects are
}

// arguments returns the arguments of a struct and of the structs embedded in
// it.
func arguments(t reflect.Type) []argument {
	var list []argument
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, a := range arguments(f.Type) {
				a.index = append([]int{i}, a.index...)
				a.hidden = a.hidden || f.Tag.Get("schema") == "-"
				list = append(list, a)
			}
			continue
		}
		if f.Tag.Get("tool") != "-" && f.IsExported() {
			list = append(list, newArgument(f, i))
		}
	}
	return list
}

func newArgument(f reflect.StructField, i int) argument {
	a := argument{name: cmp.Or(f.Tag.Get("name"), underscored(f.Name)), about: cmp.Or(f.Tag.Get("tool"), forClients.Replace(f.Tag.Get("help"))), standard: f.Tag.Get("default"), typ: f.Type, index: []int{i}, open: f.Tag.Get("schema") == "-"}
	if data := f.Tag.Get("data"); data != "" {
		a.name, a.flag = data, a.name
	}
	_, flag := f.Tag.Lookup("required")
	_, position := f.Tag.Lookup("arg")
	_, optional := f.Tag.Lookup("optional")
	a.required = flag || position && !optional
	placeholder := f.Tag.Get("placeholder")
	if enum := f.Tag.Get("enum"); enum != "" {
		a.words = strings.Split(enum, ",")
	} else if f.Type.Kind() == reflect.String && strings.Contains(placeholder, "|") && strings.Trim(placeholder, "abcdefghijklmnopqrstuvwxyz_|") == "" {
		a.words = strings.Split(placeholder, "|") // not PATH|TIME, which stand for values
	}
	if from, to, ok := strings.Cut(placeholder, ".."); ok {
		a.low, a.high = parseBound(from), parseBound(to)
	}
	return a
}

// forClients removes from help what holds only for a command line.
var forClients = strings.NewReplacer("; repeatable", "", "; - for standard input", "")

// parseBound parses the limit of a number, nil if the text is none.
func parseBound(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil
	}
	return &n
}

// underscored returns the name of a field in JSON: DoneWhen is done_when.
func underscored(name string) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// schema returns the JSON schema of a command's arguments.
func schema(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, a := range arguments(t) {
		if a.hidden {
			s.AdditionalProperties = nil
			continue
		}
		p := typeSchema(a.typ)
		if a.open {
			p.Items = &jsonschema.Schema{Type: "object"}
		}
		p.Description = a.about
		values := p
		if p.Items != nil {
			values = p.Items
		}
		for _, word := range a.words {
			values.Enum = append(values.Enum, word)
		}
		p.Minimum, p.Maximum = a.low, a.high
		if a.standard != "" {
			p.Default = a.standardJSON()
		}
		if a.required {
			s.Required = append(s.Required, a.name)
		}
		s.Properties[a.name] = p
		s.PropertyOrder = append(s.PropertyOrder, a.name)
	}
	return s
}

// schema returns the JSON schema of the tool's arguments. Of one with kinds it has those
// of all of them, each with the kinds that it is for.
func (t Tool) schema() *jsonschema.Schema {
	if t.Kinds == nil {
		return schema(reflect.TypeOf(t.Input()).Elem())
	}
	kind := &jsonschema.Schema{Type: "string", Description: "Which record."}
	all := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"kind": kind}, PropertyOrder: []string{"kind"}, Required: []string{"kind"},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, k := range t.Kinds {
		kind.Enum = append(kind.Enum, k.Name)
		one := schema(reflect.TypeOf(k.Input()).Elem())
		for _, name := range one.PropertyOrder {
			p := one.Properties[name]
			said := k.Name
			if slices.Contains(one.Required, name) {
				said += ", needed"
			}
			p.Description = said + ": " + p.Description
			if other := all.Properties[name]; other != nil {
				other.Description += " " + p.Description
				continue
			}
			all.Properties[name] = p
			all.PropertyOrder = append(all.PropertyOrder, name)
		}
	}
	return all
}

// decode returns the input of a call.
func (t Tool) decode(raw json.RawMessage) (any, error) {
	if t.Kinds == nil {
		input := t.Input()
		return input, decode(raw, input)
	}
	given, err := members(raw, "")
	if err != nil {
		return nil, err
	}
	var kind string
	var names []string
	_ = json.Unmarshal(given["kind"], &kind) // no text is no kind
	for _, k := range t.Kinds {
		if names = append(names, k.Name); k.Name != kind {
			continue
		}
		delete(given, "kind")
		rest, err := json.Marshal(given)
		if err != nil {
			return nil, err
		}
		input := k.Input()
		return input, decode(rest, input)
	}
	return nil, fmt.Errorf("kind: want %s, not %q", strings.Join(names, " or "), kind)
}

// standardJSON is the default as a client would give it.
func (a argument) standardJSON() json.RawMessage {
	if a.typ.Kind() == reflect.Int {
		return json.RawMessage(a.standard)
	}
	text, _ := json.Marshal(a.standard)
	return text
}

// typeSchema returns the schema of one type.
func typeSchema(t reflect.Type) *jsonschema.Schema {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(textual) {
		return &jsonschema.Schema{Type: "string", Enum: enumNames(t)}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: typeSchema(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: typeSchema(t.Elem())}
	case reflect.Struct:
		return schema(t)
	}
	return &jsonschema.Schema{Type: "string"}
}

var textual = reflect.TypeFor[encoding.TextUnmarshaler]()

// enumNames returns the names of an enumeration: a type of small integers from 1
// on with names. Other types have none.
func enumNames(t reflect.Type) []any {
	if t.Kind() != reflect.Uint8 {
		return nil
	}
	var list []any
	for n := uint64(1); n < 256; n++ {
		v := reflect.New(t).Elem()
		v.SetUint(n)
		m, ok := v.Interface().(encoding.TextMarshaler)
		if !ok {
			return nil
		}
		text, err := m.MarshalText()
		if err != nil {
			break
		}
		list = append(list, string(text))
	}
	return list
}

// decode reads the arguments of a call into a command, a pointer to a struct.
// The error names an argument that is unknown, missing or of another type.
func decode(raw json.RawMessage, command any) error {
	return fill(raw, reflect.ValueOf(command).Elem(), "")
}

func fill(raw json.RawMessage, into reflect.Value, path string) error {
	given, err := members(raw, path)
	if err != nil {
		return err
	}
	list := arguments(into.Type())
	for name := range given {
		if !slices.ContainsFunc(list, func(a argument) bool { return a.name == name || a.flag == name && a.flag != "" }) {
			var known []string
			for _, a := range list {
				known = append(known, a.name)
			}
			return fmt.Errorf("%s%s: there is no such argument; there are %s", path, name, strings.Join(known, ", "))
		}
	}
	for _, a := range list {
		value, said := given[a.name]
		if other, too := given[a.flag]; too && a.flag != "" {
			if said {
				return fmt.Errorf("%s%s: it is %s by another name; give one of them", path, a.flag, a.name)
			}
			value, said = other, true
		}
		field := into.FieldByIndex(a.index)
		switch {
		case said && string(value) != "null":
			if err := a.set(value, field, path+a.name); err != nil {
				return err
			}
		case a.required:
			return fmt.Errorf("%s%s: it is missing; %s", path, a.name, a.about)
		case a.standard != "":
			if err := a.set(a.standardJSON(), field, path+a.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// members are the members of an object, whose names all differ. No text and null are one
// without members.
func members(raw json.RawMessage, path string) (map[string]json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	if len(raw) == 0 || string(raw) == "null" {
		return given, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, fmt.Errorf("%s: want an object", strings.TrimSuffix("arguments."+path, "."))
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if given[name] != nil {
			return nil, fmt.Errorf("%s%s: it is given twice", path, name)
		}
		given[name] = value
	}
	return given, nil
}

// set puts a value into the argument's field.
func (a argument) set(value json.RawMessage, field reflect.Value, path string) error {
	element := a.typ
	if element.Kind() == reflect.Slice {
		element = element.Elem()
	}
	switch {
	case element.Kind() == reflect.Struct && a.typ.Kind() == reflect.Slice:
		return setList(value, field, path)
	case element.Kind() == reflect.Struct:
		return fill(value, field, path+".")
	}
	err := json.Unmarshal(value, field.Addr().Interface())
	if kind, is := errors.AsType[*json.UnmarshalTypeError](err); is {
		return fmt.Errorf("%s: want %s, not %s", path, typeName(a.typ), kind.Value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return a.checkWord(field, path)
}

// setList fills a list of objects.
func setList(value json.RawMessage, field reflect.Value, path string) error {
	var items []json.RawMessage
	if err := json.Unmarshal(value, &items); err != nil {
		return fmt.Errorf("%s: want a list of objects", path)
	}
	list := reflect.MakeSlice(field.Type(), len(items), len(items))
	for i, item := range items {
		if err := fill(item, list.Index(i), fmt.Sprintf("%s[%d].", path, i)); err != nil {
			return err
		}
	}
	field.Set(list)
	return nil
}

// checkWord refuses a word that the argument does not allow.
func (a argument) checkWord(field reflect.Value, path string) error {
	if a.words == nil {
		return nil
	}
	said := []string{field.String()}
	if field.Kind() == reflect.Slice {
		said = nil
		for i := range field.Len() {
			said = append(said, field.Index(i).String())
		}
	}
	for _, word := range said {
		if !slices.Contains(a.words, word) {
			return fmt.Errorf("%s: want %s, not %q", path, strings.Join(a.words, " or "), word)
		}
	}
	return nil
}

// typeName names a type in the words of JSON.
func typeName(t reflect.Type) string {
	s := typeSchema(t)
	switch {
	case s.Items != nil:
		return "a list of " + s.Items.Type + "s"
	case s.AdditionalProperties != nil:
		return "an object of " + s.AdditionalProperties.Type + "s"
	}
	return "a value of type " + s.Type
}
