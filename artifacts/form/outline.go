package form

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/git-liza/git-liza/artifacts"
)

// An outline is what the headings of a text part.
type outline struct {
	headings []heading
	fenced   map[int]bool // lines of code
	last     int          // line of the text
}

// A heading is one of a text, with the words directly below it.
type heading struct {
	line, level int
	title       string
	words       int // up to the next heading
}

// words counts the words from a heading to the next one of its level or of a higher one.
func (o *outline) words(i int) int {
	n := o.headings[i].words
	for _, h := range o.headings[i+1:] {
		if h.level <= o.headings[i].level {
			break
		}
		n += h.words
	}
	return n
}

// maxDepth bounds how deep lists and quotations lie in one another. The library takes a
// time that grows with the depth for each line.
const maxDepth = 40

// outlineOf parses a body that begins on a line of its file.
func outlineOf(body string, first int) (outline, []artifacts.Fault) {
	source := []byte(body)
	o := outline{fenced: map[int]bool{}, last: first + bytes.Count(bytes.TrimRight(source, "\n"), []byte("\n"))}
	if line := deepLine(body); line >= 0 {
		return o, []artifacts.Fault{{Code: artifacts.CodeDepth, Line: first + line, Text: fmt.Sprintf("lists and quotations lie deeper than %d in one another", maxDepth)}}
	}
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithParagraphTransformers(
		util.Prioritized(parser.LinkReferenceParagraphTransformer, 100)))
	lines := lineCounter{source: source, line: first}
	doc := blocks.Parse(text.NewReader(source))
	for node := doc.FirstChild(); node != nil; node = node.NextSibling() {
		if h, ok := node.(*ast.Heading); ok {
			if h.Lines().Len() > 0 {
				o.headings = append(o.headings, heading{line: lines.at(h.Lines().At(0).Start), level: h.Level, title: content(h, source)})
			} else {
				o.headings = append(o.headings, heading{line: lines.line, level: h.Level})
			}
			continue
		}
		n := o.block(node, source, &lines)
		if len(o.headings) > 0 {
			o.headings[len(o.headings)-1].words += n
		}
	}
	return o, nil
}

// deepLine is the line, from 0, on which lists and quotations lie too deep; -1 if none is.
func deepLine(body string) int {
	number := 0
	for line := range strings.Lines(body) {
		depth := 0
		for at, end := 0, false; at < len(line) && !end; at++ {
			blankNext := at+1 == len(line) || strings.IndexByte(" \t\r\n", line[at+1]) >= 0
			switch c := line[at]; {
			case c == '>', strings.IndexByte("-+*.)", c) >= 0 && blankNext:
				depth++
			default:
				end = c != ' ' && c != '\t' && (c < '0' || c > '9')
			}
		}
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		if (depth > maxDepth || indent > 4*maxDepth && depth > 0) && !isRule(line) {
			return number
		}
		number++
	}
	return -1
}

// isRule reports whether a line is nothing but one mark, such as * * *.
func isRule(line string) bool {
	line = strings.Join(strings.Fields(line), "")
	return line != "" && line[0] != '>' && strings.Trim(line, line[:1]) == ""
}

// block counts the words of a block, and notes its lines of code.
func (o *outline) block(node ast.Node, source []byte, lines *lineCounter) (words int) {
	if node.Type() != ast.TypeBlock {
		return 0
	}
	switch node.Kind() {
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		for i := range node.Lines().Len() {
			o.fenced[lines.at(node.Lines().At(i).Start)] = true
		}
		return countWords(content(node, source))
	case ast.KindHTMLBlock, ast.KindParagraph, ast.KindTextBlock, ast.KindHeading:
		return countWords(withoutComments(content(node, source)))
	}
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		words += o.block(child, source, lines)
	}
	return words
}

// content is the text of a block.
func content(node ast.Node, source []byte) string {
	var text strings.Builder
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		text.Write(line.Value(source))
	}
	if html, ok := node.(*ast.HTMLBlock); ok && html.HasClosure() {
		text.Write(html.ClosureLine.Value(source))
	}
	return text.String()
}

// withoutComments leaves out what browsers do not show.
func withoutComments(text string) string {
	var shown strings.Builder
	for {
		before, rest, more := strings.Cut(text, "<!--")
		shown.WriteString(before)
		if !more {
			return shown.String()
		}
		_, text, _ = strings.Cut(rest, "-->")
	}
}

// A lineCounter says on which line a byte is. It is asked in their order.
type lineCounter struct {
	source []byte
	passed int
	line   int // of the byte after those that are passed
}

func (c *lineCounter) at(offset int) int {
	if offset > c.passed {
		c.line += bytes.Count(c.source[c.passed:offset], []byte("\n"))
		c.passed = offset
	}
	return c.line
}
