package document

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The documents of these tests have every kind of field there is.
type (
	yamlID    string
	yamlColor int

	yamlFinding struct {
		File string `yaml:"file"`
		Line int    `yaml:"line"`
		Why  string `yaml:"why"`
	}
	yamlHeader struct {
		Kept int       `yaml:"kept,keep"`
		At   time.Time `yaml:"at"`
	}
	yamlThing struct {
		ID       yamlID            `yaml:"id"`
		Title    string            `yaml:"title,omitempty"`
		Color    yamlColor         `yaml:"color"`
		Priority int               `yaml:"priority"`
		Size     uint8             `yaml:"size"`
		Done     bool              `yaml:"done"`
		Secret   string            `yaml:"-"`
		Header   yamlHeader        `yaml:",inline"`
		Owns     []string          `yaml:"owns"`
		Findings []yamlFinding     `yaml:"findings"`
		Best     *yamlFinding      `yaml:"best"`
		Worst    yamlFinding       `yaml:"worst"`
		Limit    *int              `yaml:"limit"`
		Details  map[string]string `yaml:"details"`
		Counts   map[yamlID]int    `yaml:"counts"`
		Children []*yamlThing      `yaml:"children"`
		Cache    func()            `yaml:"-"`
	}
)

func (id *yamlID) UnmarshalText(text []byte) error {
	if strings.ContainsAny(string(text), " \n") {
		return fmt.Errorf("%q is not an id", text)
	}
	*id = yamlID(text)
	return nil
}

func (c yamlColor) MarshalText() ([]byte, error) {
	if c != 1 {
		return nil, fmt.Errorf("no color %d", int(c))
	}
	return []byte("RED"), nil
}

func (c *yamlColor) UnmarshalText(text []byte) error {
	if string(text) != "RED" {
		return fmt.Errorf("no color %q", text)
	}
	*c = 1
	return nil
}

// A move has a header, and a detail whose type its act decides.
type yamlMove struct {
	Act    string `yaml:"act"`
	Detail any    `yaml:",inline"`
	Note   string `yaml:"note"`
}

type yamlClaim struct {
	Lease string `yaml:"lease"`
}

func TestInlineDetail(t *testing.T) {
	t.Parallel()
	move := yamlMove{Act: "claim", Detail: &yamlClaim{Lease: "30m"}, Note: "x"}
	data, err := Encode(&move)
	require.NoError(t, err)
	require.Equal(t, "act: claim\nlease: 30m\nnote: x\n", string(data))

	doc, err := Parse("move", data, 4<<20)
	require.NoError(t, err)
	var header yamlMove
	require.EqualError(t, doc.Decode(&header), `move:2: unknown key "lease"`)
	header = yamlMove{}
	require.NoError(t, doc.DecodeLoose(&header))
	require.Equal(t, yamlMove{Act: "claim", Note: "x"}, header)

	header.Detail = &yamlClaim{}
	require.NoError(t, doc.decodeCanonical(&header))
	require.Equal(t, move, header)

	header = yamlMove{Detail: (*yamlClaim)(nil)}
	require.NoError(t, DecodeLoose("move", data, &header))
	require.Equal(t, "claim", header.Act)
}

func oddText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{
				" ", "  ", "\n", "\n\n", "\t", "#", " #", ": ", ":", "- ", "-", "---", "...", "---\n", "\n...\n", "%YAML 1.1", "? ", "| ", "> ",
				"!", "&a", "*a", "<<", "=", "~", "null", "yes", "n", "'", "\"", "\\", "\\n", "[", "]", "{", "}", ",", "`", "@", "0x", "1e", "5", ".", "_",
				"\u0085", "\u00a0", "\u2028", "\u2029", "\ufeff", "\ufffd", "\ufffe", "\U0001F600", "é", "\u202e", "\r", "\r\n", "\x00", "\x1b", "\x7f",
				strings.Repeat("long ", 40),
			}),
			rapid.StringMatching(`[a-z0-9./_-]{1,8}`),
			rapid.StringN(0, 5, -1),
		), 0, 8).Draw(t, "parts")
		return strings.Join(parts, "")
	})
}

