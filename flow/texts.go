package flow

import (
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxList is how many entries a list inside a document may have.
const MaxList = 50

// MaxTasks is how many tasks one move may add.
const MaxTasks = 5000

// MaxPaths is how many changed paths a submission may name.
const MaxPaths = 20000

// Clean is the text as documents hold it: valid UTF-8, line feeds only, no
// control characters but tab and line feed, no blank lines or blanks at the
// ends. A rejection text can then never make an unreadable commit.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unprintable(r) {
			return r
		}
		return -1
	}, s)
	return strings.TrimFunc(s, unicode.IsSpace)
}

// unprintable are the control characters and those code points that YAML does
// not let into a document.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || r == 0xFEFF || r == 0xFFFE || r == 0xFFFF || r == '\u2028' || r == '\u2029'
}

// Normalize cleans every text of the move in place.
func (m *Move) Normalize() {
	walkTexts(reflect.ValueOf(m), func(v reflect.Value) *Refusal {
		if v.Kind() == reflect.String {
			v.SetString(Clean(v.String()))
		}
		return nil
	})
}

// checkTexts refuses texts that are too long or not clean, and lists that are
// too long. Lists of a move may be longer than those of a document only where
// their type says so by the method maxLen.
func checkTexts(m *Move, limit int) *Refusal {
	return walkTexts(reflect.ValueOf(m), func(v reflect.Value) *Refusal {
		if v.Kind() == reflect.Slice {
			longest := MaxList
			if bounded, ok := v.Interface().(interface{ maxLen() int }); ok {
				longest = bounded.maxLen()
			}
			if v.Len() > longest {
				return refuse(RuleLimit, "git liza help "+m.Act.String(), "a list has %d entries, at most %d are allowed", v.Len(), longest)
			}
			return nil
		}
		s := v.String()
		if len(s) > limit {
			return refuse(RuleText, "git liza config text_limit", "a text has %d bytes, at most %d are allowed; it begins %q", len(s), limit, clip(s))
		}
		if !utf8.ValidString(s) || Clean(s) != s {
			return refuse(RuleText, "git liza help "+m.Act.String(), "a text is not clean (control characters, carriage returns or blanks at its ends): %q", clip(s))
		}
		return nil
	})
}

var timeType = reflect.TypeFor[time.Time]()

// walkTexts calls visit for every string and slice below v that is settable,
// and stops at the first refusal.
func walkTexts(v reflect.Value, visit func(reflect.Value) *Refusal) *Refusal {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return walkTexts(v.Elem(), visit)
		}
	case reflect.String:
		return visit(v)
	case reflect.Struct:
		if v.Type() == timeType {
			return nil
		}
		for i := range v.NumField() {
			if refusal := walkTexts(v.Field(i), visit); refusal != nil {
				return refusal
			}
		}
	case reflect.Slice:
		if refusal := visit(v); refusal != nil {
			return refusal
		}
		for i := range v.Len() {
			if refusal := walkTexts(v.Index(i), visit); refusal != nil {
				return refusal
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			text := reflect.New(v.Type().Elem()).Elem()
			text.Set(v.MapIndex(key))
			if refusal := walkTexts(text, visit); refusal != nil {
				return refusal
			}
			v.SetMapIndex(key, text)
		}
	}
	return nil
}

// paths is a list that a move, but no document, may hold in full.
type paths []string

func (paths) maxLen() int { return MaxPaths }

// present refuses a blank text; what names the flag or key.
func present(what, text, hint string) *Refusal {
	if text == "" {
		return refuse(RuleText, hint, "%s is empty", what)
	}
	return nil
}

// Excerpt keeps the first and last part of an output within n bytes.
func Excerpt(s string, n int) string {
	s = Clean(s)
	if len(s) <= n {
		return s
	}
	const cut = "\n[…]\n"
	half := (n - len(cut)) / 2
	return Clean(strings.ToValidUTF8(s[:half], "") + cut + strings.ToValidUTF8(s[len(s)-half:], ""))
}
