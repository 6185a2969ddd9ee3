package document

import (
	"fmt"
	"strings"
)

// write renders the value at a place. Its first line is begun; further lines
// are indented by indent blanks.
func (ns nodes) write(b *strings.Builder, at, indent int) {
	n := &ns[at]
	switch {
	case n.kind == scalarNode:
		n.writeText(b, indent)
	case ns.empty(at) && n.kind == mappingNode:
		b.WriteString("{}\n")
	case ns.empty(at):
		b.WriteString("[]\n")
	case n.kind == mappingNode:
		ns.writeMapping(b, at, indent)
	default:
		for i := at + 1; i < int(n.end); i = int(ns[i].end) {
			if i > at+1 {
				pad(b, indent)
			}
			b.WriteString("- ")
			ns.write(b, i, indent+2)
		}
	}
}

func (ns nodes) writeMapping(b *strings.Builder, at, indent int) {
	for i := at + 1; i < int(ns[at].end); {
		if i > at+1 {
			pad(b, indent)
		}
		key, value := &ns[i], int(ns[i].end)
		switch {
		case key.isLongKey():
			b.WriteString("? ")
			key.writeText(b, indent+2)
			pad(b, indent)
			b.WriteString(": ")
		default:
			key.writeLine(b)
			b.WriteByte(':')
			if ns[value].kind == scalarNode || ns.empty(value) {
				b.WriteByte(' ')
				break
			}
			b.WriteByte('\n')
			pad(b, indent+2)
		}
		ns.write(b, value, indent+2)
		i = int(ns[value].end)
	}
}

// isLongKey reports keys that YAML, or the library, whose form is the canonical
// one, does not allow before a colon.
func (n *node) isLongKey() bool {
	return len(n.text) > 128 || strings.ContainsAny(n.text, "\n\r\u0085\u2028\u2029")
}

func (n *node) writeText(b *strings.Builder, indent int) {
	if n.style != literalStyle {
		n.writeLine(b)
		b.WriteByte('\n')
		return
	}
	text, whole := strings.CutSuffix(n.text, "\n")
	b.WriteString("|")
	if !whole {
		b.WriteByte('-')
	}
	b.WriteByte('\n')
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			pad(b, indent)
			b.WriteString(line)
		}
		b.WriteByte('\n')
	}
}

// writeLine writes plain or quoted text.
func (n *node) writeLine(b *strings.Builder) {
	if n.style == plainStyle {
		b.WriteString(n.text)
		return
	}
	b.WriteByte('"')
	// The library looks for a byte order mark at the beginning of any text.
	all := strings.HasPrefix(n.text, "\ufeff")
	for _, r := range n.text {
		if all || isEscaped(r) {
			writeEscape(b, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}

// isEscaped reports characters that are escaped between quotes.
func isEscaped(r rune) bool {
	switch r {
	case '"', '\\', 0x2028, 0x2029, 0xfeff, 0xfffe, 0xffff:
		return true
	}
	return r < ' ' || r >= 0x7f && r < 0xa0 || r > 0xffff
}

func writeEscape(b *strings.Builder, r rune) {
	b.WriteByte('\\')
	if c, ok := shortEscapes[r]; ok {
		b.WriteByte(c)
		return
	}
	switch {
	case r <= 0xff:
		fmt.Fprintf(b, "x%02X", r)
	case r <= 0xffff:
		fmt.Fprintf(b, "u%04X", r)
	default:
		fmt.Fprintf(b, "U%08X", r)
	}
}

// shortEscapes are the characters with a short escape.
var shortEscapes = func() map[rune]byte {
	m := map[rune]byte{}
	for c, r := range escapes {
		m[r] = c
	}
	return m
}()

const blanks = "                                                                "

func pad(b *strings.Builder, indent int) {
	for ; indent > len(blanks); indent -= len(blanks) {
		b.WriteString(blanks)
	}
	b.WriteString(blanks[:indent])
}
