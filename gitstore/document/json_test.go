package document

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// JSON is read as the same values in YAML are; numbers and words stay apart from texts.
func TestParseJSON(t *testing.T) {
	t.Parallel()
	const text = "{\n  \"id\": \"a\", \"priority\": 3, \"done\": true,\n  \"owns\": [\n    \"x\",\n    \"y/\\u00e9\\/\\ud83d\\ude00\"],\n  \"best\": null, \"worst\": {\"file\": \"f\"}\n}\n"
	d, err := ParseJSON("x", []byte("\ufeff"+text), MaxSize)
	require.NoError(t, err)
	var v yamlThing
	require.NoError(t, d.Decode(&v))
	require.Equal(t, yamlThing{ID: "a", Priority: 3, Done: true, Owns: []string{"x", "y/é/😀"}, Worst: yamlFinding{File: "f"}}, v)
	require.Equal(t, 2, d.Root().Key("done").Line())
	require.Equal(t, 5, d.Root().Key("owns").Entries()[1].Line())
	require.Zero(t, d.Root().Key("best").Line())

	rapid.Check(t, func(t *rapid.T) {
		v := rapid.MapOf(oddText(), rapid.SliceOf(oddText())).Draw(t, "value")
		data, err := json.MarshalIndent(map[string]any{"lists": []any{v}}, "", " ")
		require.NoError(t, err)
		if (Parsed{data: data}).checkBytes(MaxSize) != nil {
			return
		}
		d, err := ParseJSON("x", data, MaxSize)
		require.NoError(t, err)
		entry := d.Root().Key("lists").Entries()[0]
		require.True(t, entry.IsMapping())
		for key, texts := range v {
			for i, one := range entry.Key(key).Entries() {
				require.Equal(t, texts[i], d.all[one.at].text)
			}
			require.Len(t, entry.Key(key).Entries(), len(texts))
		}
	})
}

func TestParseJSONRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "x:1: the document is empty",
		"{\n\"a\": 1":                      "x:2: the text ends in the middle of a value",
		"{\"a\": 1,\n\"b\": 2,\n\"a\": 3}": "x:3: duplicate key \"a\"",
		"{\"a\": 1}\n{}":                   "x:2: a second document begins",
		"{\"a\": 1}\n?":                    "x:2: invalid character '?' looking for beginning of value",
		"{\"a\":\n1,}":                     "x:2: invalid character '}'",
		"{\"a\": [1,\n null]}":             "x:2: a null; leave it out instead",
		"null":                             "x:1: a null; leave it out instead",
		"{a: 1}":                           "x:1: invalid character 'a'",
		"{1: 1}":                           "x:1: invalid character '1'",
		"[1 2]":                            "x:1: invalid character '2' after array element",
		"[\x01]":                           "x:1: control character U+0001",
		"[\xff]":                           "x:1: the text is not UTF-8",
		strings.Repeat("[", 40):            "x:1: nested deeper than 32",
		strings.Repeat(" ", MaxSize+1):     "x:1: the document is larger than 262144 bytes",
	} {
		_, err := ParseJSON("x", []byte(text), MaxSize)
		require.ErrorContains(t, err, want, "%.40q", text)
		require.IsType(t, &Error{}, err)
	}
}

// The zero Value is nowhere, and so is what it does not have.
func TestValue(t *testing.T) {
	t.Parallel()
	d, err := Parse("x", []byte("a:\n  - b\n  - c: d\n"), MaxSize)
	require.NoError(t, err)
	list := d.Root().Key("a")
	require.True(t, list.IsList() && !list.IsMapping())
	require.Equal(t, 3, list.Entries()[1].Key("c").Line())
	require.Equal(t, Value{}, list.Key("c"))
	require.Equal(t, Value{}, list.Entries()[0].Key("b"))
	require.Nil(t, d.Root().Entries())
	none := new(Parsed).Root()
	require.Zero(t, none.Line())
	require.Nil(t, none.Entries())
	require.Equal(t, Value{}, none.Key("a"))
}

// Values are told as JSON has them, whatever form the text has; what is not written as a
// number of JSON is a text.
func TestValueJSON(t *testing.T) {
	t.Parallel()
	type kept struct {
		Name  string `yaml:"name"`
		Value Value  `yaml:"value"`
	}
	for text, want := range map[string]any{
		"1": 1.0, "-2.5e3": -2500.0, "1.0": 1.0, "0": 0.0, "true": true, "'true'": "true", "yes": "yes", "007": "007", "0x10": "0x10", "1_000": "1_000",
		"1e999": "1e999", ".inf": ".inf", "2026-01-31": "2026-01-31", "'1'": "1", "[a, [1, false]]": []any{"a", []any{1.0, false}}, "{a: {b: []}}": map[string]any{"a": map[string]any{"b": []any{}}},
	} {
		var v kept
		require.NoError(t, Decode("x", []byte("name: n\nvalue: "+text+"\n"), &v), text)
		require.Equal(t, want, v.Value.JSON(), text)
	}
	require.Nil(t, Value{}.JSON())
	var v kept
	require.NoError(t, Decode("x", []byte("value:\n  a: 1\n  b:\n    - x\n"), &v))
	members := v.Value.Members()
	require.Len(t, members, 2)
	require.Equal(t, "b", members[1].Key)
	require.Equal(t, 3, members[1].Line)
	_, ok := members[1].Value.Text()
	require.False(t, ok)
	text, ok := members[0].Value.Text()
	require.True(t, ok)
	require.Equal(t, "1", text)
	_, err := Encode(&v)
	require.ErrorContains(t, err, "has no place in a document")
}
