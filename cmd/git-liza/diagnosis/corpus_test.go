package diagnosis

import (
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"slices"
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

// first is the id of the likeliest cause, none without one.
func first(r Report) string {
	if len(r.Hypotheses) == 0 {
		return "none"
	}
	return r.Hypotheses[0].ID
}

// Every output that the patterns were made from gets its cause.
func TestTraining(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t, "training") {
		r := Read([]byte(s.text))
		if got := first(r); got != s.expect {
			t.Errorf("%s: %s, not %s", s.name, got, s.expect)
			for _, h := range r.Hypotheses {
				t.Logf("  %s %.3f %v %v", h.ID, h.Chance, h.For, h.Against)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the priors that the training samples have")

// The priors are those of the training samples.
func TestPriors(t *testing.T) {
	t.Parallel()
	counted := map[string]int{}
	for _, s := range samples(t, "training") {
		counted[s.expect]++
		require.True(t, s.expect == "none" || hasCause(s.expect), "%s: no cause %s", s.name, s.expect)
	}
	if *update {
		text := "package diagnosis\n\n// priors is how often each cause was the right one in testdata/training. TestPriors counts\n" +
			"// them; go test ./cmd/git-liza/diagnosis -run TestPriors -update writes them.\nvar priors = map[string]int{\n"
		for _, id := range slices.Sorted(maps.Keys(counted)) {
			text += fmt.Sprintf("\t%q: %d,\n", id, counted[id])
		}
		source, err := format.Source([]byte(text + "}\n"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("priors.go", source, 0o644))
		return
	}
	require.Equal(t, counted, priors, "go test ./cmd/git-liza/diagnosis -run TestPriors -update")
}

// On outputs that the patterns were not made from, nine of ten answers are right, seven of
// ten causes are found, and no cause wins that is only mentioned. It names none of them, so
// that the patterns are not made from them after all.
func TestHeldOut(t *testing.T) {
	t.Parallel()
	answered, right, known, planted := 0, 0, 0, 0
	list := samples(t, "heldout")
	for _, s := range list {
		got := first(Read([]byte(s.text)))
		if got != "none" {
			answered++
		}
		if s.expect != "none" {
			known++
		}
		if got == s.expect && got != "none" {
			right++
		}
		if slices.Contains(s.not, got) {
			planted++
		}
	}
	precision, recall := float64(right)/float64(max(1, answered)), float64(right)/float64(max(1, known))
	t.Logf("%d outputs: precision %.2f, recall %.2f, planted causes that won: %d", len(list), precision, recall, planted)
	require.NotEmpty(t, list)
	require.GreaterOrEqual(t, precision, 0.9)
	require.GreaterOrEqual(t, recall, 0.7)
	require.Zero(t, planted)
}
