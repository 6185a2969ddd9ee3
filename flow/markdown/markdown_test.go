package markdown

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

const text = "---\ntitle: x\n---\n" + `# Uploads: the *first* part

Before.

## Retry & ` + "`back-off`" + `

Three tries.

### Delay

One second.

` + "```sh" + `
# no heading
## Limits
` + "~~~\n````" + `

## Retry & back-off

Again.

Limits of it
------------

- item
---

#hashtag
## [Linked](x.md) __title__ ##
## Größe_2
##
`

func TestSection(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		anchor, first, last string
		line                int
	}{
		{"uploads-the-first-part", "# Uploads: the *first* part\n", "##\n", 4},
		{"retry--back-off", "## Retry & `back-off`\n", "````\n\n", 8},
		{"delay", "### Delay\n", "````\n\n", 12},
		{"retry--back-off-1", "## Retry & back-off\n", "Again.\n\n", 22},
		{"limits-of-it", "Limits of it\n", "#hashtag\n", 26},
		{"linked-title", "## [Linked](x.md) __title__ ##\n", "__title__ ##\n", 33},
		{"größe_2", "## Größe_2\n", "## Größe_2\n", 34},
		{"", "##\n", "##\n", 35},
	} {
		t.Run(test.anchor, func(t *testing.T) {
			t.Parallel()
			section, line, found := Section(text, test.anchor)
			require.True(t, found)
			require.Equal(t, test.line, line)
			require.Equal(t, test.first, section[:len(test.first)])
			require.Equal(t, test.last, section[len(section)-len(test.last):])
		})
	}
	for _, anchor := range []string{"no-heading", "limits", "title-x", "item", "hashtag", "retry", "Delay", "#delay"} {
		_, _, found := Section(text, anchor)
		require.False(t, found, anchor)
	}
	_, _, found := Section("", "x")
	require.False(t, found)
}

// Headings of one title get numbers, which headings named so already have.
func TestSectionOfRepeatedTitles(t *testing.T) {
	t.Parallel()
	for i, anchor := range []string{"a", "a-1", "a-2", "a-1-1"} {
		section, line, found := Section("# A\n# A-1\n# A\n# A-1\n", anchor)
		require.True(t, found, anchor)
		require.Equal(t, i+1, line, fmt.Sprintf("%s: %s", anchor, section))
	}
}

// A section goes on to the next heading of its level, without line feeds at the end of
// lines that lack them.
func TestSectionOfForms(t *testing.T) {
	t.Parallel()
	section, _, found := Section("A\r\n===\r\nb\r\n# C", "a")
	require.True(t, found)
	require.Equal(t, "A\r\n===\r\nb\r\n", section)
	section, _, found = Section("# A\n\n## b\n\n# c", "c")
	require.True(t, found)
	require.Equal(t, "# c", section)
}

// Each section has its own hash: a change shows in the sections that hold it.
func TestHashes(t *testing.T) {
	t.Parallel()
	anchors := []string{"a", "b", "c", "none"}
	before := Hashes("# A\n## B\nx\n## C\ny\n", anchors)
	require.Regexp(t, "^[0-9a-f]{32}$", before[0])
	require.Empty(t, before[3])
	after := Hashes("# A\n## B\nx\n## C\nz\n", anchors)
	require.NotEqual(t, before[0], after[0])
	require.Equal(t, before[1], after[1])
	require.NotEqual(t, before[2], after[2])
	require.Equal(t, []string{""}, Hashes("", []string{"a"}))
	require.Equal(t, hashOf("## B\nx\n"), before[1])
}

// A section is what Section says, whatever the text.
func FuzzHashes(f *testing.F) {
	f.Add(text)
	f.Add("A\r\n===\r\nb\r\n# C")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range sections(text) {
			section, line, found := Section(text, s.anchor)
			require.True(t, found)
			require.Equal(t, s.line+1, line)
			require.Equal(t, []string{hashOf(section)}, Hashes(text, []string{s.anchor}))
		}
	})
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
