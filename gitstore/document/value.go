package document

import (
	"math"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
)

// A Value is a place in a parsed document: a text, a list or a mapping. The zero Value
// is nowhere.
type Value struct {
	doc *Parsed
	at  int
}

// Root is the outermost value of a document.
func (d *Parsed) Root() Value {
	if len(d.all) == 0 {
		return Value{}
	}
	return Value{d, 0}
}

// IsList reports whether the value is a list.
func (v Value) IsList() bool { return v.is(sequenceNode) }

// IsMapping reports whether the value is a mapping.
func (v Value) IsMapping() bool { return v.is(mappingNode) }

func (v Value) is(kind nodeKind) bool { return v.doc != nil && v.doc.all[v.at].kind == kind }

// Line is the line, from 1, on which the value begins; 0 of the zero Value.
func (v Value) Line() int {
	if v.doc == nil {
		return 0
	}
	return max(int(v.doc.all[v.at].line), 1)
}

// Entries are the values of a list, nil of anything else.
func (v Value) Entries() []Value {
	if !v.IsList() {
		return nil
	}
	places := v.doc.all.children(v.at)
	return lists.Of(places, func(place int) Value { return Value{v.doc, place} })
}

// Text is the text of a value that is neither a list nor a mapping; ok is false of others.
func (v Value) Text() (text string, ok bool) {
	if !v.is(scalarNode) {
		return "", false
	}
	return v.doc.all[v.at].text, true
}

// A Member is a key of a mapping with its value.
type Member struct {
	Key   string
	Line  int // of the key, from 1
	Value Value
}

// Members are the keys of a mapping in their order, nil of anything else.
func (v Value) Members() []Member {
	if !v.IsMapping() {
		return nil
	}
	all := v.doc.all
	var list []Member
	for i := v.at + 1; i < int(all[v.at].end); i = int(all[all[i].end].end) {
		list = append(list, Member{all[i].text, max(int(all[i].line), 1), Value{v.doc, int(all[i].end)}})
	}
	return list
}

// JSON is the value as encoding/json has it: a map, a list, a text, a float64 or a bool;
// nil of the zero Value. A text without quotes that has the form of a number, or is true
// or false, is that.
func (v Value) JSON() any {
	switch {
	case v.doc == nil:
		return nil
	case v.IsMapping():
		members := map[string]any{}
		for _, m := range v.Members() {
			members[m.Key] = m.Value.JSON()
		}
		return members
	case v.IsList():
		return append([]any{}, lists.Of(v.Entries(), Value.JSON)...)
	}
	n := &v.doc.all[v.at]
	if n.style != plainStyle {
		return n.text
	}
	if n.text == "true" || n.text == "false" {
		return n.text == "true"
	}
	if x, ok := number(n.text); ok {
		return x
	}
	return n.text
}

// number reads a number in the form of JSON that has a finite value.
func number(text string) (x float64, ok bool) {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] < '0' || digits[0] > '9' || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' || strings.ContainsAny(digits, "xXpP_") {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsInf(x, 0)
}

// Key is the value of a key of a mapping, the zero Value if there is none.
func (v Value) Key(name string) Value {
	if !v.IsMapping() {
		return Value{}
	}
	all := v.doc.all
	for i := v.at + 1; i < int(all[v.at].end); i = int(all[all[i].end].end) {
		if all[i].text == name {
			return Value{v.doc, int(all[i].end)}
		}
	}
	return Value{}
}
