package document

import "strings"

// A reader parses a document in the canonical form of [Encode]. It is fast,
// needs little memory, and gives up on other forms. Every YAML reader gives
// what it accepts the same meaning.
type reader struct {
	text string
	at   int
	line int
	all  nodes
	bad  bool // the rest is not canonical
	many bool // it has more than MaxNodes values
}

// breaks are the characters, other than the line feed, that YAML reads as the
// end of a line or ignores.
const breaks = "\r\u0085\u2028\u2029\ufeff"

// readCanonical parses text that checkBytes has accepted.
func readCanonical(text string) *reader {
	r := &reader{text: text, line: 1, all: make(nodes, 0, min(2*strings.Count(text, "\n")+1, MaxNodes))}
	if !strings.HasSuffix(text, "\n") || strings.ContainsAny(text, breaks) {
		r.bad = true
		return r
	}
	if r.value(0, 0); r.at != len(text) || r.all[0].kind == scalarNode {
		r.bad = true
	}
	return r
}

// value reads the value that begins here; its further lines are indented by
// indent blanks.
func (r *reader) value(indent, depth int) {
	rest := r.text[r.at:]
	switch {
	case depth > maxDepth || len(r.all) >= MaxNodes:
		r.bad, r.many = true, len(r.all) >= MaxNodes
	case strings.HasPrefix(rest, "- "):
		r.sequence(indent, depth)
	case r.isKey():
		r.mapping(indent, depth)
	default:
		r.simple(indent)
	}
}

// isKey reports whether a key of a mapping begins here.
func (r *reader) isKey() bool {
	rest := r.text[r.at:]
	if strings.HasPrefix(rest, "? ") {
		return true
	}
	end := 0
	if strings.HasPrefix(rest, `"`) {
		end = quotedEnd(rest)
	} else {
		end = plainEnd(rest)
	}
	return end > 0 && rest[end] == ':'
}

// simple reads a scalar, an empty list or an empty mapping, and the end of its
// line.
func (r *reader) simple(indent int) {
	rest := r.text[r.at:]
	switch {
	case strings.HasPrefix(rest, "{}\n"):
		r.emptyValue(mappingNode)
	case strings.HasPrefix(rest, "[]\n"):
		r.emptyValue(sequenceNode)
	case strings.HasPrefix(rest, "|\n"), strings.HasPrefix(rest, "|-\n"):
		r.literal(indent)
	default:
		r.scalar()
		r.skip("\n")
	}
}

func (r *reader) emptyValue(kind nodeKind) {
	r.all.close(r.all.open(kind, r.line))
	r.at += 2
	r.skip("\n")
}

// skip consumes what must come next.
func (r *reader) skip(what string) {
	if r.bad || !strings.HasPrefix(r.text[r.at:], what) {
		r.bad = true
		return
	}
	r.at += len(what)
	if what == "\n" {
		r.line++
	}
}

// skipIndent consumes the indent of a line if it has exactly that one.
func (r *reader) skipIndent(indent int) bool {
	rest := r.text[r.at:]
	if r.bad || len(rest) <= indent || rest[indent] == ' ' || rest[indent] == '\n' {
		return false
	}
	for i := range indent {
		if rest[i] != ' ' {
			return false
		}
	}
	r.at += indent
	return true
}

func (r *reader) sequence(indent, depth int) {
	at := r.all.open(sequenceNode, r.line)
	for {
		r.skip("- ")
		if r.bad {
			return
		}
		r.value(indent+2, depth+1)
		if !r.skipIndent(indent) {
			break
		}
	}
	r.all.close(at)
}

func (r *reader) mapping(indent, depth int) {
	at := r.all.open(mappingNode, r.line)
	for {
		r.entry(indent, depth)
		if !r.skipIndent(indent) {
			break
		}
	}
	r.all.close(at)
	r.bad = r.bad || r.all.duplicate(at) >= 0
}

// entry reads a key and its value.
func (r *reader) entry(indent, depth int) {
	if strings.HasPrefix(r.text[r.at:], "? ") {
		r.skip("? ")
		r.scalar()
		r.skip("\n")
		if !r.skipIndent(indent) {
			r.bad = true
		}
		r.skip(": ")
		if !r.bad {
			r.value(indent+2, depth+1)
		}
		return
	}
	from := r.at
	r.scalar()
	if r.at-from > maxSimpleKey {
		r.bad = true
	}
	r.skip(":")
	switch {
	case r.bad:
	case strings.HasPrefix(r.text[r.at:], "\n"):
		r.skip("\n")
		at := len(r.all)
		if !r.skipIndent(indent + 2) {
			r.bad = true
			return
		}
		if r.value(indent+2, depth+1); !r.bad && r.all.empty(at) {
			r.bad = true
		}
	default:
		r.skip(" ")
		if !r.bad {
			r.simple(indent + 2)
		}
	}
}

// maxSimpleKey is the longest key, with its quotes, that YAML allows before a
// colon.
const maxSimpleKey = 1000

// scalar reads plain or quoted text.
func (r *reader) scalar() {
	rest := r.text[r.at:]
	if r.bad || len(r.all) >= MaxNodes {
		r.bad, r.many = true, len(r.all) >= MaxNodes
		return
	}
	if strings.HasPrefix(rest, `"`) {
		end := quotedEnd(rest)
		text, ok := unquote(rest[:max(end, 0)])
		if r.bad = !ok; ok {
			r.all.add(node{text: text, line: int32(r.line), style: quotedStyle})
			r.at += end
		}
		return
	}
	end := plainEnd(rest)
	switch text := rest[:max(end, 0)]; text {
	case "", "null", "Null", "NULL":
		r.bad = true
	default:
		r.all.add(node{text: text, line: int32(r.line)})
		r.at += end
	}
}

// literal reads a block of lines.
func (r *reader) literal(indent int) {
	from, end := r.line, ""
	if r.at++; r.text[r.at] == '-' {
		r.at++
	} else {
		end = "\n"
	}
	r.skip("\n")
	var b strings.Builder
	blank := 0
	for !r.bad {
		if strings.HasPrefix(r.text[r.at:], "\n") {
			r.skip("\n")
			blank++
			continue
		}
		line, ok := r.blockLine(indent)
		if !ok {
			break
		}
		if b.Len() > 0 {
			b.WriteString(strings.Repeat("\n", blank+1))
		} else if blank > 0 || line[0] == ' ' || line[0] == '\t' {
			r.bad = true
		}
		b.WriteString(line)
		blank = 0
	}
	r.bad = r.bad || blank > 0 || b.Len() == 0
	b.WriteString(end)
	r.all.add(node{text: b.String(), line: int32(from), style: literalStyle})
}

// blockLine reads a line of a block without its indent; ok is false if the line
// is not part of the block.
func (r *reader) blockLine(indent int) (line string, ok bool) {
	rest := r.text[r.at:]
	end := strings.IndexByte(rest, '\n')
	if r.bad || end <= indent || strings.TrimLeft(rest[:indent], " ") != "" {
		return "", false
	}
	line = rest[indent:end]
	if last := line[len(line)-1]; last == ' ' || last == '\t' {
		r.bad = true
	}
	r.at += end
	r.skip("\n")
	return line, true
}
