package document

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// A form is how values of a type are written.
type form uint8

const (
	formNone form = iota
	formString
	formBool
	formInt
	formUint
	formTime
	formText // MarshalText, UnmarshalText
	formStruct
	formPointer
	formSlice
	formMap
	formValue // a Value, which is read as it stands and not written
)

var (
	timeType        = reflect.TypeFor[time.Time]()
	marshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
	unmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()

	forms  sync.Map // reflect.Type → form
	shapes sync.Map // reflect.Type → *shape
)

// formOf is the form of a type, formNone for types that a document cannot hold.
func formOf(t reflect.Type) form {
	if f, ok := forms.Load(t); ok {
		return f.(form)
	}
	f := newForm(t)
	forms.Store(t, f)
	return f
}

func newForm(t reflect.Type) form {
	switch {
	case t == timeType:
		return formTime
	case t == reflect.TypeFor[Value]():
		return formValue
	case t.Kind() == reflect.Pointer:
		if f := formOf(t.Elem()); f == formPointer || f == formSlice || f == formMap {
			return formNone
		}
		return formPointer
	case t.Name() != "": // only types with a name have methods
		pointer := reflect.PointerTo(t)
		reads, writes := pointer.Implements(unmarshalerType), pointer.Implements(marshalerType)
		switch {
		case reads && (writes || t.Kind() == reflect.String):
			return formText
		case reads || writes:
			return formNone
		}
	}
	switch t.Kind() {
	case reflect.String:
		return formString
	case reflect.Bool:
		return formBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return formInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return formUint
	case reflect.Struct:
		return formStruct
	case reflect.Slice:
		return formSlice
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return formMap
		}
	}
	return formNone
}

// A shape is how a struct is written.
type shape struct {
	fields []field
	index  map[string]int // key → place in fields
	inline []int          // places in fields of inline pointers and interfaces
}

// A field is one key of a shape, or an inline pointer or interface without key.
type field struct {
	key   string
	path  []int // for reflect.Value.FieldByIndex
	form  form
	keep  bool // written even if empty
	since int  // the first version with the field; 0 is every one
}

// in reports whether a version of the documents has the field.
func (f *field) in(version int) bool {
	return version == EveryVersion || version >= f.since
}

func (f *field) versionError(version int) *VersionError {
	return &VersionError{Key: f.key, Version: version, Since: f.since}
}

func shapeOf(t reflect.Type) (*shape, error) {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape), nil
	}
	n := t.NumField()
	s := &shape{index: make(map[string]int, n), fields: make([]field, 0, n)}
	if err := s.add(t, nil); err != nil {
		return nil, err
	}
	shapes.Store(t, s)
	return s, nil
}

// add appends the fields of t, which is at path in the type of the shape.
func (s *shape) add(t reflect.Type, path []int) error {
	for i := range t.NumField() {
		sf := t.Field(i)
		if !sf.IsExported() {
			continue
		}
		tag, ok := sf.Tag.Lookup("yaml")
		key, options, _ := strings.Cut(tag, ",")
		f := field{key: key, path: append(slices.Clone(path), i), form: formOf(sf.Type)}
		var err error
		switch {
		case key == "-":
		case key == "" && options == "inline":
			err = s.addInline(sf.Type, f)
		case !ok || key == "" || !f.setOptions(options):
			err = fmt.Errorf("field %s of %v: tag %q does not say how to write it", sf.Name, t, sf.Tag)
		case !writable(sf.Type):
			err = fmt.Errorf("field %s of %v: %v has no place in a document", sf.Name, t, sf.Type)
		default:
			err = s.addKey(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keys are the keys of the fields that have one.
func (s *shape) keys() []string {
	all := lists.Of(s.fields, func(f field) string { return f.key })
	return slices.DeleteFunc(all, func(key string) bool { return key == "" })
}

// setOptions reads the options of a tag; it reports whether they are known.
func (f *field) setOptions(options string) bool {
	for option := range strings.SplitSeq(options, ",") {
		name, number, _ := strings.Cut(option, "=")
		n, err := strconv.Atoi(number)
		numbered := err == nil && n > 0
		switch {
		case option == "", option == "omitempty":
		case option == "keep":
			f.keep = true
		case name == "since" && numbered:
			f.since = n
		default:
			return false
		}
	}
	return true
}

func (s *shape) addInline(t reflect.Type, f field) error {
	switch t.Kind() {
	case reflect.Struct:
		return s.add(t, f.path)
	case reflect.Pointer, reflect.Interface:
		s.inline = append(s.inline, len(s.fields))
		s.fields = append(s.fields, f)
		return nil
	}
	return fmt.Errorf("%v cannot be inline", t)
}

func (s *shape) addKey(f field) error {
	if _, ok := s.index[f.key]; ok {
		return fmt.Errorf("key %q stands for two fields", f.key)
	}
	s.index[f.key] = len(s.fields)
	s.fields = append(s.fields, f)
	return nil
}

// writable looks through pointers, slices and maps. It does not look into
// structs, because they may contain themselves.
func writable(t reflect.Type) bool {
	switch formOf(t) {
	case formNone:
		return false
	case formPointer, formSlice, formMap:
		return writable(t.Elem())
	}
	return true
}

// inlined is the struct that an inline pointer or interface holds, the zero
// Value if it holds none.
func inlined(v reflect.Value) (reflect.Value, error) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
		return reflect.Value{}, nil
	case v.Kind() != reflect.Pointer || v.Type().Elem().Kind() != reflect.Struct:
		return reflect.Value{}, fmt.Errorf("inline field holds %v, not a pointer to a struct", v.Type())
	}
	return v.Elem(), nil
}
