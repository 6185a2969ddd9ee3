package web

import (
	"bytes"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// mostMarkdown is how many bytes of a text are read as Markdown.
const mostMarkdown = 64 << 10

// renderMarkdown makes Markdown that somebody else wrote HTML. HTML in it is shown as text,
// because what a person does not see an agent would still read; so are links to other
// places than the web, pictures, titles, and definitions of links, which name no link here.
// A very long text is shown as it stands: marks that are nested or never end take a time
// that grows with the square of its length.
func renderMarkdown(text string) (template.HTML, error) {
	if len(text) > mostMarkdown {
		return template.HTML(`<pre class="output" tabindex="0">` + template.HTMLEscapeString(text) + "</pre>"), nil
	}
	var out bytes.Buffer
	err := converter().Convert([]byte(text), &out)
	return template.HTML(out.String()), err
}

// converter is made when the first text is shown.
var converter = sync.OnceValue(func() goldmark.Markdown {
	m := goldmark.New(goldmark.WithParser(parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(parser.DefaultInlineParsers()...))))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(plainRenderer{}, 100)))
	return m
})

// A plainRenderer renders the nodes that could load something, lead somewhere or be
// hidden.
type plainRenderer struct{}

// RegisterFuncs says which nodes it renders.
func (r plainRenderer) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindHTMLBlock, r.block)
	to.Register(ast.KindRawHTML, r.inline)
	to.Register(ast.KindLink, r.link)
	to.Register(ast.KindAutoLink, r.address)
	to.Register(ast.KindImage, r.image)
	to.Register(ast.KindHeading, r.heading)
	to.Register(ast.KindFencedCodeBlock, r.code)
}

// escaped writes a text so that it stays text.
func escaped(w util.BufWriter, text []byte) {
	_, _ = w.WriteString(template.HTMLEscapeString(string(text)))
}

func (plainRenderer) block(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString(`<pre class="raw">`)
	for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		escaped(w, line.Value(source))
	}
	if b := n.(*ast.HTMLBlock); b.HasClosure() {
		escaped(w, b.ClosureLine.Value(source))
	}
	_, _ = w.WriteString("</pre>\n")
	return ast.WalkSkipChildren, nil
}

func (plainRenderer) inline(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<code class="raw">`)
		for i := range n.(*ast.RawHTML).Segments.Len() {
			part := n.(*ast.RawHTML).Segments.At(i)
			escaped(w, part.Value(source))
		}
		_, _ = w.WriteString("</code>")
	}
	return ast.WalkSkipChildren, nil
}

// isWeb reports whether an address is one of the web.
func isWeb(address []byte) bool {
	at, err := url.Parse(string(address))
	return err == nil && slices.Contains([]string{"http", "https"}, strings.ToLower(at.Scheme)) && at.Host != ""
}

// titled writes an address or a title, or both, in parentheses, nothing if there is neither.
func titled(w util.BufWriter, address, title []byte) {
	if text := bytes.TrimSpace(bytes.Join([][]byte{address, title}, []byte(" "))); len(text) > 0 {
		_, _ = w.WriteString(" (")
		escaped(w, text)
		_, _ = w.WriteString(")")
	}
}

func (plainRenderer) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	link := n.(*ast.Link)
	to := link.Destination
	switch web := isWeb(to); {
	case entering && web:
		_, _ = w.WriteString(`<a rel="noreferrer noopener" href="`)
		escaped(w, util.URLEscape(to, true))
		_, _ = w.WriteString(`">`)
		if !n.HasChildren() {
			escaped(w, to)
		}
	case web:
		_, _ = w.WriteString("</a>")
		titled(w, nil, link.Title)
	case !entering:
		titled(w, to, link.Title)
	}
	return ast.WalkContinue, nil
}

// code renders a block of code with the words behind its fence.
func (plainRenderer) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	if info := n.(*ast.FencedCodeBlock).Info; info != nil {
		_, _ = w.WriteString(`<p class="more">`)
		escaped(w, info.Segment.Value(source))
		_, _ = w.WriteString("</p>\n")
	}
	_, _ = w.WriteString("<pre><code>")
	for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		escaped(w, line.Value(source))
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

func (plainRenderer) address(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := n.(*ast.AutoLink)
	label := link.Label(source)
	if to := link.URL(source); link.AutoLinkType == ast.AutoLinkURL && isWeb(to) {
		_, _ = w.WriteString(`<a rel="noreferrer noopener" href="`)
		escaped(w, util.URLEscape(to, false))
		_, _ = w.WriteString(`">`)
		escaped(w, label)
		_, _ = w.WriteString("</a>")
		return ast.WalkContinue, nil
	}
	escaped(w, label)
	return ast.WalkContinue, nil
}

func (plainRenderer) image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("[picture: ")
		return ast.WalkContinue, nil
	}
	titled(w, n.(*ast.Image).Destination, n.(*ast.Image).Title)
	_, _ = w.WriteString("]")
	return ast.WalkContinue, nil
}

// heading renders a heading below those of the page, without an id that could be another
// element's.
func (plainRenderer) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "h" + string(rune('0'+min(6, n.(*ast.Heading).Level+2)))
	if entering {
		tag = "<" + tag + ">"
	} else {
		tag = "</" + tag + ">\n"
	}
	_, err := w.WriteString(tag)
	return ast.WalkContinue, err
}
