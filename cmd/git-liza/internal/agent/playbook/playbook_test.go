package playbook_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
)

const sound = `
wait: 5s
plan:
  - id: task-1
    title: A greeting
work:
  - task: task-1
    attempts:
      - intent: {summary: greet, validation: run it}
        write:
          - path: bin/hello
            executable: true
            content: |
              echo hello
        message: Greet
    checks:
      - name: it greets
        run: sh bin/hello
        file: bin/hello
        line: 1
        issue: no greeting
checks:
  - {name: all, run: "true", issue: broken}
`

func TestParse(t *testing.T) {
	t.Parallel()
	p, err := playbook.Parse("p.yaml", []byte(sound))
	require.NoError(t, err)
	require.Len(t, p.Plan, 1)
	require.Equal(t, playbook.File{Path: "bin/hello", Content: "echo hello\n", Executable: true}, p.Work[0].Attempts[0].Write[0])
	require.Equal(t, 1, p.Work[0].Checks[0].Line)
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	const recipe = "attempts: [{intent: {summary: s, validation: v}, message: m}]"
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":       {"wait: 5s\nworks: []\n", `p.yaml:2: unknown key "works"`},
		"no duration":       {"work: []\nwait: soon\n", `p.yaml:2: `},
		"path outside":      {"work:\n- task: a\n  attempts:\n  - write:\n    - path: ../x\n", `p.yaml:5: "../x" is not a clean path below the top of the checkout`},
		"absolute path":     {"work:\n- task: a\n  attempts:\n  - append:\n    - path: /etc/x\n", `p.yaml:5: "/etc/x" is not a clean path`},
		"path in .git":      {"work:\n- task: a\n  checks:\n  - file: sub/.GIT/config\n", `p.yaml:4: "sub/.GIT/config" lies inside .git`},
		"bad task id":       {"work:\n- task: a..b\n", `p.yaml:2: `},
		"no task":           {"work:\n- " + recipe, "p.yaml: work 1 names no task"},
		"task twice":        {"work:\n- {task: a, " + recipe + "}\n- {task: a, " + recipe + "}", "p.yaml: a has two entries under work"},
		"no attempts":       {"work:\n- task: a\n", "p.yaml: a has no attempts"},
		"no message":        {"work:\n- task: a\n  attempts: [{intent: {summary: s, validation: v}}]", "p.yaml: a: attempt 1: the commit has no message"},
		"no validation":     {"work:\n- task: a\n  attempts: [{intent: {summary: s}, message: m}]", "p.yaml: a: attempt 1: the intent needs summary and validation"},
		"fix without words": {"work:\n- task: a\n  " + recipe + "\n  integration_fix: {message: m}", "p.yaml: a: integration_fix: the intent needs"},
		"file without path": {"work:\n- task: a\n  attempts: [{intent: {summary: s, validation: v}, message: m, write: [{content: x}]}]", "p.yaml: a: attempt 1: a file has no path"},
		"waits for none":    {"work:\n- {task: a, wait_for: [b], " + recipe + "}", "p.yaml: a: wait_for names b, which is no other task"},
		"waits for itself":  {"work:\n- {task: a, wait_for: [a], " + recipe + "}", "p.yaml: a: wait_for names a, which is no other task"},
		"empty check":       {"checks: [{name: x, run: y}]", "p.yaml: check 1 needs name, run and issue"},
		"plan without work": {"plan: [{id: a}]", "p.yaml: a is planned, but nothing under work says how to do it"},
		"plan without id":   {"plan: [{title: a}]", "p.yaml: plan 1 has no id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := playbook.Parse("p.yaml", []byte(c.text))
			require.ErrorContains(t, err, c.want)
		})
	}
}
