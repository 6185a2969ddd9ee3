package flow

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// TestWorkflowMatrices holds golden files to what the rules say: which role may change
// which path, in which phase tasks of a kind for a role are entered and claimed, and
// which phase leads to which.
func TestWorkflowMatrices(t *testing.T) {
	t.Parallel()
	for golden, draw := range map[string]func(*testing.T) string{"paths": drawPaths, "kinds": drawKinds, "phases": drawPhases} {
		path, got := "testdata/"+golden+".golden", draw(t)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got, "go test ./flow -run TestWorkflowMatrices -update writes it anew")
	}
}

// matrixWorkflow has a phase for each kind of bound.
const matrixWorkflow = "workflow=w:FIND[art=prd@docs/{goal}/prd.md@0];DESIGN[roles=architect+coder][art=adr@docs/{goal}/adr-*.md@0];BUILD[kinds=code+config]"

// try is what a step would lead to, ok or the rule that refuses it, and why. The scene
// stays as it is.
func (s *scene) try(step string) (outcome, reason string) {
	s.remember()
	one := *s
	m, facts := one.moveOf(strings.Fields(step))
	if r := one.judge(m, facts); r != nil {
		return string(r.Rule), r.Reason + " (" + r.Hint + ")"
	}
	return "ok", ""
}

// drawPaths lets an agent of every built-in role change every path, in tasks of all kinds
// that the role does.
func drawPaths(t *testing.T) string {
	paths := []string{"docs/goal-1/prd.md", "docs/goal-1/adr-1.md", "docs/goal-2/prd.md", "docs/guide.md", "src/a.go", "specs/vision.md",
		"contracts/api.yaml", ".liza/roles/coder.md", ".env", "keys/server.pem"}
	var b strings.Builder
	b.WriteString("What becomes of a submission by an agent of a role that changes a path: ok, or the rule that refuses it.\n")
	for _, place := range []struct{ title, workflow, phase string }{
		{"without a workflow", "", ""}, {"in the phase FIND", matrixWorkflow, "FIND"}, {"in every phase", matrixWorkflow, "any"}} {
		rows := append([]string{fmt.Sprintf("\n%-24s", place.title)}, paths...)
		for i, path := range paths {
			rows[i+1] = fmt.Sprintf("  %-22s", path)
		}
		for _, row := range board.BuiltinRoles() {
			for _, kind := range board.Kinds() {
				s := staged(t, "human:ann reload "+place.workflow)
				agent := string(row.Name) + "-1"
				task := fmt.Sprintf("human:ann add a1 role=%s kind=%s phase=%s owns=**", row.Name, kind, place.phase)
				if outcome, _ := s.try(task); outcome != "ok" { // who does no task submits none
					require.Equal(t, string(RuleForm), outcome)
					require.True(t, row.Capacity != board.Does || !slices.Contains(row.Kinds, kind), "a %s does no %s", row.Name, kind)
					continue
				}
				for _, step := range []string{task, agent + " claim a1", agent + " intent a1"} {
					require.Empty(t, s.step(step, new(record)))
				}
				rows[0] += fmt.Sprintf("%-18s", string(row.Name)+" "+kind.String())
				for i, path := range paths {
					if kind == board.Code {
						path += ",src/a_test.go"
					}
					outcome, _ := s.try(agent + " submit a1 c1 +gates passed=artifacts paths=" + path)
					rows[i+1] += fmt.Sprintf("%-18s", outcome)
				}
			}
		}
		for _, row := range rows {
			b.WriteString(strings.TrimRight(row, " ") + "\n")
		}
	}
	return b.String()
}

// drawKinds enters tasks of every kind for the roles that do tasks, in every phase, and
// claims them there.
func drawKinds(t *testing.T) string {
	var b strings.Builder
	b.WriteString("Whether a task of a kind for a role is entered and claimed in a phase: claimed, or the rule that refuses to enter or (claim) to claim it.\n")
	s := staged(t, "human:ann reload "+matrixWorkflow)
	for at, now := range []string{"FIND", "DESIGN", "BUILD"} {
		if at > 0 {
			require.Empty(t, s.step("human:ann phase", new(record)))
		}
		fmt.Fprintf(&b, "\n%-22s%-22s%-22s%-22s%s\n", "goal in "+now, "FIND", "DESIGN", "BUILD", "any")
		for _, row := range board.BuiltinRoles() {
			if row.Capacity != board.Does {
				continue
			}
			for _, kind := range board.Kinds() {
				line := fmt.Sprintf("  %-20s", string(row.Name)+" "+kind.String())
				for _, phase := range []string{"FIND", "DESIGN", "BUILD", "any"} {
					line += fmt.Sprintf("%-22s", s.entered(row.Name, kind, phase))
				}
				b.WriteString(strings.TrimRight(line, " ") + "\n")
			}
		}
	}
	return b.String()
}

// entered is what becomes of a task that a person enters and an agent claims.
func (s *scene) entered(role board.Role, kind board.Kind, phase string) string {
	s.remember()
	one := *s
	m, facts := one.moveOf(strings.Fields(fmt.Sprintf("human:ann add a1 role=%s kind=%s phase=%s", role, kind, phase)))
	if r := one.judge(m, facts); r != nil {
		return string(r.Rule)
	}
	if outcome, _ := one.try(string(role) + "-1 claim a1"); outcome != "ok" {
		return outcome + " (claim)"
	}
	return "claimed"
}

// drawPhases leads a goal from every phase to every other one: by an agent, by a person
// without and with a reason; a line that is not there is as one above. The exit of the first phase lacks a task and an artifact, that
// of the third one a person.
func drawPhases(t *testing.T) string {
	var b strings.Builder
	b.WriteString("What becomes of a move from a phase to another one, and why it is refused.\n")
	const workflow = "workflow=w:A[art=prd@docs/{goal}/prd.md@1];B;C[human];D"
	for _, exit := range []struct{ title, steps string }{
		{"the artifact of A is missing, and a task of it is open", "human:ann add a1 phase=A"},
		{"nothing is missing", "human:ann adopt h1 found=docs/goal-1/prd.md | human:ann accept docs/goal-1/prd.md"}} {
		fmt.Fprintf(&b, "\n%s\n", exit.title)
		for _, from := range []string{"A", "B", "C", "D"} {
			s := staged(t, "human:ann reload "+workflow+" inphase="+from+" | "+exit.steps)
			for _, to := range []string{"A", "B", "C", "D", "E", ""} {
				said := map[string]bool{}
				for _, who := range []string{"coder-1 phase", "human:ann phase", "human:ann phase+reason"} {
					act, reasoned := strings.CutSuffix(who, "+reason")
					step := act + " " + to
					if reasoned {
						step += " reason=again"
					}
					outcome, reason := s.try(step)
					line := strings.TrimRight(outcome+": "+reason, ": ")
					if who != "coder-1 phase" && said[line] {
						continue // as the actor before
					}
					said[line] = true
					fmt.Fprintf(&b, "  %s → %-2s %-22s %s\n", from, to, who, line)
				}
			}
		}
	}
	return b.String()
}
