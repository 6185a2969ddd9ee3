package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// readForeign takes apart, through the library, what a person wrote.
func (d Parsed) readForeign() (nodes, error) {
	parser := yaml.NewDecoder(bytes.NewReader(d.data))
	var doc, next yaml.Node
	switch err := parser.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, d.fail(1, "the document is empty")
	case err != nil:
		return nil, d.syntaxError(err)
	}
	switch err := parser.Decode(&next); {
	case err == nil:
		return nil, d.fail(next.Line, "a second document begins")
	case !errors.Is(err, io.EOF):
		return nil, d.syntaxError(err)
	}
	root := doc.Content[0]
	if err := d.checkNode(root, newBangs(d.data), 0); err != nil {
		return nil, err
	}
	var all nodes
	all.adopt(root)
	return all, nil
}

// adopt appends what the library read and checkNode passed.
func (ns *nodes) adopt(n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode, yaml.SequenceNode:
		kind := mappingNode
		if n.Kind == yaml.SequenceNode {
			kind = sequenceNode
		}
		at := ns.open(kind, n.Line)
		for _, child := range n.Content {
			ns.adopt(child)
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
	syntaxLine    = regexp.MustCompile(`^line (\d+): `)
	unknownAnchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
)

// syntaxError names the line the library found, which for unclosed brackets
// and quotes is the one that opened them.
func (d Parsed) syntaxError(err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if m := syntaxLine.FindStringSubmatch(reason); m != nil {
		line, _ = strconv.Atoi(m[1])
		reason = reason[len(m[0]):]
	}
	if m := unknownAnchor.FindStringSubmatch(reason); m != nil {
		before, _, _ := strings.Cut(string(d.data), "*"+m[1])
		return d.fail(1+strings.Count(before, "\n"), "aliases are not allowed")
	}
	// The library counts from 0 in what its parser says, from 1 in what its
	// scanner says; only the parser expects.
	if strings.HasPrefix(reason, "did not find expected") {
		line++
	}
	return d.fail(line, reason)
}

// checkNode refuses, in the whole document, what no reader accepts.
func (d Parsed) checkNode(n *yaml.Node, tags bangs, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode:
		return d.fail(n.Line, "aliases are not allowed")
	case n.Anchor != "":
		return d.fail(n.Line, "anchors are not allowed")
	case n.Style&yaml.TaggedStyle != 0 || tags.at(n.Line, n.Column):
		return d.fail(n.Line, "tags are not allowed")
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return d.fail(n.Line, "a null; leave the key out instead")
	case depth > maxDepth:
		return d.fail(n.Line, fmt.Sprintf("nested deeper than %d", maxDepth))
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
			return d.fail(key.Line, "a key must be plain text")
		case seen[key.Value]:
			return d.fail(key.Line, fmt.Sprintf("duplicate key %q", key.Value))
		}
		seen[key.Value] = true
	}
	return nil
}

// bangs are the lines of a document that has a "!" somewhere. The library
// drops the lone tag "!" without a trace but for the place of the value.
type bangs []string

func newBangs(data []byte) bangs {
	if bytes.IndexByte(data, '!') < 0 {
		return nil
	}
	breaks := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
	return strings.Split(breaks.Replace(strings.TrimPrefix(string(data), "\ufeff")), "\n")
}

// at reports whether the value at line and column, both from 1, has a tag. No
// value itself begins with "!" unless it is quoted.
func (b bangs) at(line, column int) bool {
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
