package e2e

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// attributes is a change of the attributes of what a terminal shows.
var attributes = regexp.MustCompile("\x1b\\[([0-9;:]*)m")

// palette are the first sixteen colours, on a dark ground.
var palette = []string{"#1d1f21", "#f2777a", "#99cc99", "#ffcc66", "#6ea8fe", "#cc99cc", "#66cccc", "#d3d0c8",
	"#8a8f98", "#ff9da0", "#b5e0b5", "#ffe08a", "#9ac3ff", "#e0b8e0", "#9be0e0", "#ffffff"}

// A pen is how a terminal shows text.
type pen struct {
	color                string
	bold, faint, reverse bool
}

// apply changes the pen as the numbers of a sequence say.
func (p *pen) apply(numbers string) {
	list := strings.FieldsFunc(numbers, func(r rune) bool { return r == ';' || r == ':' })
	if len(list) == 0 {
		list = []string{"0"}
	}
	for i := 0; i < len(list); i++ {
		switch n, _ := strconv.Atoi(list[i]); {
		case n == 0:
			*p = pen{}
		case n == 1:
			p.bold = true
		case n == 2:
			p.faint = true
		case n == 7:
			p.reverse = true
		case n == 22:
			p.bold, p.faint = false, false
		case n == 27:
			p.reverse = false
		case n >= 30 && n <= 37:
			p.color = palette[n-30]
		case n >= 90 && n <= 97:
			p.color = palette[n-82]
		case n == 39:
			p.color = ""
		case n == 38 && i+2 < len(list) && list[i+1] == "5":
			if at, _ := strconv.Atoi(list[i+2]); at < len(palette) {
				p.color = palette[at]
			}
			i += 2
		case n == 38 || n == 48:
			i = len(list)
		}
	}
}

// drawScreen draws what tmux captured of a screen with its attributes, as SVG.
func drawScreen(captured string) string {
	const wide, high, edge = 8.4, 18, 12
	lines := strings.Split(strings.TrimRight(captured, "\n"), "\n")
	columns := 0
	var body strings.Builder
	var now pen
	for row, line := range lines {
		column, last := 0, 0
		draw := func(text string) {
			cells := utf8.RuneCountInString(text)
			x, y := edge+float64(column)*wide, edge+row*high
			fill, weight := now.color, ""
			if fill == "" {
				fill = palette[7]
			}
			if now.faint {
				fill = palette[8]
			}
			if now.reverse {
				fmt.Fprintf(&body, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, float64(cells)*wide, high, fill)
				fill = palette[0]
			}
			if now.bold {
				weight = ` font-weight="bold"`
			}
			if strings.TrimSpace(text) != "" {
				fmt.Fprintf(&body, `<text x="%.1f" y="%d" fill="%s"%s textLength="%.1f">%s</text>`+"\n", x, y+13, fill, weight, float64(cells)*wide, html.EscapeString(strings.ReplaceAll(text, " ", "\u00a0"))) // others would be drawn as one
			}
			column += cells
		}
		for _, at := range attributes.FindAllStringSubmatchIndex(line, -1) {
			draw(line[last:at[0]])
			now.apply(line[at[2]:at[3]])
			last = at[1]
		}
		draw(line[last:])
		columns = max(columns, column)
	}
	width, height := float64(columns)*wide+2*edge, len(lines)*high+2*edge
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<rect width="100%%" height="100%%" rx="6" fill="%s"/>
%s</svg>
`, width, height, width, height, palette[0], body.String())
}

func TestDrawScreen(t *testing.T) {
	t.Parallel()
	drawn := drawScreen("a \x1b[1;33m<b>\x1b[0m c\n\x1b[7mx\x1b[27my\n")
	require.Contains(t, drawn, `font-weight="bold" textLength="25.2">&lt;b&gt;</text>`)
	require.Contains(t, drawn, palette[3])
	require.Contains(t, drawn, `<rect x="12.0" y="30" width="8.4" height="18" fill="#d3d0c8"/>`)
	require.NotContains(t, drawn, "\x1b")
}
