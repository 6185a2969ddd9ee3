package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A person sees each word of a text that an agent reads in the file.
func TestMarkdownHidesNothing(t *testing.T) {
	t.Parallel()
	text := `Seen0

[//]: # (Seen1)
[a]: http://example.org/Seen2 "Seen3"
[a]: http://example.org/Seen4 'Seen5'

[click](http://example.org/ "Seen6") [](http://example.org/Seen7) [file](other.md "Seen8") ![p](p.png "Seen9")

` + "```go Seen10 <b>\nSeen11\n```\n\n    Seen12\n"
	html, err := renderMarkdown(text)
	require.NoError(t, err)
	shown := ""
	for i, part := range strings.Split(string(html), "<") { // what is not in a tag
		if _, after, found := strings.Cut(part, ">"); found || i > 0 {
			part = after
		}
		shown += part
	}
	for _, word := range strings.Fields(strings.NewReplacer(`"`, " ", "'", " ", "(", " ", ")", " ", "/", " ", "\n", " ").Replace(text)) {
		if strings.HasPrefix(word, "Seen") {
			require.Contains(t, shown, word, string(html))
		}
	}
	require.Contains(t, shown, "&lt;b&gt;")
}

// A text that is too long to be read as Markdown is shown as it stands.
func TestLongMarkdown(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("> - <b>", mostMarkdown/7+1)
	html, err := renderMarkdown(text)
	require.NoError(t, err)
	require.Equal(t, `<pre class="output" tabindex="0">`+strings.Repeat("&gt; - &lt;b&gt;", mostMarkdown/7+1)+"</pre>", string(html))
}
