package artifacts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
)

var record = &Type{Name: "adr", Schema: `{"properties":{"status":{"enum":["proposed","accepted"]}}}`,
	Frozen: map[string][]string{"status": {"accepted", "superseded"}}}

const accepted = "---\nid: ADR-1\nstatus: accepted\n---\n# One\n"

func state(text string) *State { return &State{"100644", []byte(text)} }

// Of a frozen artifact only superseded_by may change, and its status to superseded.
func TestCheckFrozen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		was, is *State
		want    string // "" is allowed
	}{
		{"new", nil, state(accepted), ""},
		{"the same", state(accepted), state(accepted), ""},
		{"not frozen", state("---\nstatus: proposed\n---\n# One\n"), state("# Two\n"), ""},
		{"not frozen, removed", state("---\nstatus: proposed\n---\n# One\n"), nil, ""},
		{"without front matter", state("# accepted\n"), nil, ""},
		{"unreadable before", state("---\nstatus: [accepted\n---\n"), nil, ""},
		{"superseded", state(accepted), state("---\nid: ADR-1\nstatus: superseded\nsuperseded_by: ADR-2\n---\n# One\n"), ""},
		{"named", state(accepted), state("---\nsuperseded_by: ADR-2\nid: ADR-1\nstatus: accepted\n---\n# One\n"), ""},
		{"spelled otherwise", state(accepted), state("---\nid: 'ADR-1'\nstatus: \"accepted\"\n---\n# One\n"), ""},
		{"removed or renamed", state(accepted), nil, "it is frozen (status: accepted) and may be neither removed nor renamed"},
		{"mode", state(accepted), &State{"100755", []byte(accepted)}, "it is frozen (status: accepted), and its mode may not change from 100644 to 100755"},
		{"link", state(accepted), &State{"120000", []byte("x")}, "it is frozen (status: accepted), and its mode may not change from 100644 to 120000"},
		{"text", state(accepted), state("---\nid: ADR-1\nstatus: accepted\n---\n# Two\n"), "it is frozen (status: accepted), and its text may not change: write a new one, and name that in superseded_by"},
		{"line ends", state(accepted), state(strings.ReplaceAll(accepted, "\n", "\r\n")), "it is frozen (status: accepted), and its text may not change: write a new one, and name that in superseded_by"},
		{"key", state(accepted), state("---\nid: ADR-2\nstatus: accepted\n---\n# One\n"), "it is frozen (status: accepted), and its id may not change"},
		{"new key", state(accepted), state("---\nid: ADR-1\nstatus: accepted\ntitle: x\n---\n# One\n"), "it is frozen (status: accepted), and its title may not change"},
		{"key gone", state(accepted), state("---\nstatus: accepted\n---\n# One\n"), "it is frozen (status: accepted), and its id may not change"},
		{"back", state(accepted), state("---\nid: ADR-1\nstatus: proposed\n---\n# One\n"), `it is frozen (status: accepted), and its status may become superseded, not "proposed"`},
		{"status gone", state(accepted), state("---\nid: ADR-1\n---\n# One\n"), `it is frozen (status: accepted), and its status may become superseded, not ""`},
		{"never back", state("---\nstatus: superseded\n---\n"), state("---\nstatus: accepted\n---\n"), `it is frozen (status: superseded), and its status may become superseded, not "accepted"`},
		{"front matter gone", state(accepted), state("# One\n"), "it is frozen (status: accepted), and its id may not change"},
		{"unreadable", state(accepted), state("---\nid: *x\n---\n# One\n"), "it is frozen (status: accepted), and its front matter cannot be read any more: aliases are not allowed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, record.CheckFrozen(test.was, test.is))
			require.Empty(t, (&Type{}).CheckFrozen(test.was, test.is), "a type that freezes nothing")
		})
	}
}

// Whatever is written instead of a frozen text, what is allowed leaves all of it but the
// two keys, and what is allowed again leads nowhere else.
func TestFrozenStays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"id: ADR-1", "id: ADR-2", "status: accepted", "status: superseded", "status: draft",
			"superseded_by: ADR-9", "x: {a: 1}", "---", "...", "# One", "", "&a", "\r"})).Draw(t, "lines")
		text := "---\n" + strings.Join(lines, "\n") + "\n---\n# One\n"
		if record.CheckFrozen(state(accepted), state(text)) != "" {
			return
		}
		now, wrong := Part("", []byte(text))
		require.Empty(t, wrong)
		require.Equal(t, "# One\n", now.Body)
		id, _ := now.Front.Key("id").Text()
		require.Equal(t, "ADR-1", id)
		require.True(t, record.isFrozen([]byte(text)), "it stays frozen")
	})
}

