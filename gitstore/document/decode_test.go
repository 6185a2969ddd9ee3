package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecodeByHand(t *testing.T) {
	t.Parallel()
	data := "\ufeff---\r\n# a comment\r\ntitle: 0x10 # another\r\nid: '007'\r\n" +
		"owns: [yes, 1e5, 2026-01-17, \"null\", hi! there]\r\nchildren: []\r\ncounts: {}\r\n" +
		"worst:\r\n    why: >\r\n        folded\r\n        text!\r\n? done\r\n: true\r\n...\r\n"
	v := yamlThing{Children: []*yamlThing{{}}}
	require.NoError(t, Decode("x", []byte(data), &v))
	require.Equal(t, yamlThing{
		ID: "007", Title: "0x10", Done: true,
		Owns:  []string{"yes", "1e5", "2026-01-17", "null", "hi! there"},
		Worst: yamlFinding{Why: "folded text!\n"},
	}, v)
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ data, want string }{
		"unknown key":        {"id: a\n\ntitel: b\n", `doc:3: unknown key "titel"`},
		"unknown deep key":   {"findings:\n  - file: a\n    lime: 1\n", `doc:3: unknown key "lime"`},
		"left out":           {"Secret: a\n", `doc:1: unknown key "Secret"`},
		"merge key":          {"id: a\n<<: {title: b}\n", `doc:2: unknown key "<<"`},
		"duplicate key":      {"id: a\ntitle: b\n\"id\": c\n", `doc:3: duplicate key "id"`},
		"duplicate map key":  {"details: {a: b, a: c}\n", `doc:1: duplicate key "a"`},
		"key not text":       {"[a]: b\n", "doc:1: a key must be plain text"},
		"anchor":             {"id: a\ntitle: &x b\n", "doc:2: anchors are not allowed"},
		"anchored key":       {"&x id: a\n", "doc:1: anchors are not allowed"},
		"alias":              {"id: a\nowns: [*x]\n", "doc:2: aliases are not allowed"},
		"tag":                {"id: a\ntitle: !!str 3\n", "doc:2: tags are not allowed"},
		"own tag":            {"id: a\nowns: !x [b]\n", "doc:2: tags are not allowed"},
		"lone tag":           {"id: a\r\ntitle: \"\u2028\"\nowns: [é, ! b]\n", "doc:4: tags are not allowed"},
		"lone tag above":     {"! {id: a}\n", "doc:1: tags are not allowed"},
		"two documents":      {"id: a\n---\nid: b\n", "doc:2: a second document begins"},
		"empty second":       {"id: a\n---\n", "doc:2: a second document begins"},
		"empty":              {"", "doc:1: the document is empty"},
		"only a comment":     {"# nothing\n", "doc:1: the document is empty"},
		"null":               {"id: a\ntitle:\n", "doc:2: a null; leave the key out instead"},
		"tilde":              {"id: a\nowns: [b, ~]\n", "doc:2: a null; leave the key out instead"},
		"null document":      {"null\n", "doc:1: a null; leave the key out instead"},
		"not a mapping":      {"- a\n", "doc:1: want a mapping, got a list"},
		"text document":      {"a\n", `doc:1: want a mapping, got "a"`},
		"list for text":      {"id: a\ntitle: [b]\n", "doc:2: want a single value, got a list"},
		"text for list":      {"id: a\nowns: b\n", `doc:2: want a list, got "b"`},
		"mapping for list":   {"id: a\nowns: {b: c}\n", "doc:2: want a list, got a mapping"},
		"list for mapping":   {"id: a\ncounts: [b]\n", "doc:2: want a mapping, got a list"},
		"quoted number":      {"id: a\npriority: \"3\"\n", `doc:2: want a whole number, got the text "3"`},
		"hexadecimal":        {"priority: 0x1\n", `doc:1: want a whole number, got "0x1"`},
		"leading zero":       {"priority: 01\n", `doc:1: want a whole number, got "01"`},
		"minus zero":         {"priority: -0\n", `doc:1: want a whole number, got "-0"`},
		"number too large":   {"size: 256\n", `doc:1: want a whole number from 0, got "256"`},
		"negative":           {"size: -1\n", `doc:1: want a whole number from 0, got "-1"`},
		"word for bool":      {"done: yes\n", `doc:1: want true or false, got "yes"`},
		"capital bool":       {"done: True\n", `doc:1: want true or false, got "True"`},
		"quoted bool":        {"done: 'true'\n", `doc:1: want true or false, got the text "true"`},
		"time with zone":     {"at: 2026-01-17T14:06:00+01:00\n", `doc:1: want a time such as 2026-01-17T14:06:00Z, got "2026-01-17T14:06:00+01:00"`},
		"time with fraction": {"at: 2026-01-17T14:06:00.5Z\n", `doc:1: want a time such as 2026-01-17T14:06:00Z, got "2026-01-17T14:06:00.5Z"`},
		"quoted time":        {"at: \"2026-01-17T14:06:00Z\"\n", `doc:1: want a time such as 2026-01-17T14:06:00Z, got the text "2026-01-17T14:06:00Z"`},
		"UnmarshalText":      {"title: a\ncolor: blue\n", `doc:2: no color "blue"`},
		"map key":            {"title: a\ncounts:\n  a b: 1\n", `doc:3: "a b" is not an id`},
		"long value":         {"owns: " + strings.Repeat("x", 99) + "\n", `doc:1: want a list, got "` + strings.Repeat("x", 40) + `"…`},
		"not UTF-8":          {"id: a\ntitle: \"\ufffd\"\nowns: [\xff]\n", "doc:3: the text is not UTF-8"},
		"UTF-16":             {"\xff\xfei\x00d\x00:\x00", "doc:1: the text is not UTF-8"},
		"control character":  {"id: a\ntitle: \x1b[1m\n", "doc:2: control character U+001B"},
		"delete":             {"id: a\ntitle: \x7f\n", "doc:2: control character U+007F"},
		"tag after a mark":   {"\ufeff! {id: a}\n", "doc:1: tags are not allowed"},
		"open quote":         {"id: a\ntitle: \"b\nowns: c\n", "doc:2: found unexpected end of stream"},
		"open bracket":       {"id: a\nowns: [b\n", "doc:2: did not find expected ',' or ']'"},
		"bad indent":         {"id: a\ntitle: b\n   owns: c\n", "doc:3: mapping values are not allowed in this context"},
		"list in mapping":    {"id: a\n- b\n", "doc:2: did not find expected key"},
		"tab":                {"id: a\nworst:\n\tfile: b\n", "doc:3: found character that cannot start any token"},
		"deep":               {"owns: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\n", "doc:1: nested deeper than 32"},
		"large":              {"id: a\n#" + strings.Repeat("x", MaxSize), "doc:2: the document is larger than 262144 bytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var v yamlThing
			err := Decode("doc", []byte(tt.data), &v)
			require.EqualError(t, err, tt.want)
			require.IsType(t, &Error{}, err)
			if !strings.Contains(tt.want, "unknown key") && !strings.Contains(tt.want, "want") {
				require.Error(t, DecodeLoose("doc", []byte(tt.data), &v))
			}
		})
	}
	var text string
	require.ErrorContains(t, Decode("doc", []byte("a\n"), &text), "not a pointer to a struct or slice")
	require.ErrorContains(t, Decode("doc", []byte("a: b\n"), yamlThing{}), "not a pointer")
	require.ErrorContains(t, Decode("doc", []byte("a: b\n"), &struct{ A string }{}), "does not say how to write it")
}

