package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onlyParsed are examples that run until somebody ends them, or that need more than a
// board: stories run such commands.
var onlyParsed = strings.Split(`git liza web --act
git liza demo --fast
git liza loop run prd.json --iterations 4
git liza loop export goal-1
git liza review
git liza rush --coders 2 --until-idle
git liza agent coder --provider script --once
git liza agents restart coder-1
git liza agents stop coder-1
git liza board breaker reset --resolution 'The disk has room again'
git liza goal level pass
git liza pr import reviews.json`, "\n")

// exampleNeeds is what is typed before an example can do something, by its command.
var exampleNeeds = map[string]string{
	"adopt":               `git merge -q integration && git merge -q -m w liza/writer`,
	"approve":             `git merge -q -m m integration && echo more >>specs/vision.md && git commit -q -a -m spec && git liza adopt HEAD --reason R`,
	"artifact regenerate": `git liza goal set --workflow feature --map none=any`,
	"board edit":          `GIT_EDITOR='sh -c "cp \$1 config.yaml" sh' git liza board edit config; export GIT_EDITOR='sed -i "s/^title: .*/title: Dates/"'`,
	"checkpoint decide":   `git liza checkpoint begin --reason R`,
	"checkpoint show":     `git liza checkpoint begin --reason R`,
	"extension add":       `mkdir -p ../house && printf 'name: house\nversion: "1"\nabout: how we write\n' >../house/extension.yaml && printf -- '- {name: lint, command: "true"}\n' >../house/gates.yaml`,
	"extension gates":     `mkdir -p ../house && printf 'name: house\nversion: "1"\nabout: how we write\n' >../house/extension.yaml && printf -- '- {name: lint, command: "true"}\n' >../house/gates.yaml && git liza extension add ../house && git add .liza && git commit -q -m house`,
	"extension remove":    `mkdir -p ../house && printf 'name: house\nversion: "1"\nabout: how we write\n' >../house/extension.yaml && printf -- '- {name: lint, command: "true"}\n' >../house/gates.yaml && git liza extension add ../house && git add .liza && git commit -q -m house`,
	"checkpoint lift":     `git liza checkpoint begin --reason R && git liza checkpoint decide REPLAN --message M`,
	"goal phase back":     `git liza goal set Hours --spec specs/vision.md --workflow feature --phase DESIGN --beside`,
	"goal phase next":     `printf 'phases: [{name: ONE}, {name: TWO}]\n' >mine.yaml; git liza goal set Hours --spec specs/vision.md --workflow mine.yaml --beside`,
	"intent":              `git liza claim parser --as coder-2`,
	"pr push":             `rm -rf ../remote.git && git init -q --bare ../remote.git && git remote add origin ../remote.git`,
	"principal remove":    `git liza principal add ann --new-key --agent 'human:*' --right admin; git liza principal add bob --kind human --agent 'human:bob'`,
	"reject":              `printf -- '- [blocker] reader/text:1 — it is empty\nWhy it matters: nothing is read\n' >reason.txt; export GIT_EDITOR="cp $PWD/reason.txt"`,
	"rush":                `git config liza.script.playbook /dev/null`,
	"session show":        `git liza session add lexer --as coder-1 --provider p --outcome nothing --output plan.yaml`,
	"sprint start":        `git liza sprint close`,
	"sync":                `rm -rf ../remote.git && git init -q --bare ../remote.git && git remote add origin ../remote.git;  git push -q origin main;  git liza sync --set origin`,
	"watch":               `git liza answer cache YAML`,
	"task unblock":        `git liza block lexer --reason stuck --question Q --as coder-1`,
}

// Each command has one or two examples, and each does what it is for, typed in a shell.
func TestExamples(t *testing.T) {
	t.Parallel()
	cli, err := kong.New(&commands{})
	require.NoError(t, err)
	script, err := filepath.Abs("testdata/examples.sh")
	require.NoError(t, err)
	root := t.TempDir()
	sh := func(dir, text string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", text)
		cmd.Dir, cmd.Env = dir, exampleEnvironment(root)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := sh(root, "sh "+script+" && mv repo made")
	require.NoError(t, err, out)
	known := 0
	for _, leaf := range cli.Model.Leaves(true) {
		words := commandWords(leaf)
		list := examplesOf(words)
		if assert.NotEmpty(t, list, words) {
			known++
		}
		for _, line := range list {
			assert.True(t, strings.HasPrefix(line, "git liza "+strings.Fields(words)[0]), "%s: %s", words, line)
			if slices.Contains(onlyParsed, line) {
				parser, err := kong.New(&commands{}, kong.Exit(func(int) {}))
				require.NoError(t, err)
				_, err = parser.Parse(shellWords.FindAllString(line, -1)[2:])
				assert.NoError(t, err, line)
				continue
			}
			out, err := sh(root, "rm -rf repo && cp -a made repo && cd repo && { "+cmp.Or(exampleNeeds[words], ":")+"\n} >/dev/null && "+line+" </dev/null")
			assert.NoError(t, err, "%s\n%s", line, out)
		}
	}
	_ = kong.Visit(cli.Model, func(v kong.Visitable, next kong.Next) error {
		node, ok := v.(*kong.Node)
		if ok && node.Hidden {
			return nil
		}
		if ok && node.Type == kong.CommandNode {
			assert.NotEmpty(t, exampleText(node), commandWords(node))
		}
		return next(nil)
	})
	require.Equal(t, known, strings.Count(exampleLines, "\n"), "there are examples of commands that do not exist")
}

// shellWords are the words of a command line, quoted ones whole.
var shellWords = regexp.MustCompile(`'[^']*'|\S+`)

// exampleEnvironment is that of a person without settings.
func exampleEnvironment(home string) []string {
	config := filepath.Join(home, ".gitconfig")
	if _, err := os.Stat(config); err != nil {
		_ = os.WriteFile(config, []byte("[user]\n\tname = Ann Example\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n"+unattended), 0o666)
	}
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "TZ=UTC", "NO_COLOR=1"}
}
