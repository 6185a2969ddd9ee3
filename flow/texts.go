package flow

import (
	"encoding"
	"reflect"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
)

// Normalize cleans every text of the move in place. Paths of a submission stay
// as git gives them, because a cleaned one would name another file.
func (m *Move) Normalize() { CleanTexts(m) }

// checkTexts refuses what could not be written and read back unchanged: texts
// that are too long or not clean, lists that are too long, and ids, durations and
// times that are malformed.
func checkTexts(m *Move, limit int) *Refusal {
	hint := "git liza help " + m.Act.Command()
	return walk(reflect.ValueOf(m), func(v reflect.Value) *Refusal {
		switch {
		case v.Type() == pathsType:
			return checkPaths(v.Interface().(paths), limit)
		case v.Kind() == reflect.Slice:
			return checkList(v, hint)
		case v.Kind() == reflect.Map:
			return checkMap(v, hint)
		case v.Type() == timeType:
			return checkTime(v.Interface().(time.Time), hint)
		case hasForm(v.Type()):
			return checkForm(v, hint)
		case v.Kind() == reflect.String:
			return checkText(v.String(), longest(v, limit), hint)
		}
		return nil
	})
}

const maxLongText = 16 << 10

var longTextType = reflect.TypeFor[board.LongText]()

// longest is how many bytes a text may have, by its type.
func longest(v reflect.Value, limit int) int {
	if v.Type() == longTextType {
		return max(limit, maxLongText)
	}
	return limit
}

func checkText(s string, limit int, hint string) *Refusal {
	if len(s) > limit {
		return refuse(RuleText, hint, "a text has %d bytes, at most %d are allowed; it begins %q", len(s), limit, board.Clip(s))
	}
	if board.Clean(s) != s {
		return refuse(RuleText, hint, "a text is not clean (control characters, carriage returns or blanks at its ends): %q", board.Clip(s))
	}
	return nil
}

// checkList bounds a list. A list of a move may be longer than one of a
// document only if its type has the method MaxLen.
func checkList(v reflect.Value, hint string) *Refusal {
	if r := checkLength(v, hint); r != nil {
		return r
	}
	if hasForm(v.Type().Elem()) {
		for i := range v.Len() {
			if v.Index(i).IsZero() {
				return refuse(RuleForm, hint, "entry %d of a list is empty", i+1)
			}
		}
	}
	return nil
}

func checkLength(v reflect.Value, hint string) *Refusal {
	longest := board.MaxList
	if bounded, ok := v.Interface().(interface{ MaxLen() int }); ok {
		longest = bounded.MaxLen()
	}
	if v.Len() > longest {
		return refuse(RuleLimit, hint, "a list has %d entries, at most %d are allowed", v.Len(), longest)
	}
	return nil
}

// checkPaths checks paths, which are never cleaned, apart from other lists.
func checkPaths(list paths, limit int) *Refusal {
	if len(list) > board.MaxPaths {
		return refuse(RuleLimit, "git liza help submit", "a submission changes %d paths, at most %d are allowed", len(list), board.MaxPaths)
	}
	for _, name := range list {
		switch {
		case len(name) > limit:
			return refuse(RulePath, "git mv -- "+shell.Quote(name)+" NAME", "the path %s has %d bytes, at most %d are allowed", board.QuoteC(board.Clip(name)), len(name), limit)
		case board.Clean(name) != name:
			return refuse(RulePath, "git mv -- "+shell.Quote(name)+" NAME",
				"the board cannot hold the path %s: blanks at its ends, control characters or bytes that are not UTF-8", board.QuoteC(name))
		}
	}
	return nil
}

func checkMap(v reflect.Value, hint string) *Refusal {
	if v.Len() > board.MaxList {
		return refuse(RuleLimit, hint, "there are %d details, at most %d are allowed", v.Len(), board.MaxList)
	}
	for _, key := range v.MapKeys() {
		if !board.ValidID(key.String()) {
			return refuse(RuleForm, hint, "%q is not the name of a detail", board.Clip(key.String()))
		}
	}
	return nil
}

// checkTime refuses times other than whole seconds in UTC.
func checkTime(t time.Time, hint string) *Refusal {
	if t.Location() != time.UTC || t.Nanosecond() != 0 || t.Year() > 9999 || t.Year() < 1 {
		return refuse(RuleForm, hint, "%s is not a time in whole seconds, UTC", t.Format(time.RFC3339Nano))
	}
	return nil
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	pathsType = reflect.TypeFor[paths]()
	textType  = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// hasForm reports whether values of a type have a text form of their own: ids,
// enumerations and durations.
func hasForm(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Uint8, reflect.Int64:
		return t.PkgPath() != "" && reflect.PointerTo(t).Implements(textType)
	}
	return false
}

// checkForm refuses a value that its own type would not read back.
func checkForm(v reflect.Value, hint string) *Refusal {
	if v.IsZero() {
		return nil
	}
	text := []byte(v.String())
	if own, ok := v.Interface().(encoding.TextMarshaler); ok {
		var err error
		if text, err = own.MarshalText(); err != nil {
			return refuse(RuleForm, hint, "%v", err)
		}
	}
	again := reflect.New(v.Type())
	if err := again.Interface().(encoding.TextUnmarshaler).UnmarshalText(text); err != nil {
		return refuse(RuleForm, hint, "%v", err)
	}
	if !again.Elem().Equal(v) {
		return refuse(RuleForm, hint, "%v is not written as %q", v.Interface(), text)
	}
	return nil
}

// walk calls visit for every list, map, time and plain value below v and
// stops at the first refusal.
func walk(v reflect.Value, visit func(reflect.Value) *Refusal) *Refusal {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return walk(v.Elem(), visit)
	case reflect.Struct:
		if v.Type() == timeType {
			return visit(v)
		}
		for i := range v.NumField() {
			if refusal := walk(v.Field(i), visit); refusal != nil {
				return refusal
			}
		}
		return nil
	case reflect.Slice:
		return walkList(v, visit)
	case reflect.Map:
		return walkMap(v, visit)
	}
	return visit(v)
}

func walkList(v reflect.Value, visit func(reflect.Value) *Refusal) *Refusal {
	if refusal := visit(v); refusal != nil || v.Type() == pathsType {
		return refusal
	}
	for i := range v.Len() {
		if refusal := walk(v.Index(i), visit); refusal != nil {
			return refusal
		}
	}
	return nil
}

func walkMap(v reflect.Value, visit func(reflect.Value) *Refusal) *Refusal {
	if refusal := visit(v); refusal != nil {
		return refusal
	}
	for _, key := range v.MapKeys() {
		was := v.MapIndex(key)
		text := reflect.New(v.Type().Elem()).Elem()
		text.Set(was)
		if refusal := walk(text, visit); refusal != nil {
			return refusal
		}
		if !text.Equal(was) {
			v.SetMapIndex(key, text)
		}
	}
	return nil
}

// paths is a list that a move, but no document, may hold in full.
type paths []string

// present refuses an empty text; what names the flag or key.
func present(what, text, hint string) *Refusal {
	if text == "" {
		return refuse(RuleText, hint, "%s is empty", what)
	}
	return nil
}
