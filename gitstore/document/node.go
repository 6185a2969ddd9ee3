package document

import "slices"

// A nodeKind is the kind of a value.
type nodeKind uint8

const (
	scalarNode nodeKind = iota + 1
	sequenceNode
	mappingNode
)

// A textStyle is how a scalar is written.
type textStyle uint8

const (
	plainStyle textStyle = iota
	quotedStyle
	literalStyle // or another style of people
)

// A node is one value of a document, or a key. The content of a list or mapping
// follows it; a mapping has keys and values in turn.
type node struct {
	text  string
	line  int32 // from 1
	end   int32 // the place after its last descendant
	kind  nodeKind
	style textStyle
}

// nodes are the values of a document in document order. A flat list takes a
// tenth of the memory that the library needs, and hostile documents have many
// values.
type nodes []node

// MaxNodes bounds the values of one document on the board, on writing and
// reading. A move of MaxTasks ordinary tasks has half as many.
const MaxNodes = 300_000

// open begins a list or mapping and returns its place; close must follow.
func (ns *nodes) open(kind nodeKind, line int) int {
	*ns = append(*ns, node{kind: kind, line: int32(line)})
	return len(*ns) - 1
}

// close ends the list or mapping at a place.
func (ns *nodes) close(at int) { (*ns)[at].end = int32(len(*ns)) }

// add appends a scalar.
func (ns *nodes) add(n node) {
	n.kind, n.end = scalarNode, int32(len(*ns)+1)
	*ns = append(*ns, n)
}

// empty reports whether the list or mapping at a place has no content.
func (ns nodes) empty(at int) bool { return int(ns[at].end) == at+1 }

// children are the places of the content of the list or mapping at a place.
func (ns nodes) children(at int) []int {
	var list []int
	for i := at + 1; i < int(ns[at].end); i = int(ns[i].end) {
		list = append(list, i)
	}
	return list
}

// duplicate is the place of the first repeated key of a mapping, -1 if there is
// none.
func (ns nodes) duplicate(at int) int {
	var few [16]string
	keys := few[:0]
	var many map[string]bool
	for i := at + 1; i < int(ns[at].end); i = int(ns[ns[i].end].end) {
		key := ns[i].text
		if many == nil && len(keys) == len(few) {
			many = make(map[string]bool)
			for _, k := range keys {
				many[k] = true
			}
		}
		if many[key] || many == nil && slices.Contains(keys, key) {
			return i
		}
		if many == nil {
			keys = append(keys, key)
		} else {
			many[key] = true
		}
	}
	return -1
}
