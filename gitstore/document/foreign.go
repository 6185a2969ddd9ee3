package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/git-liza/git-liza/flow/pattern"
)

// readForeign parses, with the library, a document that is not canonical.
func (d Parsed) readForeign() (nodes, error) {
	if err := d.checkMarks(); err != nil {
		return nil, err
	}
	parser := yaml.NewDecoder(bytes.NewReader(d.data))
	var doc, next yaml.Node
	switch err := parser.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, d.errorAt(1, "the document is empty")
	case err != nil:
		return nil, d.syntaxError(err)
	}
	switch err := parser.Decode(&next); {
	case err == nil:
		return nil, d.errorAt(next.Line, "a second document begins")
	case !errors.Is(err, io.EOF):
		return nil, d.syntaxError(err)
	}
	root := doc.Content[0]
	if err := d.checkNode(root, newTagLines(d.data), 0); err != nil {
		return nil, err
	}
	var all nodes
	all.appendForeign(root)
	if len(all) > MaxNodes {
		return nil, d.tooMany(int(all[MaxNodes].line))
	}
	return all, nil
}

// checkMarks refuses a text of which the library could make far more than MaxNodes
// values, before it does: 4 MiB of them take seconds and half a gigabyte. Each value but
// the first comes after a mark of its own, and a mark has at most two. Marks within texts
// count too; there they are much rarer.
func (d Parsed) checkMarks() error {
	marks, line := 0, 1
	for i, c := range d.data {
		switch c {
		case '\n':
			line++
		case '-', '?':
			if i+1 < len(d.data) && strings.IndexByte(" \t\r\n", d.data[i+1]) >= 0 {
				marks++
			}
		case ',', ':', '[', '{':
			marks++
		}
		if marks > MaxNodes {
			return d.tooMany(line)
		}
	}
	return nil
}

func (d Parsed) tooMany(line int) error {
	return d.errorAt(line, fmt.Sprintf("the document holds more than %d values", MaxNodes))
}

// appendForeign appends a node of the library that checkNode has accepted.
func (ns *nodes) appendForeign(n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		kind := mappingNode
		if n.Kind == yaml.SequenceNode {
			kind = sequenceNode
		}
		at := ns.open(kind, n.Line)
		for _, child := range n.Content {
			ns.appendForeign(child)
		}
		ns.close(at)
	default:
		style := quotedStyle
		if n.Style == 0 {
			style = plainStyle
		}
		ns.add(node{text: n.Value, line: int32(n.Line), style: style})
	}
}

var (
	syntaxLine    = pattern.Late(`^line (\d+): `)
	unknownAnchor = pattern.Late(`^unknown anchor '(.*)' referenced$`)
)

// syntaxError names the line that the library reports. For unclosed brackets
// and quotes it is the line that opened them.
func (d Parsed) syntaxError(err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := syntaxLine().FindStringSubmatch(reason); m != nil {
		line, _ = strconv.Atoi(m[1])
		reason = reason[len(m[0]):]
	}
	if m := unknownAnchor().FindStringSubmatch(reason); m != nil {
		before, _, _ := strings.Cut(string(d.data), "*"+m[1])
		return d.errorAt(1+strings.Count(before, "\n"), "aliases are not allowed")
	}
	// The parser of the library counts lines from 0, its scanner from 1; only
	// the parser writes "expected".
	if strings.HasPrefix(reason, "did not find expected") {
		line++
	}
	return d.errorAt(line, reason)
}

// checkNode refuses what no type of document may contain.
func (d Parsed) checkNode(n *yaml.Node, tags tagLines, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return d.errorAt(n.Line, "aliases are not allowed")
	case n.Anchor != "":
		return d.errorAt(n.Line, "anchors are not allowed")
	case n.Style&yaml.TaggedStyle != 0 || tags.at(n.Line, n.Column):
		return d.errorAt(n.Line, "tags are not allowed")
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return d.errorAt(n.Line, "a null; leave the key out instead")
	case depth > maxDepth:
		return d.errorAt(n.Line, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	if n.Kind == yaml.MappingNode {
		if err := d.checkKeys(n); err != nil {
			return err
		}
	}
	for _, child := range n.Content {
		if err := d.checkNode(child, tags, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (d Parsed) checkKeys(n *yaml.Node) error {
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode && key.Kind != yaml.AliasNode:
			return d.errorAt(key.Line, "a key must be plain text")
		case seen[key.Value]:
			return d.errorAt(key.Line, fmt.Sprintf("duplicate key %q", key.Value))
		}
		seen[key.Value] = true
	}
	return nil
}

// tagLines are the lines of a document that contains a "!". The library drops the
// lone tag "!", and only the column of the value shows it.
type tagLines []string

func newTagLines(data []byte) tagLines {
	if bytes.IndexByte(data, '!') < 0 {
		return nil
	}
	breaks := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
	return strings.Split(breaks.Replace(strings.TrimPrefix(string(data), "\ufeff")), "\n")
}

// at reports whether the value at line and column, both from 1, has a tag. Only
// a quoted value begins with "!" itself.
func (b tagLines) at(line, column int) bool {
	if line > len(b) || line < 1 {
		return false
	}
	at := 1
	for _, r := range b[line-1] {
		if at == column {
			return r == '!'
		}
		at++
	}
	return false
}
