package plaintext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// Each byte counts at each place.
func TestIsPlain(t *testing.T) {
	t.Parallel()
	for n := range 20 {
		text := []byte(strings.Repeat("x", n))
		require.True(t, IsPlain(string(text)))
		for at := range text {
			for c := range 256 {
				text[at] = byte(c)
				require.Equal(t, c >= ' ' && c < 0x7f, IsPlain(string(text)), "%q", text)
				require.Equal(t, c < 0x7f, isBetween(text, 0), "%q", text)
			}
			text[at] = 'x'
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "",
		"plain text":                "plain text",
		"ü <é> 日本 \u00a0🎉":          "ü <é> 日本 \u00a0🎉",
		"a\nb\tc\r\nd\u0085e":       "a b c  d e",
		"a\u2028b\u2029c":           "a b c",
		"\x1b[31mred\x00\x7f\u009b": "^[[31mred^@^?<U+009B>",
		"a\u202eb\u2066c\u061c":     "a<U+202E>b<U+2066>c<U+061C>",
		"a\u200bb\u200cc\u200dd":    "a<U+200B>b<U+200C>c<U+200D>d",
		"\ufeff\u00ad\u2060\u034f":  "<U+FEFF><U+00AD><U+2060><U+034F>",
		"a\ufe0fb\ufe00\U000e0101":  "a<U+FE0F>b<U+FE00><U+E0101>",
		"\U000e0041\u3164\u115f":    "<U+E0041><U+3164><U+115F>",
		"1\ufe0f\u20e3":             "1<U+FE0F>\u20e3",
		"a\xffb":                    "a\ufffdb",

		"👩\u200d👩\u200d👧":                "👩\u200d👩\u200d👧",
		"🏳\ufe0f\u200d🌈 ❤\ufe0f ☂\ufe0e": "🏳\ufe0f\u200d🌈 ❤\ufe0f ☂\ufe0e",
		"🧑🏽\u200d💻":                      "🧑🏽\u200d💻",
		"👩\u200d\u200d👩":                 "👩\u200d<U+200D>👩",
		"👩\ufe0f\ufe0f":                  "👩\ufe0f<U+FE0F>",
		"a\ufe0f\u200db":                 "a<U+FE0F><U+200D>b",

		"می\u200cخواهم क्\u200dष":  "می\u200cخواهم क्\u200dष",
		"می\u200c\u200cخ क\u200dष": "می\u200c<U+200C>خ क<U+200D>ष",
	} {
		require.Equal(t, want, Line(text), "%q", text)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a<U+200B>\n\n b c", Lines("a\u200b\n\n\tb\u2028c"))
	require.Equal(t, "a\n", Lines("a\n"))
}

// Programs read the same values, and no character of the text is hidden.
func TestEscapeJSON(t *testing.T) {
	t.Parallel()
	value := "fo\u202eba\u2066r\u200d\u007f\u0085\x1b[2K\U000e0041\ufe0f\u2028 ü <é> 日本 🎉" + strings.Repeat("x", 10)
	text, err := json.Marshal(value)
	require.NoError(t, err)
	escaped := EscapeJSON(text)
	for _, r := range string(escaped) {
		require.False(t, unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Variation_Selector), "%U", r)
	}
	var read string
	require.NoError(t, json.Unmarshal(escaped, &read))
	require.Equal(t, value, read)
}
