package automation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A planRow is a file of testdata/plans with the class that it is expected to have.
type planRow struct {
	file string
	want [5]string // type, scope, loop, second_look, rule
}

// letters are names of rules in tables.
var letters = map[string]Basis{"V": Checks, "C": Design, "U": OpenEnd, "B": Paths}

// plansOf reads the table of a folder. Its first line names the columns.
func plansOf(t *testing.T, dir string) (rows []planRow) {
	t.Helper()
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	require.NoError(t, err)
	names := map[string]int{}
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(names) == 0 {
			for i, name := range cells {
				names[name] = i
			}
			continue
		}
		row := planRow{file: filepath.Join(dir, cells[0])}
		for i, name := range []string{"type", "scope", "loop", "second_look", "rule"} {
			row.want[i] = cells[names[name]]
		}
		if rule, ok := letters[row.want[4]]; ok {
			row.want[4] = string(rule)
		}
		rows = append(rows, row)
	}
	return rows
}

// classify returns the class in the form of the tables.
func (row planRow) classify(t *testing.T) (got [5]string, err error) {
	t.Helper()
	data, err := os.ReadFile(row.file)
	require.NoError(t, err)
	c, err := Classify(row.file, data)
	if err != nil {
		return [5]string{"-", "-", "-", "-", "error"}, err
	}
	require.NotEmpty(t, c.Source)
	require.LessOrEqual(t, len(c.Evidence), maxEvidence)
	return [5]string{string(c.Type), string(c.Scope), string(c.Loop), string(c.SecondLook), string(c.Rule)}, nil
}

func TestPlans(t *testing.T) {
	t.Parallel()
	rows := plansOf(t, "testdata/plans")
	require.GreaterOrEqual(t, len(rows), 40)
	for _, row := range rows {
		t.Run(filepath.Base(row.file), func(t *testing.T) {
			t.Parallel()
			got, err := row.classify(t)
			require.NoError(t, err)
			require.Equal(t, row.want, got)
		})
	}
}

// otherwise are plans of others whose class is another one here, with the reason.
var otherwise = map[string]string{
	"PLAN-003.md":           "the tokens of a lexer are a security word: a list cannot tell",
	"design-tokens.md":      "design tokens are a security word",
	"smoke-after-deploy.md": "3-D Secure is a security word",
	"suchindex.md":          "the words of the rules are English",
	"vue3-options-api.md":   "what is in scope and out of it need not be a path",
}

// Plans of somebody who did not read the rules have the class that they expected, but
// for those above.
func TestPlansOfOthers(t *testing.T) {
	t.Parallel()
	rows := plansOf(t, "testdata/plans/theirs")
	require.Greater(t, len(rows), 50)
	differ := 0
	for _, row := range rows {
		got, err := row.classify(t)
		if otherwise[filepath.Base(row.file)] == "" {
			require.Equal(t, row.want, got, "%s: %v", row.file, err)
			continue
		}
		require.NotEqual(t, row.want, got, row.file)
		differ++
	}
	require.Len(t, otherwise, differ)
}

// No plan that declares code is one of checks or of design only, in whatever form it
// declares it, and whatever it asks for.
func TestPlansOfCodeAreNoChecks(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, row := range append(plansOf(t, "testdata/plans"), plansOf(t, "testdata/plans/theirs")...) {
		if row.want[4] != string(Checks) && row.want[4] != string(Design) || isYAML(row.file) || isJSON(row.file) {
			continue
		}
		data, err := os.ReadFile(row.file)
		require.NoError(t, err)
		_, body := frontMatter(linesOf(string(data)))
		var text strings.Builder
		for _, one := range body {
			text.WriteString(one.text + "\n")
		}
		for _, plan := range []string{
			"---\nfiles_modified:\n  - docs/a.md\n  - src/a.ts\n---\n" + text.String(),
			"---\nfiles_modified:\n- \"src/a.ts\" # new\n---\n" + text.String(),
			"---\nfiles_modified: [docs/a.md, src/a.ts]\n---\n" + text.String(),
			"---\nfiles_modified: [\n  docs/a.md,\n  'src/a.ts'\n]\n---\n" + text.String(),
			"---\nwave: 1\nfiles_modified: Makefile\n---\n" + text.String(),
			"<files>docs/a.md, src/a.ts</files>\n\n" + text.String(),
			"<Files>\n  - docs/a.md\n  - `src/a.ts` (new)\n</Files>\n\n" + text.String(),
		} {
			for _, form := range []string{plan, strings.ReplaceAll(plan, "\n", "\r\n"), "\ufeff" + plan} {
				c, err := Classify("plan.md", []byte(form))
				require.NoError(t, err, plan)
				require.NotContains(t, []Basis{Checks, Design}, c.Rule, plan)
				checked++
			}
		}
	}
	require.Greater(t, checked, 300)
}