func TestDecodeLoose(t *testing.T) {
	t.Parallel()
	var v yamlFinding
	require.NoError(t, DecodeLoose("doc", []byte("new: {thing: [1]}\nwhy: b\n"), &v))
	require.Equal(t, yamlFinding{Why: "b"}, v)
	require.EqualError(t, DecodeLoose("doc", []byte("why: b\nnew: [&a 1]\n"), &v), "doc:2: anchors are not allowed")
	require.EqualError(t, DecodeLoose("doc", []byte("why: b\nline: x\n"), &v), `doc:2: want a whole number, got "x"`)
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		"file: a\nline: 3\n":               "",
		"file: a\nline: 3":                 "x:2: the document is not in canonical form",
		"line: 3\nfile: a\n":               "x:1: the document is not in canonical form",
		"file: a\nline: 3\nwhy: \"b\"\n":   "x:3: the document is not in canonical form",
		"file: a\nline: 0\n":               "x:2: the document is not in canonical form",
		"file: a\n# hello\n":               "x:2: the document is not in canonical form",
		"\ufefffile: a\n":                  "x:1: the document is not in canonical form",
		"file: a\r\nline: 3\r\n":           "x:1: the document is not in canonical form",
		"file: a\nlime: 3\n":               `x:2: unknown key "lime"`,
		"file: a\nwhy: \"b\\nc\"\n":        "x:2: the document is not in canonical form",
		"file: a\nwhy: |-\n  b\n  c\n":     "",
		"file: a\nwhy: |-\n    b\n    c\n": "x:3: the document is not in canonical form",
	} {
		doc, err := Parse("x", []byte(data), MaxSize)
		require.NoError(t, err)
		err = doc.decodeCanonical(&yamlFinding{})
		if want == "" {
			require.NoError(t, err, data)
			continue
		}
		require.EqualError(t, err, want, data)
	}
}

// TestBombs reads what grows without bound, or costs more than its size, in
// other readers. A reader that expands it does not come back.
func TestBombs(t *testing.T) {
	t.Parallel()
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9))
	}
	var keys strings.Builder
	keys.WriteString("details:\n")
	for i := range 20_000 {
		fmt.Fprintf(&keys, "  k%d: v\n", i)
	}
	require.Error(t, Decode("bomb", []byte(laughs.String()), &yamlThing{}))
	var v yamlThing
	require.NoError(t, Decode("keys", []byte(keys.String()), &v))
	require.Len(t, v.Details, 20_000)
	for _, part := range []string{"[", "{", "- ", "? ", "{a: ", "!x ", "&a ", "*", "#\n", "\n", "a: |\n", "\"", "- #\n", ",", "a: b: "} {
		data := strings.Repeat(part, MaxSize/len(part))
		require.Error(t, Decode("bomb", []byte(data), &yamlThing{}), part)
	}
}
