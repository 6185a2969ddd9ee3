package web

import (
	"io/fs"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/drawing"
)

var (
	variable = regexp.MustCompile(`(--[a-z-]+):\s*(#[0-9a-f]{6});`)
	darkRule = regexp.MustCompile(`(?s)@media \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}`)
	rootRule = regexp.MustCompile(`(?s):root \{(.*?)\}`)
	comment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	colour   = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch|lab|color)\(|[:\s](?:white|black|red|green|blue|gray|grey|orange|yellow)[;\s]`)
)

// sheets returns the text of the style sheets, without comments.
func sheets(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{drawingSheet: comment.ReplaceAllString(drawing.Styles, "")}
	names, err := fs.Glob(files, "static/*.css")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		list[path.Base(name)] = comment.ReplaceAllString(string(text), "")
	}
	return list
}

// Every text can be read on everything that may be behind it, light and dark: the contrast
// that WCAG 2.2 asks for (AA, 1.4.3) is computed from the sheet. Colours stand in its
// variables alone, so that none escapes.
func TestContrast(t *testing.T) {
	t.Parallel()
	all := sheets(t)
	text := all["style.css"]
	dark := darkRule.FindString(text)
	require.NotEmpty(t, dark)
	light := rootRule.FindString(strings.Replace(text, dark, "", 1))
	for name, scheme := range map[string]string{"light": light, "dark": dark} {
		inks, papers := map[string]float64{}, map[string]float64{}
		for _, m := range variable.FindAllStringSubmatch(scheme, -1) {
			switch {
			case strings.HasPrefix(m[1], "--ink"):
				inks[m[1]] = luminance(t, m[2])
			case strings.HasPrefix(m[1], "--paper"):
				papers[m[1]] = luminance(t, m[2])
			}
		}
		require.Greater(t, len(inks), 4)
		require.Greater(t, len(papers), 3)
		for ink, a := range inks {
			for paper, b := range papers {
				require.GreaterOrEqual(t, (max(a, b)+0.05)/(min(a, b)+0.05), 4.5, "%s: %s on %s", name, ink, paper)
			}
		}
	}
	checkDrawings(t, all[drawingSheet])
	delete(all, drawingSheet)
	for name, sheet := range all {
		rest := sheet
		if name == "style.css" {
			rest = strings.Replace(strings.Replace(sheet, dark, "", 1), light, "", 1)
		}
		require.Empty(t, colour.FindAllString(rest, -1), "%s: a colour is a variable", name)
		for _, m := range regexp.MustCompile(`[;{\s](?:color|fill):\s*var\((--[a-z-]+)\)`).FindAllStringSubmatch(rest, -1) {
			require.True(t, strings.HasPrefix(m[1], "--ink") || strings.HasPrefix(m[1], "--paper") || strings.HasPrefix(m[1], "--line"), "%s: %s", name, m[1])
		}
		for _, m := range regexp.MustCompile(`[;{\s]color:\s*var\((--[a-z-]+)\)`).FindAllStringSubmatch(rest, -1) {
			require.True(t, strings.HasPrefix(m[1], "--ink"), "%s: text in %s", name, m[1])
		}
	}
}

// checkDrawings computes the contrasts of drawings, whose sheet also stands in files of
// their own and has no variables: each text on each area.
func checkDrawings(t *testing.T, sheet string) {
	t.Helper()
	light, dark, found := strings.Cut(sheet, "@media (prefers-color-scheme: dark)")
	require.True(t, found)
	for name, scheme := range map[string]string{"light": light, "dark": dark} {
		texts, areas := map[string]float64{}, map[string]float64{}
		for _, m := range regexp.MustCompile(`([^{}]+)\{[^}]*?fill: (#[0-9a-f]{6})`).FindAllStringSubmatch(scheme, -1) {
			switch selector := strings.TrimSpace(m[1]); {
			case strings.Contains(selector, "text") || strings.Contains(selector, ".quiet"):
				texts[selector] = luminance(t, m[2])
			case !strings.Contains(selector, ".arrow"):
				areas[selector] = luminance(t, m[2])
			}
		}
		require.Len(t, texts, 2)
		require.Greater(t, len(areas), 8)
		for text, a := range texts {
			for area, b := range areas {
				require.GreaterOrEqual(t, (max(a, b)+0.05)/(min(a, b)+0.05), 4.5, "%s: %s on %s", name, text, area)
			}
		}
	}
}

// luminance is the relative luminance of a colour (WCAG 2.2).
func luminance(t *testing.T, text string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(text[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// The script is one small file, and no page has more.
func TestScriptIsSmall(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(files, "static/*.js")
	require.NoError(t, err)
	require.Equal(t, []string{"static/live.js"}, names)
	text, err := fs.ReadFile(files, names[0])
	require.NoError(t, err)
	require.Less(t, len(text), 10<<10)
	templates, err := fs.Glob(files, "templates/*.html")
	require.NoError(t, err)
	for _, name := range templates {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		require.NotRegexp(t, `<style|\sstyle=|\son[a-z]+=|<script(?: src="[^"]*" defer)?>[^<]|https?://`, string(text), name)
	}
}
