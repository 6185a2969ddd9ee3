package templates

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/contracts"
	"github.com/git-liza/git-liza/flow/board"
)

// maxPrompt is how many bytes the prompt of a role has at most on a plain task.
const maxPrompt = 8 << 10

// plain is the prompt of a role on a task with short texts.
func plain(t *testing.T, row *board.RoleRow, report string) Input {
	t.Helper()
	in := map[board.Capacity]Input{board.Plans: planning(), board.Does: fresh(), board.Judges: review(fresh(), 1)}[row.Capacity]
	text, ok := contracts.Document("roles/" + row.Name.String() + ".md")
	require.True(t, ok)
	_, persona, ok := strings.Cut(text, "\n---\n\n")
	require.True(t, ok, "it has front matter")
	in.Role, in.Row, in.Agent, in.Kernel, in.Report = row.Name, row, board.AgentID(row.Name.String()+"-1"), contracts.ForRole(persona), report
	in.Compliance = "partial" // with the reminder
	for _, denial := range row.Denies {
		in.Denied = append(in.Denied, denial.Glob)
	}
	return in
}

// Every session pays for every byte of its prompt: the longer one of the two ways in which
// agents report, of each kind of provider, without what the task itself says.
func TestPromptSizes(t *testing.T) {
	t.Parallel()
	librarian := &board.RoleRow{Name: "librarian", Capacity: board.Does, Writes: []string{".liza/knowledge/**"}}
	for _, row := range append(board.BuiltinRoles(), librarian) {
		size := 0
		for _, report := range []string{"", "supervisor"} {
			in := plain(t, row, report)
			own := 0
			if in.Task != nil {
				own = len(field("done_when", in.Task.DoneWhen) + field("title", in.Task.Title) + field("scope", in.Task.Scope) + field("verify", in.Task.Verify) + field("owns", in.Task.Owns))
			}
			for _, in.Confined = range []bool{false, true} {
				size = max(size, len(render(t, in).Text())-own)
			}
		}
		t.Logf("%-17s %5d bytes", row.Name, size)
		if size > maxPrompt {
			t.Errorf("the prompt of a %s has %d bytes, more than %d", row.Name, size, maxPrompt)
		}
	}
}
