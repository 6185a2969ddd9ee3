package contracts_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/contracts"
)

var roles = []string{"architect", "code-reviewer", "coder", "docs-reviewer", "gates", "librarian", "manager", "planner", "refactor-reviewer", "researcher", "security-reviewer", "spec-writer"}

func document(t *testing.T, name string) string {
	t.Helper()
	text, ok := contracts.Document(name)
	require.True(t, ok, name)
	return text
}

func TestNames(t *testing.T) {
	t.Parallel()
	names := []string{"AGENT_TOOLS.md", "CORE.md", "KERNEL.md", "MULTI_AGENT_MODE.md", "PAIRING_MODE.md", "contract-activation.md",
		"failure-modes.md"}
	for _, role := range roles {
		names = append(names, "roles/"+role+".md")
	}
	for _, skill := range skills {
		names = append(names, "skills/"+skill+"/SKILL.md")
	}
	require.Equal(t, names, contracts.Names())
	for _, name := range names {
		text := document(t, name)
		require.True(t, strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "---\n"), name)
		require.True(t, strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\n\n"), name)
		require.NotContains(t, text, "\r", name)
		require.NotEmpty(t, contracts.About(name), name)
		found, ok := contracts.Find(contracts.Title(name))
		require.True(t, ok)
		require.Equal(t, name, found, "a short name names one document")
	}
}

var skills = []string{"liza-adr-backfill", "liza-analyze", "liza-architecture-review", "liza-code-cleaning", "liza-code-review", "liza-debugging",
	"liza-document", "liza-estimate", "liza-feynman", "liza-generic-subagent", "liza-release", "liza-security-review", "liza-spec-review", "liza-systemic-thinking",
	"liza-test-strategy", "liza-testing"}

// A skill has the head that tools look for and says all that an agent
// without other documents needs.
func TestSkills(t *testing.T) {
	t.Parallel()
	for _, skill := range skills {
		text := document(t, "skills/"+skill+"/SKILL.md")
		head := regexp.MustCompile(`^---\nname: ([a-z-]{1,64})\ndescription: ([^\n:]{40,400})\n---\n\n# `).FindStringSubmatch(text)
		require.NotNil(t, head, "%s: a colon would end a plain text in YAML", skill)
		require.Equal(t, skill, head[1])
		require.Contains(t, head[2], "Use it ", "tools choose by it when to read on: %s", skill)
		for _, heading := range []string{"## When", "## Evidence", "## Report", "## Prevents", "## Never"} {
			require.Contains(t, strings.Join(headings(text), "\n"), heading, skill)
		}
		require.Contains(t, text, "\n1. **", skill)
		lines := strings.Count(text, "\n")
		require.True(t, lines >= 40 && lines <= 120, "%s has %d lines", skill, lines)
	}
}

func TestNoSuchDocument(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", ".", "roles", "CORE", "core.md", "contracts.go", "../go.mod", "/CORE.md", "roles/../CORE.md", "skills/liza-testing"} {
		text, ok := contracts.Document(name)
		require.False(t, ok, name)
		require.Empty(t, text, name)
	}
}

// The kernel has what always holds, the mode and the one role, without reasons, and
// nothing else.
func TestForRole(t *testing.T) {
	t.Parallel()
	for _, role := range roles {
		_, persona, ok := strings.Cut(document(t, "roles/"+role+".md"), "\n---\n\n")
		require.True(t, ok, "it has front matter")
		kernel := contracts.ForRole(persona)
		require.Equal(t, []string{"## What always holds", "# MULTI-AGENT MODE", "# Role: " + role}, headings(kernel))
		for _, id := range []string{"I1", "I2", "I3", "I4", "I5"} {
			require.Equal(t, 1, strings.Count(kernel, "**"+id+" "), "%s in %s", id, role)
		}
		for _, text := range []string{document(t, "MULTI_AGENT_MODE.md"), persona} {
			for _, match := range rule.FindAllString(text, -1) {
				said, _, _ := strings.Cut(match, " *Prevents: ")
				require.Contains(t, kernel, said+"\n", role)
			}
		}
		require.NotContains(t, kernel, "Prevents", role)
	}
}

// A rule is a list item that begins with its bold id.
var rule = regexp.MustCompile(`(?m)^- \*\*([A-Z]\d+) .*$`)