func oddFinding() *rapid.Generator[yamlFinding] {
	return rapid.Custom(func(t *rapid.T) yamlFinding {
		return yamlFinding{File: oddText().Draw(t, "file"), Line: rapid.Int().Draw(t, "line"), Why: oddText().Draw(t, "why")}
	})
}

func oddThing() *rapid.Generator[yamlThing] {
	return rapid.Custom(func(t *rapid.T) yamlThing {
		v := yamlThing{
			ID:       yamlID(rapid.StringMatching(`[0-9a-fxe._-]{0,9}`).Draw(t, "id")),
			Title:    oddText().Draw(t, "title"),
			Color:    yamlColor(rapid.IntRange(0, 1).Draw(t, "color")),
			Size:     rapid.Uint8().Draw(t, "size"),
			Done:     rapid.Bool().Draw(t, "done"),
			Header:   yamlHeader{At: time.Unix(rapid.Int64Range(0, math.MaxUint32).Draw(t, "at"), 0).UTC()},
			Owns:     rapid.SliceOfN(oddText(), 0, 3).Draw(t, "owns"),
			Findings: rapid.SliceOfN(oddFinding(), 0, 2).Draw(t, "findings"),
			Best:     rapid.Ptr(oddFinding(), true).Draw(t, "best"),
			Worst:    oddFinding().Draw(t, "worst"),
			Limit:    rapid.Ptr(rapid.Int(), true).Draw(t, "limit"),
			Details:  rapid.MapOfN(oddText(), oddText(), 0, 3).Draw(t, "details"),
			Children: []*yamlThing{{Title: oddText().Draw(t, "child")}},
		}
		if len(v.Owns) == 0 {
			v.Owns = nil
		}
		if len(v.Findings) == 0 {
			v.Findings = nil
		}
		if len(v.Details) == 0 {
			v.Details = nil
		}
		return v
	})
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := oddThing().Draw(t, "thing")
		data, err := Encode(&v)
		require.NoError(t, err)
		doc, err := Parse("x", data, MaxSize)
		require.NoError(t, err, "%s", data)
		var back yamlThing
		require.NoError(t, doc.decodeCanonical(&back), "%s", data)
		require.Equal(t, v, back)
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("id: a\ntitle: |\n  b\n   c\nowns: [d, 'e', \"\\u2028\"]\n"))
	f.Add([]byte("? id\n: - x\n# y\n--- !!map {a: &b c, <<: *b}\n...\n"))
	f.Add([]byte("at: 2026-01-17T14:06:00Z\nlimit: 0\nbest: {}\ncounts: {a: 1}\nchildren:\n- kept: 2\n  worst: {line: 0}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v, back yamlThing
		if Decode("x", data, &v) != nil {
			return
		}
		first, err := Encode(&v)
		require.NoError(t, err)
		doc, err := Parse("x", first, 8*MaxSize)
		require.NoError(t, err, "%s", first)
		require.NoError(t, doc.decodeCanonical(&back), "%s", first)
		second, err := Encode(&back)
		require.NoError(t, err)
		require.True(t, bytes.Equal(first, second))
		require.Equal(t, v, back)
	})
}

// decodeCanonical fills v as [Parsed.Decode] does, and refuses bytes other than
// those that [Encode] writes for it, naming the first line that differs.
func (d Parsed) decodeCanonical(v any) error {
	if err := d.Decode(v); err != nil {
		return err
	}
	want, err := Encode(v)
	if err != nil {
		return d.errorAt(1, err.Error())
	}
	if bytes.Equal(want, d.data) {
		return nil
	}
	same := 0
	for same < len(want) && same < len(d.data) && want[same] == d.data[same] {
		same++
	}
	return d.errorAt(1+bytes.Count(d.data[:same], []byte("\n")), "the document is not in canonical form")
}
