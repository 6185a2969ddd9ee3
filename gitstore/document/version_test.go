package document

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type versioned struct {
	Name  string `yaml:"name"`
	New   string `yaml:"new,since=2"`
	Count int    `yaml:"count,keep,since=2"`
	Inner struct {
		Deep []string `yaml:"deep,since=3"`
	} `yaml:"inner"`
}

// Each version has its own fields: a value in another one is an error, on
// writing and reading.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version    int
		value      versioned
		text, want string
	}{
		{1, versioned{Name: "a"}, "name: a\n", ""},
		{2, versioned{Name: "a", New: "b"}, "name: a\nnew: b\ncount: 0\n", ""},
		{1, versioned{New: "b"}, "new: b\n", `the key "new" exists since format 2, not in 1`},
		{1, versioned{Count: 3}, "count: 3\n", `the key "count" exists since format 2, not in 1`},
		{EveryVersion, versioned{New: "b", Count: 1}, "new: b\ncount: 1\n", ""},
	} {
		text, err := EncodeAt(c.version, &c.value)
		var again versioned
		readErr := DecodeAt(c.version, "doc", []byte(c.text), &again)
		if c.want != "" {
			var lacks *VersionError
			require.ErrorAs(t, err, &lacks)
			require.Equal(t, c.want, lacks.Error())
			require.EqualError(t, readErr, "doc:1: "+c.want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.text, string(text))
		require.NoError(t, readErr)
		require.Equal(t, c.value, again)
	}
	deep := versioned{}
	deep.Inner.Deep = []string{"x"}
	_, err := EncodeAt(2, &deep)
	require.ErrorContains(t, err, `inner: the key "deep" exists since format 3, not in 2`)
	require.EqualError(t, DecodeAt(2, "doc", []byte("inner:\n  deep:\n    - x\n"), new(versioned)), `doc:2: the key "deep" exists since format 3, not in 2`)
	require.NoError(t, DecodeLoose("doc", []byte("new: b\nnewer: c\n"), new(versioned)))
}

// A tag with an option that nobody knows is an error, not a field of every
// version.
func TestVersionTags(t *testing.T) {
	t.Parallel()
	type wrong struct {
		Name string `yaml:"name,sinse=2"`
	}
	type none struct {
		Name string `yaml:"name,since=x"`
	}
	_, err := Encode(&wrong{"a"})
	require.ErrorContains(t, err, "does not say how to write it")
	_, err = Encode(&none{"a"})
	require.ErrorContains(t, err, "does not say how to write it")
}