// Every rule names the failure that it prevents, and ids are unique in their
// document and without gaps.
func TestRulesNameTheirFailure(t *testing.T) {
	t.Parallel()
	want := map[string]int{"CORE.md": 5 + 7 + 8 + 5 + 4, "MULTI_AGENT_MODE.md": 13, "PAIRING_MODE.md": 5 + 6,
		"roles/planner.md": 8, "roles/coder.md": 7, "roles/code-reviewer.md": 7, "roles/docs-reviewer.md": 8, "roles/gates.md": 3,
		"roles/refactor-reviewer.md": 8, "roles/security-reviewer.md": 8,
		"roles/architect.md": 5, "roles/manager.md": 5, "roles/researcher.md": 5, "roles/spec-writer.md": 5}
	for name, n := range want {
		found := rule.FindAllStringSubmatch(document(t, name), -1)
		require.Len(t, found, n, name)
		seen := map[string]bool{}
		for _, match := range found {
			require.Regexp(t, `\*Prevents: [^*]+\.\*$`, match[0], name)
			require.False(t, seen[match[1]], "%s twice in %s", match[1], name)
			seen[match[1]] = true
		}
	}
}

// The page to read again leaves out no invariant and no state, and stays a page.
func TestKernelPage(t *testing.T) {
	t.Parallel()
	kernel, core := document(t, "KERNEL.md"), document(t, "CORE.md")
	for _, id := range []string{"I1", "I2", "I3", "I4", "I5"} {
		require.Contains(t, kernel, id)
	}
	states := regexp.MustCompile(`(?m)^\| ([A-Z_]+(?:, [A-Z_]+)*) \| `).FindAllStringSubmatch(core, -1)
	require.Len(t, states, 8)
	for _, row := range states {
		for _, state := range strings.Split(row[1], ", ") {
			require.Contains(t, kernel, state)
		}
	}
	require.Less(t, len(kernel), 2500)
}

// The canary stands in CORE alone, so that an agent that knows it has read CORE.
func TestCanary(t *testing.T) {
	t.Parallel()
	canary := contracts.Canary()
	require.Regexp(t, `^liza(-[0-9a-f]{4}){3}$`, canary)
	for _, name := range contracts.Names() {
		text := document(t, name)
		require.Equal(t, name == "CORE.md", strings.Contains(text, canary), name)
		require.NotContains(t, text, "CANARY", name)
	}
	require.NotContains(t, contracts.CanaryQuestion, canary)
	for answer, want := range map[string]string{
		canary:                                  "" + canary,
		"The canary is `" + canary + "`.\n":     canary,
		"NONE":                                  "",
		"":                                      "",
		canary[:len(canary)-1]:                  "",
		canary + "0":                            "",
		"liza-0000-0000-0000":                   "liza-0000-0000-0000",
		"not liza-0000-0000-0000 but " + canary: canary,
	} {
		require.Equal(t, want, contracts.FindCanary(answer), answer)
	}
}

func TestTiers(t *testing.T) {
	t.Parallel()
	core := document(t, "CORE.md")
	require.Equal(t, []string{"# CORE", "## Which mode", "## Tier 0: invariants", "## Tier 1: knowing", "## Tier 2: process",
		"## Tier 3: style", "## States", "## Ready and done", "## Stop triggers", "## No gaming", "## After a broken rule", "## See also"}, headings(core))
}

// The map sends readers only to rules that exist, and documents only to files
// that exist.
func TestReferences(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, name := range contracts.Names() {
		for _, match := range rule.FindAllStringSubmatch(document(t, name), -1) {
			ids[match[1]] = true
		}
	}
	id := regexp.MustCompile(`\b[IEPSMGWRA]\d+\b`)
	cited := 0
	for _, row := range strings.Split(document(t, "failure-modes.md"), "\n") {
		cells := strings.Split(row, "|")
		if len(cells) < 6 {
			continue
		}
		for _, name := range id.FindAllString(cells[3], -1) {
			require.True(t, ids[name], "%s in %q", name, row)
			cited++
		}
	}
	require.Greater(t, cited, 25)
	for _, skill := range skills {
		for _, name := range id.FindAllString(document(t, "skills/"+skill+"/SKILL.md"), -1) {
			require.True(t, ids[name], "%s in %s", name, skill)
		}
	}
	file := regexp.MustCompile("`((?:roles/)?[A-Za-z_-]+\\.md)`")
	elsewhere := map[string]bool{"CLAUDE.md": true, "AGENTS.md": true, "GEMINI.md": true, "GUARDRAILS.md": true, "COLLABORATION_CONTINUITY.md": true, "REPOSITORY.md": true, "SKILL.md": true}
	for _, name := range contracts.Names() {
		for _, match := range file.FindAllStringSubmatch(document(t, name), -1) {
			if !elsewhere[match[1]] {
				require.Contains(t, contracts.Names(), match[1], name)
			}
		}
	}
}

func headings(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