func FuzzPart(f *testing.F) {
	f.Add(accepted)
	f.Add("---\r\na: b\r\n...\r\nrest")
	f.Add("---")
	f.Add("---\na: b\n---")
	f.Fuzz(func(t *testing.T, text string) {
		parted, wrong := Part("x.md", []byte(text))
		require.True(t, strings.HasSuffix(text, parted.Body))
		require.Equal(t, 1+strings.Count(text[:len(text)-len(parted.Body)], "\n"), parted.Line)
		for _, one := range wrong {
			require.Equal(t, CodeFrontMatter, one.Code)
			require.Positive(t, one.Line)
			require.NotEmpty(t, one.Text)
		}
		record.CheckFrozen(state(accepted), state(text))
		record.CheckFrozen(state(text), state(accepted))
	})
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Success Criteria", "success  criteria:", "2. Success Criteria", "2.1 **Success** criteria", "IV. Success Criteria", "B) [Success criteria](x.md)", "`Success` _Criteria_", "1) 2. Success"} {
		want := "success criteria"
		if text == "1) 2. Success" {
			want = "2. success"
		}
		require.Equal(t, want, Title(text), text)
	}
}

// row knows four roles.
func row(r board.Role) *board.RoleRow {
	switch r {
	case board.Coder:
		return &board.RoleRow{Name: r, Capacity: board.Does, Tools: []board.Tool{board.ToolWrite}, Denies: []board.Denial{{Glob: "specs/**", Except: []board.Kind{board.Spec}}}}
	case board.CodeReviewer:
		return &board.RoleRow{Name: r, Capacity: board.Judges}
	case board.Planner:
		return &board.RoleRow{Name: r, Capacity: board.Plans}
	case "scribe":
		return &board.RoleRow{Name: r, Capacity: board.Does, Tools: []board.Tool{board.ToolWrite}, Artifacts: true}
	}
	return nil
}

func phases(list ...Phase) *Workflow {
	return &Workflow{Name: "mine", Phases: list, Types: []Type{*record, {Name: "tasks", Format: Plan}, {Name: "sketch", Schema: `{"properties":{"status":{"enum":["draft","proposed"]}}}`}}}
}

