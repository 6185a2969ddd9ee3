// Package drawing draws what package view shows: graphs, timelines and counts over time,
// as SVG, and graphs also for Graphviz and Mermaid. A drawing contains no script, no
// reference to anything outside of it and no style attribute, so that a strict policy of a
// page allows it. All texts in it are those of agents: they are escaped, stand on one line
// and are cut to their room.
//
// It is pure: values go in, text comes out.
package drawing

import (
	_ "embed"
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Place says where a drawing will stand.
type Place struct {
	// Link returns the address of a task's page. If it is nil the drawing has no links.
	Link func(board.TaskID) string
	// Alone is true for a file of its own, which carries its styles. In a page they are
	// those of [Styles].
	Alone bool
}

// A canvas collects the elements of a drawing. Lengths are in pixels.
type canvas struct {
	text          strings.Builder
	width, height int
}

// see makes the canvas large enough for a point.
func (c *canvas) see(x, y int) { c.width, c.height = max(c.width, x), max(c.height, y) }

func (c *canvas) print(format string, args ...any) { fmt.Fprintf(&c.text, format+"\n", args...) }

func (c *canvas) rect(x, y, w, h int, class string) {
	c.see(x+w, y+h)
	c.print(`<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`, class, x, y, w, h)
}

func (c *canvas) line(x1, y1, x2, y2 int, class string) {
	c.see(max(x1, x2), max(y1, y2))
	c.print(`<line class="%s" x1="%d" y1="%d" x2="%d" y2="%d"/>`, class, x1, y1, x2, y2)
}

// label writes a text that begins at x, or that ends there if the class says "end".
func (c *canvas) label(x, y int, class, text string) {
	c.see(x, y+4)
	c.print(`<text class="%s" x="%d" y="%d">%s</text>`, class, x, y, escape(text))
}

// open begins a group of elements that has a name for people, and a link if there is one.
func (c *canvas) open(class, name, link string) {
	if link != "" {
		c.print(`<a href="%s">`, escape(link))
	}
	c.print(`<g class="%s"><title>%s</title>`, class, escape(name))
}

func (c *canvas) close(link string) {
	c.print("</g>")
	if link != "" {
		c.print("</a>")
	}
}

// margin is what stays free around a drawing.
const margin = 16

// svg returns the drawing. The name says what it shows, the text what a person would see in
// it.
func (c *canvas) svg(p Place, name, text string) string {
	width, height := c.width+margin, c.height+margin
	role, styles := "group", ""
	if p.Link == nil {
		role = "img"
	}
	if p.Alone {
		styles = "<style>\n" + Styles + "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
	}
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" role=\"%s\" aria-label=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n<desc>%s</desc>\n%s%s</svg>\n",
		role, escape(name), width, height, width, height, escape(text), styles, c.text.String())
}

// escape makes a text safe as content and as an attribute of XML: one line of characters
// that XML allows.
func escape(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return utf8.RuneError
		}
		return r
	}, plaintext.Line(strings.ToValidUTF8(text, string(utf8.RuneError))))
	return html.EscapeString(text)
}

// classOf returns the class of a state, such as ready-for-review.
func classOf(s board.Status) string { return classOfName(s.String()) }

func classOfName(state string) string { return strings.ReplaceAll(strings.ToLower(state), "_", "-") }

// Styles are the styles of all drawings, for light and dark screens. States differ in
// colour, but are named in words too.
//
//go:embed styles.css
var Styles string
