package document

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

// asLibrary writes a document as the library does, whose form ours is.
func (ns nodes) asLibrary(t require.TestingT) string {
	styles := map[textStyle]yaml.Style{quotedStyle: yaml.DoubleQuotedStyle, literalStyle: yaml.LiteralStyle}
	kinds := map[nodeKind]yaml.Kind{scalarNode: yaml.ScalarNode, sequenceNode: yaml.SequenceNode, mappingNode: yaml.MappingNode}
	var build func(at int) *yaml.Node
	build = func(at int) *yaml.Node {
		n := &yaml.Node{Kind: kinds[ns[at].kind], Value: ns[at].text, Style: styles[ns[at].style]}
		for _, child := range ns.children(at) {
			n.Content = append(n.Content, build(child))
		}
		return n
	}
	var out bytes.Buffer
	emitter := yaml.NewEncoder(&out)
	emitter.SetIndent(2)
	require.NoError(t, emitter.Encode(build(0)))
	require.NoError(t, emitter.Close())
	return out.String()
}

// A yamlDeep nests in all the ways that types can.
type yamlDeep struct {
	Lists [][]string                   `yaml:"lists"`
	Kept  [][]string                   `yaml:"kept,keep"`
	Maps  map[string]map[string]string `yaml:"maps"`
	Texts map[string][]string          `yaml:"texts"`
	Finds map[string]*yamlFinding      `yaml:"finds"`
	Rows  []map[string]string          `yaml:"rows"`
	Thing *yamlThing                   `yaml:"thing"`
}

func oddDeep() *rapid.Generator[yamlDeep] {
	return rapid.Custom(func(t *rapid.T) yamlDeep {
		texts := rapid.SliceOfN(oddText(), 0, 3)
		return yamlDeep{
			Lists: rapid.SliceOfN(texts, 0, 3).Draw(t, "lists"),
			Maps:  rapid.MapOfN(oddText(), rapid.MapOfN(oddText(), oddText(), 0, 2), 0, 2).Draw(t, "maps"),
			Texts: rapid.MapOfN(oddText(), texts, 0, 2).Draw(t, "texts"),
			Finds: rapid.MapOfN(oddText(), rapid.Ptr(oddFinding(), false), 0, 2).Draw(t, "finds"),
			Rows:  rapid.SliceOfN(rapid.MapOfN(oddText(), oddText(), 0, 2), 0, 2).Draw(t, "rows"),
			Thing: rapid.Ptr(oddThing(), true).Draw(t, "thing"),
		}
	})
}

// Our writer writes what the library writes, and our reader reads as the library
// does.
func TestOurFormIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := oddDeep().Draw(t, "deep")
		var ns encoder
		require.NoError(t, ns.encodeDocument(&v))
		data, err := Encode(&v)
		require.NoError(t, err)
		require.Equal(t, ns.asLibrary(t), string(data))
		r := readCanonical(string(data))
		require.False(t, r.bad, "line %d of\n%s", r.line, data)
		requireSame(t, data, r.all)
	})
}

// requireSame holds what our reader made of a text against what the library
// makes of it.
func requireSame(t require.TestingT, data []byte, got nodes) {
	d := Parsed{name: "x", data: data}
	want, err := d.readForeign()
	require.NoError(t, err, "%q", data)
	require.Len(t, got, len(want), "%q", data)
	for i := range want {
		got[i].style = min(got[i].style, quotedStyle)
		require.Equal(t, want[i], got[i], "%q", data)
	}
}

// canonicalSeeds are documents that a change of some bytes makes interesting.
var canonicalSeeds = []string{
	"{}\n", "[]\n", "a: b\n", "- a\n- b\n", "a:\n  - b\n  - c: d\n    e: f\n", "a: |-\n  b\n\n   c\nd: |\n  x\ny: 7\n",
	"? \"a\\nb\"\n: - x\n  - |-\n    y\n    z\n", "a: \"\\x41\\u0041\\U0001F600 é \\\\ \\\" \\0\"\n", "at: 2026-01-17T14:06:00Z\nn: -3\ne: []\nm: {}\n",
	"- - - a\n    - b\n  - []\n- c: {}\n", "a b: c d\n", "a:\n  ? k\n  : v\n",
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range canonicalSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkCanonical(t, data) })
}

// checkCanonical: what our reader accepts, the library reads the same.
func checkCanonical(t require.TestingT, data []byte) bool {
	if (Parsed{data: data}).checkBytes(MaxSize) != nil {
		return false
	}
	r := readCanonical(string(data))
	if r.bad {
		return false
	}
	requireSame(t, data, r.all)
	return true
}

// A seed with a few bytes changed is a document that is nearly ours.
func TestNearlyCanonical(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	bits := []string{" ", "  ", "\n", "-", "- ", ":", ": ", "?", "? ", "|", "|-", "\"", "\\", "#", "a", "7", "...", "---", "null", "~", "{", "}", "[", "]", ",", "&a", "*a", "!", "\t", "'", ">", "%", "@", "\r", "\u0085", "\u2028", "\ufeff", "é"}
	read := 0
	for range 20000 {
		text := canonicalSeeds[random.IntN(len(canonicalSeeds))] + canonicalSeeds[random.IntN(len(canonicalSeeds))]
		for range 1 + random.IntN(2) {
			at, end := random.IntN(len(text)), 0
			end = min(len(text), at+random.IntN(3))
			text = text[:at] + bits[random.IntN(len(bits))] + text[end:]
		}
		if checkCanonical(t, []byte(text)) {
			read++
		}
	}
	require.Greater(t, read, 500)
}

// Bytes that are not ours are read by nobody where there are too many of them.
func TestForeignFormIsForSmallDocuments(t *testing.T) {
	t.Parallel()
	big := "a: b # c\n" + strings.Repeat("x", MaxSize) + ": d\n"
	_, err := ParseWithin("move", []byte(big), 4<<20, MaxSize)
	require.EqualError(t, err, "move:1: the document is not in canonical form")
	_, err = Parse("plan", []byte("a: b # c\n"+strings.Repeat("y: z # w\n", 1)), 4<<20)
	require.NoError(t, err)
	_, err = ParseWithin("move", []byte(strings.Repeat("- a\n", MaxNodes)), 4<<20, MaxSize)
	require.EqualError(t, err, "move:300000: the document holds more than 300000 values")
}

// A text of some megabytes in another form costs no more than its size: with too many
// values it is refused before the library reads it, or after it.
func TestForeignFormHasFewValues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		line int
	}{
		"a list in brackets":   {"[" + strings.Repeat("a,", 2<<20-2) + "]", 1},
		"a mapping in braces":  {"{" + strings.Repeat("a: b,", 800_000) + "}", 1},
		"a list in lines":      {"# x\n" + strings.Repeat("-\ta\n", MaxNodes+1), MaxNodes + 2},
		"keys without a value": {strings.Repeat("k:\r\n", MaxNodes+1), MaxNodes + 1},
		"two keys a line":      {"# x\n" + strings.Repeat("- a: b\n", 110_000), 100_001},
	} {
		_, err := Parse("plan", []byte(test.text), 4<<20)
		require.EqualError(t, err, fmt.Sprintf("plan:%d: the document holds more than 300000 values", test.line), name)
	}
	_, err := Parse("plan", []byte("# x\na: |\n"+strings.Repeat("  long words, as they are: - and so on\n", 90_000)), 4<<20)
	require.NoError(t, err, "marks within a text are rarer")
}
