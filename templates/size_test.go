package templates

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/contracts"
	"github.com/git-liza/git-liza/flow"
)

// maxPrompt is how many bytes the prompt of a role has at most on a plain task.
const maxPrompt = 9 << 10

// plain is the prompt of a role on a task with short texts.
func plain(t *testing.T, row *flow.RoleRow, report string) Input {
	t.Helper()
	in := map[flow.Capacity]Input{flow.Plans: planning(), flow.Does: fresh(), flow.Judges: review(fresh(), 1)}[row.Capacity]
	text, ok := contracts.Document("roles/" + row.Name.String() + ".md")
	require.True(t, ok)
	_, persona, ok := strings.Cut(text, "\n---\n\n")
	require.True(t, ok, "it has front matter")
	in.Role, in.Row, in.Agent, in.Kernel, in.Report = row.Name, row, flow.AgentID(row.Name.String()+"-1"), contracts.ForRole(persona), report
	in.Compliance = "partial" // with the reminder
	for _, denial := range row.Denies {
		in.Denied = append(in.Denied, denial.Glob)
	}
	return in
}

// Every session pays for every byte of its prompt: the longer one of the two ways in
// which agents report. A ceiling is 5 % above what there was when it was set.
func TestPromptSizes(t *testing.T) {
	t.Parallel()
	ceilings := map[flow.Role]int{
		"planner":           9216,
		"coder":             9216,
		"code-reviewer":     9189,
		"docs-reviewer":     9216,
		"gates":             8511,
		"refactor-reviewer": 9216,
		"security-reviewer": 9216,
		"architect":         8823,
		"manager":           8786,
		"researcher":        8807,
		"spec-writer":       8790,
		"librarian":         9216,
	}
	librarian := &flow.RoleRow{Name: "librarian", Capacity: flow.Does, Writes: []string{".liza/knowledge/**"}}
	for _, row := range append(flow.BuiltinRoles(), librarian) {
		size := 0
		for _, report := range []string{"", "supervisor"} {
			size = max(size, len(render(t, plain(t, row, report)).Text()))
		}
		t.Logf("%-17s %5d bytes", row.Name, size)
		if ceiling := min(maxPrompt, ceilings[row.Name]); size > ceiling {
			t.Errorf("the prompt of a %s has %d bytes, more than %d", row.Name, size, ceiling)
		}
		delete(ceilings, row.Name)
	}
	require.Empty(t, ceilings, "of no role")
}
