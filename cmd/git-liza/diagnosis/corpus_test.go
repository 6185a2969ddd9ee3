package diagnosis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sample is the output of a program with the cause that a diagnosis has to name.
type sample struct {
	name   string
	expect string   // the id of a cause, or none
	not    []string // causes that must not come first
	text   string
}

// samples reads a folder of testdata, in the form that testdata/README.md says.
func samples(t *testing.T, folder string) (list []sample) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.txt"))
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		head, text, found := strings.Cut(string(data), "\n---\n")
		require.True(t, found, "%s has no line ---", file)
		s := sample{name: filepath.Base(file), text: text}
		for line := range strings.Lines(head) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "expect":
				s.expect = value
			case "not":
				s.not = strings.Split(value, ",")
			default:
				require.Fail(t, "a line of the head is expect: or not:", "%s: %q", file, line)
			}
		}
		require.NotEmpty(t, s.expect, file)
		list = append(list, s)
	}
	return list
}

// The samples are in the form of testdata/README.md.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"training", "heldout"} {
		for _, s := range samples(t, folder) {
			require.NotEmpty(t, s.text, s.name)
			require.NotContains(t, s.not, s.expect, s.name)
		}
	}
}
