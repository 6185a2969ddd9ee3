package provider_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
)

// roles are rows with which a board begins.
var roles = []*board.RoleRow{
	{Name: board.Planner, Capacity: board.Plans, Tools: []board.Tool{board.ToolRead, board.ToolRun}},
	{Name: board.Coder, Capacity: board.Does, Tools: []board.Tool{board.ToolRead, board.ToolWrite, board.ToolRun}},
	{Name: board.CodeReviewer, Capacity: board.Judges, Tools: []board.Tool{board.ToolRead, board.ToolRun}},
}

var coder = roles[1]

// The built-in rows do nothing that Load refuses of users.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, row := range provider.Builtin() {
		require.False(t, names[row.Name], row.Name)
		names[row.Name] = true
		require.Contains(t, transcript.Families(), row.Output, row.Name)
		require.NotEmpty(t, row.About, row.Name)
		if slicesOf := []string{"exec", "acp", "script", "gates"}; contains(slicesOf, row.Name) {
			continue
		}
		// Laying a value over a row checks the whole row.
		_, err := provider.Load(settings(row.Name + ".about=" + row.About))
		require.NoError(t, err)
		require.NotEmpty(t, row.Binary, row.Name)
		require.NotEmpty(t, row.Install, row.Name)
		require.NotEmpty(t, row.Version, row.Name)
		require.NotEmpty(t, row.Loads, row.Name)
		for kind, pattern := range map[string]string{"quota": row.Quota, "outage": row.Outage, "login": row.Login} {
			require.NotEmpty(t, pattern, "%s: %s", row.Name, kind)
			require.False(t, regexp.MustCompile(pattern).MatchString(""), "%s: %s", row.Name, kind)
		}
	}
	for _, name := range []string{"claude", "codex", "gemini", "copilot", "opencode", "qwen", "pi", "vibe", "acp", "exec", "script", "gates"} {
		require.True(t, names[name], name)
	}
}

// A program of which it is not known what it loads may load what any other does.
func TestLoads(t *testing.T) {
	t.Parallel()
	own := settings("mine.binary=mine", "mine.output=plain", "yours.binary=yours", "yours.output=plain", "yours.loads=YOURS.md")
	catalogue, err := provider.Load(own)
	require.NoError(t, err)
	for text, want := range map[string][]string{"claude": {"CLAUDE.md", ".claude"}, "yours": {"YOURS.md"}, "mine": {"CLAUDE.md", "YOURS.md", ".cursor"}, "exec:x": {"GEMINI.md", "YOURS.md"}, "acp:x": {".opencode", ".cursor"}} {
		p, err := catalogue.Find(text, "self")
		require.NoError(t, err)
		require.Subset(t, p.Loads, want, text)
		require.Equal(t, text != "claude" && text != "yours", len(p.Loads) > 20, text)
	}
	gates, err := catalogue.Find("gates", "self")
	require.NoError(t, err)
	require.Empty(t, gates.Loads, "gates judge all of a submission")
}

func contains(list []string, word string) bool {
	for _, one := range list {
		if one == word {
			return true
		}
	}
	return false
}

// Whatever the role, the model and the session: no placeholder is left, and
// nothing is empty.
func TestCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left := regexp.MustCompile(`\{"?[a-z]+[/a-z]*"?\}`)
	for _, row := range provider.Builtin() {
		for _, role := range roles {
			for _, s := range []provider.Spawn{{}, {Session: "1-2"}, {Resume: "3-4"}} {
				s.Dir, s.Common, s.Row = dir, "/r/.git", role
				p := provider.Provider{Row: row}
				p.Model = "m"
				_, args := p.Command(s)
				for _, word := range append(args, p.Set(s)...) {
					require.NotEmpty(t, word, row.Name)
					require.False(t, left.MatchString(word), "%s: %s", row.Name, word)
				}
				if s.Resume != "" && len(row.Resume) > 0 {
					require.Contains(t, strings.Join(args, " "), "3-4", row.Name)
				}
			}
		}
	}
	p, err := provider.Builtin().Find("codex", "")
	require.NoError(t, err)
	_, args := p.Command(provider.Spawn{Row: coder, Dir: dir, Common: "/r/.git"})
	require.Contains(t, strings.Join(args, " "), `"/r/.git"="write","/r/.git/hooks"="read"`)
	require.Contains(t, strings.Join(args, " "), `"`+dir+`/.git"="write"`)
	paths := regexp.MustCompile(`"([^"]*)"="(?:read|write)"`).FindAllStringSubmatch(strings.Join(args, " "), -1)
	require.NotEmpty(t, paths)
	named := map[string]bool{}
	for _, m := range paths {
		require.False(t, named[m[1]], "codex takes a table that names %s twice for no table, and ends", m[1])
		named[m[1]] = true
	}
	p, err = provider.Builtin().Find("vibe", "")
	require.NoError(t, err)
	require.Empty(t, p.Set(provider.Spawn{Row: coder}), "no model, no variable for it")
}

// Reviewers and planners are not handed a tool that writes.
func TestReadersHaveNoWriteTools(t *testing.T) {
	t.Parallel()
	for name, tools := range map[string]*regexp.Regexp{
		"claude":   regexp.MustCompile(`\b(Edit|Write|NotebookEdit)\b`),
		"codex":    regexp.MustCompile(`extends=":workspace"|\.git"="write".*\.git"="write"`),
		"copilot":  regexp.MustCompile(`allow-tool=write|allow-all`),
		"opencode": regexp.MustCompile(`"edit":"allow"`),
		"pi":       regexp.MustCompile(`\b(edit|write)\b`),
		"vibe":     regexp.MustCompile(`\b(edit|write_file|search_replace)\b`),
	} {
		p, err := provider.Builtin().Find(name, "")
		require.NoError(t, err)
		for _, role := range roles {
			_, args := p.Command(provider.Spawn{Row: role, Common: "/r/.git"})
			text := strings.Join(append(args, p.Set(provider.Spawn{Row: role})...), " ")
			if role == coder && name != "codex" {
				require.Regexp(t, tools, text, name)
			} else if role != coder {
				require.NotRegexp(t, tools, text, name)
			}
		}
	}
}

// Where a program has to be told what not to offer, it is told so of every tool
// that writes.
func TestReadersAreDeniedWriteTools(t *testing.T) {
	t.Parallel()
	for name, tools := range map[string][]string{"qwen": {"edit", "write_file"}, "copilot": {"create", "edit", "apply_patch"}} {
		p, err := provider.Builtin().Find(name, "")
		require.NoError(t, err)
		for _, role := range []*board.RoleRow{roles[0], roles[2]} {
			_, args := p.Command(provider.Spawn{Row: role})
			_, excluded, found := strings.Cut(strings.Join(args, " "), "exclude")
			require.True(t, found, name)
			for _, tool := range tools {
				require.Regexp(t, `\b`+tool+`\b`, excluded, name)
			}
		}
	}
}

// The files that arguments speak of are there before the program is.
func TestFiles(t *testing.T) {
	t.Parallel()
	p, err := provider.Builtin().Find("gemini", "")
	require.NoError(t, err)
	s := provider.Spawn{Common: t.TempDir()}
	for range 2 {
		require.NoError(t, p.Prepare(s))
		for _, role := range roles {
			s.Row = role
			_, args := p.Command(s)
			text, err := os.ReadFile(args[len(args)-1])
			require.NoError(t, err)
			require.Contains(t, string(text), "allowRedirection = true")
			require.Equal(t, role != coder, strings.Contains(string(text), `"write_file"`))
		}
	}
}