// Each fault of a workflow has its code and its field.
func TestWorkflowCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		workflow *Workflow
		want     string // code field, a line each
	}{
		{"good", phases(Phase{Name: "A", Roles: []board.Role{"coder"}, Artifacts: []Artifact{{Type: "adr", Path: "specs/{goal}/adr-*.md", Count: 2}},
			Tasks: []Task{{Name: "x", Title: "T", DoneWhen: "D"}, {Title: "T", DoneWhen: "D", DependsOn: []string{"x"}}}}, Phase{Name: "B"}), ""},
		{"no phase", phases(), "missing phases"},
		{"names", &Workflow{Name: "Mine", Parallel: -1, Phases: []Phase{{Name: "any"}, {Name: "2"}}}, "name name\nvalue parallel\nname phases[0].name\nname phases[1].name"},
		{"a cycle of phases", phases(Phase{Name: "A"}, Phase{Name: "B"}, Phase{Name: "a"}), "cycle phases[2].name"},
		{"an unknown role", phases(Phase{Name: "A", Roles: []board.Role{"coder", "tester"}}), "role phases[0].roles[1]"},
		{"nobody writes", phases(Phase{Name: "A", Roles: []board.Role{"code-reviewer"}, Artifacts: []Artifact{{Type: "adr", Path: "a.md"}}}), "exit phases[0].roles"},
		{"optional", phases(Phase{Name: "A", Roles: []board.Role{"code-reviewer"}, Artifacts: []Artifact{{Type: "sketch", Path: "a.md", Optional: true}}}), ""},
		{"an unknown type", phases(Phase{Name: "A", Artifacts: []Artifact{{Type: "none", Path: "a.md"}}}), "type phases[0].artifacts[0].type"},
		{"never finished", phases(Phase{Name: "A", Artifacts: []Artifact{{Type: "sketch", Path: "a.md"}}}), "exit phases[0].artifacts[0].type"},
		{"more than match", phases(Phase{Name: "A", Artifacts: []Artifact{{Type: "adr", Path: "a.md", Count: 2}}}), "exit phases[0].artifacts[0].count"},
		{"counts", phases(Phase{Name: "A", Artifacts: []Artifact{{Type: "adr", Path: "a.md", Count: -1}, {Type: "adr", Path: "b*.md", Count: 1, Optional: true}}}), "value phases[0].artifacts[0].count\nvalue phases[0].artifacts[1].count"},
		{"one path twice", phases(Phase{Name: "A", Artifacts: []Artifact{{Type: "adr", Path: "specs/{goal}/*.md"}}}, Phase{Name: "B", Artifacts: []Artifact{{Type: "adr", Path: "specs/*/b.md"}}}), "path phases[1].artifacts[0].path"},
		{"the task of another role", phases(Phase{Name: "A", Roles: []board.Role{"coder"}, Tasks: []Task{{Title: "T", DoneWhen: "D", Role: "code-reviewer"}}}), "exit phases[0].tasks[0].role"},
		{"a task that may not be claimed", phases(Phase{Name: "A", Roles: []board.Role{"planner"}, Tasks: []Task{{Title: "T", DoneWhen: "D"}}}), "exit phases[0].tasks[0].role"},
		{"a task of another kind", phases(Phase{Name: "A", Kinds: []board.Kind{board.Docs}, Tasks: []Task{{Title: "T", DoneWhen: "D"}}}), "exit phases[0].tasks[0].kind"},
		{"a task that its role may not write", phases(Phase{Name: "A", Artifacts: []Artifact{{Type: "adr", Path: "specs/{goal}/a.md"}}, Tasks: []Task{
			{Title: "T", DoneWhen: "D", Kind: board.Docs, Owns: []string{"doc/**", "specs/{goal}/a.md"}}, {Title: "T", DoneWhen: "D", Kind: board.Spec, Owns: []string{"specs/{goal}/a.md"}},
			{Title: "T", DoneWhen: "D", Kind: board.Docs, Role: "scribe", Owns: []string{"specs/{goal}/*.md", "src/**"}}}}), "exit phases[0].tasks[0].owns[1]\nexit phases[0].tasks[2].owns[1]"},
		{"an empty task", phases(Phase{Name: "A", Tasks: []Task{{Role: "tester", ReviewBy: []board.Role{"none"}}}}), "missing phases[0].tasks[0].title\nmissing phases[0].tasks[0].done_when\nrole phases[0].tasks[0].role\nrole phases[0].tasks[0].review_by[0]"},
		{"the verdict of a person", phases(Phase{Name: "A", Tasks: []Task{{Title: "T", DoneWhen: "D", ReviewBy: []board.Role{board.HumanRole}}}}), ""},
		{"names of tasks", phases(Phase{Name: "A", Tasks: []Task{{Name: "x", Title: "T", DoneWhen: "D", DependsOn: []string{"y"}}, {Name: "x", Title: "T", DoneWhen: "D"}}}), "name phases[0].tasks[1].name\nname phases[0].tasks[0].depends_on[0]"},
		{"a cycle of tasks", phases(Phase{Name: "A", Tasks: []Task{{Name: "x", Title: "T", DoneWhen: "D", DependsOn: []string{"y"}}, {Name: "y", Title: "T", DoneWhen: "D", DependsOn: []string{"x"}}}}), "cycle phases[0].tasks[0].depends_on"},
		{"a task that waits for itself", phases(Phase{Name: "A", Tasks: []Task{{Name: "x", Title: "T", DoneWhen: "D", DependsOn: []string{"x"}}}}), "cycle phases[0].tasks[0].depends_on"},
		{"many phases", phases(make([]Phase, most+1)...), "limit phases"},
		{"many tasks", phases(Phase{Name: "A", Tasks: make([]Task, most+1)}), "limit phases[0]"},
		{"a type", &Workflow{Name: "mine", Phases: []Phase{{Name: "A"}}, Types: []Type{{Name: "X", Format: "text", Headings: []Heading{{}, {Title: "A", Min: -1}, {Title: "1. a"}}, Frozen: map[string][]string{"s": nil}}, {Name: "tasks", Format: Plan, Headings: []Heading{{Title: "A"}}}}},
			"name types[0].name\nvalue types[0].format\nmissing types[0].headings[0].title\nvalue types[0].headings[1].min\nname types[0].headings[2].title\nmissing types[0].frozen_when.s\nvalue types[1].format"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, one := range test.workflow.Check(row) {
				got = append(got, string(one.Code)+" "+one.Field)
				require.NotEmpty(t, one.Text)
			}
			require.Equal(t, test.want, strings.Join(got, "\n"))
		})
	}
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	text, tasks := &Type{}, &Type{Format: Plan}
	for _, good := range []string{"a.md", "specs/{goal}/prd.md", "specs/**/adr-*.md", "{goal}.md"} {
		require.Empty(t, badPattern(good, text), good)
	}
	for _, bad := range []string{"", "/a.md", "../a.md", "a/../b.md", "./a.md", ".", ".git/a.md", ".GIT/a.md", ".worktrees/a.md", "a//b.md", `a\b.md`, "{task}.md", "[.md", "a.txt", "a/", strings.Repeat("a", 201) + ".md"} {
		require.NotEmpty(t, badPattern(bad, text), bad)
	}
	require.Empty(t, badPattern("a.json", tasks))
	require.NotEmpty(t, badPattern("a.md", tasks))
}
