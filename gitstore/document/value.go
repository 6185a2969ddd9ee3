package document

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
	list := make([]Value, len(places))
	for i, place := range places {
		list[i] = Value{v.doc, place}
	}
	return list
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
