package roles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

func parse(text string) (board.RoleRow, string, error) {
	return Parse(".liza/roles/auditor.md", []byte(text))
}

const auditor = `---
# anybody may read this
capacity: judges
about: reads the books
writes: []
tools: [read, web]
not_human: true
---

# Role: auditor

Read.
`

func TestParse(t *testing.T) {
	t.Parallel()
	for _, text := range []string{auditor, strings.ReplaceAll(auditor, "\n", "\r\n"), strings.Replace(auditor, "capacity:", "name: auditor\ncapacity:", 1)} {
		row, body, err := parse(text)
		require.NoError(t, err)
		require.Equal(t, board.RoleRow{Name: "auditor", Capacity: board.Judges, About: "reads the books", Tools: []board.Tool{board.ToolRead, board.ToolWeb}, NotHuman: true}, row)
		require.Equal(t, "# Role: auditor\n\nRead.\n", body)
	}
}

// An error names the file and its lines, all of them.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Replace(auditor, "about:", "abuot:", 1):                                   `.liza/roles/auditor.md:4: unknown key "abuot"`,
		strings.Replace(strings.Replace(auditor, "web", "fly", 1), "judges", "rules", 1):  ".liza/roles/auditor.md:6: ",
		strings.Replace(strings.Replace(auditor, "web", "fly", 1), "judges", "dances", 1): ".liza/roles/auditor.md:3: ",
		strings.Replace(auditor, "about:", "name: author\nabout:", 1):                     `the name is "author", the file's is auditor.md`,
		strings.Replace(auditor, "about:", "persona: x.md\nabout:", 1):                    "persona cannot be set",
		"# Role: auditor\n":                    ".liza/roles/auditor.md:1: the file of a role begins with its row",
		"---\ncapacity: judges\n":              ".liza/roles/auditor.md:1: the file of a role begins with its row",
		"---\ncapacity: judges\n---\n":         "has no text below the front matter",
		auditor + strings.Repeat("x", maxFile): "larger than 64 KiB",
	} {
		_, _, err := parse(text)
		require.ErrorContains(t, err, want, text[:min(len(text), 200)])
	}
	_, _, err := Parse("human.md", []byte(auditor))
	require.NoError(t, err, "whether the board takes it is a rule")
	_, _, err = Parse("Auditor.md", []byte(auditor))
	require.ErrorContains(t, err, `Auditor.md: the file of a role is named after it, and "Auditor" is no role`)
}

// The built-in files say what boards of these rules begin with. A librarian is added to
// those that want one.
func TestBuiltinRowsAreTheirFiles(t *testing.T) {
	t.Parallel()
	rows := map[board.Role]board.RoleRow{}
	for _, row := range Builtin() {
		rows[row.Name] = row
	}
	board := board.BuiltinRoles()
	librarian := rows["librarian"]
	require.Equal(t, []string{".liza/knowledge/**"}, librarian.Writes)
	require.Len(t, rows, len(board)+1)
	for _, row := range board {
		require.Equal(t, *row, rows[row.Name])
		require.True(t, IsBuiltin(row.Name))
		text, err := Persona(row, fstest.MapFS{})
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(text, "# Role: "+string(row.Name)+"\n"), text)
	}
	require.False(t, IsBuiltin("auditor"))
}

func TestPersona(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".liza", "roles"), 0o755))
	row := &board.RoleRow{Name: "auditor", Persona: ".liza/roles/auditor.md"}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	_, err = Persona(row, root.FS())
	require.EqualError(t, err, "the persona of auditor cannot be read: .liza/roles/auditor.md: no such file or directory")
	require.NoError(t, os.WriteFile(filepath.Join(dir, row.Persona), []byte(auditor), 0o644))
	text, err := Persona(row, root.FS())
	require.NoError(t, err)
	require.Equal(t, "# Role: auditor\n\nRead.\n", text)

	outside := filepath.Join(t.TempDir(), "secret.md")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(dir, row.Persona)))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, row.Persona)))
	_, err = Persona(row, root.FS())
	require.ErrorContains(t, err, "cannot be read", "a link leads out of the work tree")

	_, err = Persona(&board.RoleRow{Name: "auditor"}, root.FS())
	require.EqualError(t, err, "the role auditor has no persona: it is not built in, and its row names no file")
}

// The file that the guide shows is one.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../../../doc/guide.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(guide), "```markdown\n---\n")
	require.True(t, found)
	block, _, _ = strings.Cut(block, "```\n")
	row, body, err := parse("---\n" + block)
	require.NoError(t, err)
	require.Equal(t, []board.Tool{board.ToolRead, board.ToolRun}, row.Tools)
	require.Contains(t, body, "# Role: auditor")
}
