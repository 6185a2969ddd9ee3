package provider_test

import (
	"cmp"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/stretchr/testify/require"
)

// settings are lines of git's configuration: NAME.KEY=VALUE.
func settings(lines ...string) []git.Setting {
	var list []git.Setting
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		list = append(list, git.Setting{Key: provider.Prefix + key, Value: value})
	}
	return list
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	c, err := provider.Load(settings("claude.binary=/opt/claude", "claude.args=-p", "claude.args=a b", "claude.model=opus", "claude.env=MY_KEY OTHER",
		"claude.env=THIRD", "claude.coder=--yes", "claude.coder-env=A=1", "claude.resume=false", "claude.commit=supervisor", "claude.planner=", "codex.minimum=1", "codex.minimum=2"))
	require.NoError(t, err)
	p, err := c.Find("claude", "")
	require.NoError(t, err)
	path, args := p.Command(provider.Spawn{Row: coder, Resume: "x"})
	require.Equal(t, "/opt/claude", path)
	require.Equal(t, []string{"-p", "a b", "--model", "opus", "--yes"}, args)
	_, args = p.Command(provider.Spawn{Row: roles[0]})
	require.Equal(t, []string{"-p", "a b", "--model", "opus"}, args)
	require.Contains(t, p.Set(provider.Spawn{Row: coder}), "A=1")
	require.NotContains(t, p.Set(provider.Spawn{Row: roles[0]}), "A=1")
	require.Equal(t, provider.BySupervisor, p.Commit)
	for _, name := range []string{"ANTHROPIC_*", "MY_KEY", "OTHER", "THIRD"} {
		require.Contains(t, p.Env, name)
	}
	require.Equal(t, "2", c.FindRow("codex").Minimum)
	require.NotContains(t, provider.Builtin().FindRow("claude").Env, "MY_KEY", "what is built in stays as it is")
	require.Equal(t, "claude", provider.Builtin().FindRow("claude").Binary)
	p, err = c.Find("claude:haiku", "")
	require.NoError(t, err)
	require.Equal(t, "haiku", p.Model)
}

func TestOwnRow(t *testing.T) {
	t.Parallel()
	c, err := provider.Load(settings("mine.binary=tool", "mine.output=claude", "mine.args={dir}", `mine.coder={"common/x"}`, "mine.session=--id={session}"))
	require.NoError(t, err)
	p, err := c.Find("mine", "")
	require.NoError(t, err)
	path, args := p.Command(provider.Spawn{Row: coder, Dir: "/w", Common: `/a "b"`, Session: "1-2"})
	require.Equal(t, "tool", path)
	require.Equal(t, []string{"/w", `"/a \"b\"/x"`, "--id=1-2"}, args)
	_, err = c.Find("mine:big", "")
	require.ErrorContains(t, err, "takes no model")
}

// Everything wrong names its key and a command.
func TestBadSettings(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"cluade.model=opus":         "liza.provider.cluade.model: there is no provider cluade",
		"mine.binary=x":             "needs liza.provider.mine.output",
		"Bad Name.model=x":          "no provider has such a name",
		"model=x":                   "no provider has such a name",
		"claude.frob=x":             "liza.provider.claude.frob: there is no such key",
		"claude.commit=me":          `"me" is none of [agent supervisor]`,
		"claude.usage=x":            "is none of",
		"claude.contract=x":         "is none of",
		"claude.acp=perhaps":        "neither true nor false",
		"claude.quota=(":            "error parsing regexp",
		"claude.output=morse":       "is no output family",
		"claude.binary=":            "needs a program",
		"claude.args={modle}":       "{modle} stands for nothing",
		"claude.env-set=X":          "is not NAME=VALUE",
		"claude.code-reviewer-env=": "",
		"claude.windows=opus":       `"opus" is not MODEL=TOKENS`,
		"claude.windows==7":         "is not MODEL=TOKENS",
		"claude.windows=a=b":        "is not MODEL=TOKENS",
		"claude.windows=a=0":        "is not MODEL=TOKENS",
		"exec.handoff=256":          `"256" is no exit code from 1 to 255`,
		"exec.handoff=two":          "is no exit code",
		"exec.binary=x":             "exec has no binary of its own",
		"exec.model=x":              "liza.provider.exec.model-args",
	} {
		_, err := provider.Load(settings(line))
		if want == "" {
			require.NoError(t, err, line)
			continue
		}
		var bad *provider.ConfigError
		require.ErrorAs(t, err, &bad, line)
		require.ErrorContains(t, err, want, line)
		require.Contains(t, bad.Hint, "git config ", line)
	}
}

// The page on configuration has a row for every key, and no other.
func TestKeysOnThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../../doc/configuration.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "### Rows of providers")
	table, _, _ = strings.Cut(table, "\n##")
	var rows []string
	for _, cell := range regexp.MustCompile("(?m)^\\| (`[^|]*)\\|").FindAllStringSubmatch(table, -1) {
		rows = append(rows, strings.Split(strings.Trim(cell[1], "` "), "`, `")...)
	}
	_, err = provider.Load(settings("claude.nonsense=1"))
	var bad *provider.ConfigError
	require.True(t, errors.As(err, &bad))
	require.ElementsMatch(t, strings.Split(strings.TrimPrefix(bad.Reason, "there is no such key; there are "), ", "), rows)
}

// The page on agents says of every built-in program how it is installed, how
// somebody logs in, and which version is the oldest.
func TestProgramsOnThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../../doc/agents.md")
	require.NoError(t, err)
	for _, row := range provider.Builtin() {
		if row.Install == "" {
			continue
		}
		line := regexp.MustCompile("(?m)^\\| `" + row.Name + "`.* install .*$").FindString(string(text))
		require.Contains(t, line, "`"+row.Install+"`", row.Name)
		require.Contains(t, line, "| "+cmp.Or(row.Minimum, "any")+" |", row.Name)
		if len(row.LoginArgs) > 0 {
			require.Contains(t, line, "`"+row.Binary+" "+strings.Join(row.LoginArgs, " ")+"`", row.Name)
		}
	}
}
