package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// storyPage is the page on which a person leads a rush from the inbox.
const storyPage = "../../doc/transcript.md"

// TestTranscript plays the page: it types each command at the real program, with a script
// as the agents, and holds what is printed against the page. Once the rush has begun it
// types nothing that the inbox has not shown. With UPDATE_SCRIPTS set it writes the page.
func TestTranscript(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(storyPage)
	require.NoError(t, err)
	s := newStory(t)
	var played strings.Builder
	last := 0
	for _, block := range consoleBlock.FindAllSubmatchIndex(text, -1) {
		s.heed(string(text[last:block[2]]))
		played.Write(text[last:block[2]])
		played.WriteString(s.play(string(text[block[2]:block[3]])))
		last = block[3]
	}
	played.Write(text[last:])
	page := strings.Replace(played.String(), rushPlace, s.endOfRush(), 1)
	if s.update {
		require.NoError(t, os.WriteFile(storyPage, []byte(page), 0o644))
		return
	}
	require.Equal(t, string(text), page, "UPDATE_SCRIPTS=1 go test -run TestTranscript ./cmd/git-liza writes the page")
}

var (
	// consoleBlock is a block of commands, each behind a dollar sign, with what they print.
	consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")
	// doing is what the page says of the person beside the commands.
	doing = regexp.MustCompile(`<!-- (writes|types): (.*) -->`)
	// placeholder is a word of an item's command that the person replaces.
	placeholder = regexp.MustCompile(`(^| )(M|R|TEXT)( |$)`)
)

// rushPlace stands for what a rush prints until it has ended.
const rushPlace = "\x00"

// A story is the play of the page, in a repository of its own.
type story struct {
	t       *testing.T
	update  bool
	dir     string
	environ []string
	offered []string // the commands of the inbox; nil before the rush has begun
	writes  string   // what the person writes in the editor
	types   string   // what the person types at a terminal
	rush    *exec.Cmd
	said    bytes.Buffer // by the rush
}

func newStory(t *testing.T) *story {
	root := t.TempDir()
	s := &story{t: t, update: os.Getenv("UPDATE_SCRIPTS") != "", dir: filepath.Join(root, "thermometer")}
	agent, err := filepath.Abs(filepath.Join("testdata", "story", "agent.sh"))
	require.NoError(t, err)
	gittest.Write(t, root, "home/.gitconfig", "[user]\n\tname = Ann Example\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n"+unattended+
		"[liza]\n\tbackoff = 1ms\n[liza \"confine\"]\n\tread = "+filepath.Dir(agent)+"\n[liza]\n\tprovider = \"exec:sh '"+agent+"'\"\n")
	gittest.Script(t, filepath.Join(root, "editor"), "#!/bin/sh\n{ printf '%s\\n' \"$WRITES\"; cat \"$1\"; } >\"$1.new\"\nmv \"$1.new\" \"$1\"\n")
	s.environ = append(slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "LIZA_") || strings.HasPrefix(entry, "XDG_")
	}), "HOME="+filepath.Join(root, "home"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+root, "LC_ALL=C", "TZ=UTC", "NO_COLOR=1",
		"COLUMNS=80", "GIT_PAGER=cat", "GIT_EDITOR="+filepath.Join(root, "editor"), "GORACE=atexit_sleep_ms=0")
	require.NoError(t, os.Mkdir(s.dir, 0o755))
	s.run("git init -q && git commit -q --allow-empty -m 'An empty project'")
	return s
}

// heed notes what the person will do beside typing commands.
func (s *story) heed(prose string) {
	for _, found := range doing.FindAllStringSubmatch(prose, -1) {
		if found[1] == "writes" {
			s.writes = found[2]
		} else {
			s.types = found[2]
		}
	}
}

// play types the commands of a block, and returns the block with what they print now.
func (s *story) play(block string) string {
	var played strings.Builder
	for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
		command, want, _ := strings.Cut(part, "\n")
		played.WriteString("$ " + command + "\n" + s.take(command, want))
	}
	return played.String()
}

// take types a command and returns what it prints.
func (s *story) take(command, want string) string {
	switch {
	case strings.HasPrefix(command, "git liza rush "):
		s.begin(command)
		return rushPlace
	case command == "git liza inbox":
		return s.look(want)
	case s.rush != nil:
		require.True(s.t, slices.ContainsFunc(s.offered, func(offered string) bool { return means(offered, command) }), "the inbox does not say %q: %q", command, s.offered)
	}
	if s.types != "" {
		return s.atTerminal(command)
	}
	return s.run(command)
}

// means reports whether a command is one of the inbox, with words of the person's own for
// those in capitals that stand for any.
func means(offered, typed string) bool {
	pattern := placeholder.ReplaceAllString(regexp.QuoteMeta(offered), `$1'[^']+'$3`)
	return regexp.MustCompile("^" + pattern + "$").MatchString(typed)
}

// command returns a shell command in the repository.
func (s *story) command(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = s.dir, append(slices.Clone(s.environ), "WRITES="+s.writes)
	return cmd
}

func (s *story) run(line string) string {
	s.t.Helper()
	out, err := s.command(line).CombinedOutput()
	require.NoError(s.t, err, "%s\n%s", line, out)
	return alike(string(out))
}

// atTerminal types a command at a terminal, and then what the person types there.
func (s *story) atTerminal(line string) string {
	s.t.Helper()
	terminal, err := gittest.OpenTerminal()
	require.NoError(s.t, err)
	cmd := s.command(line)
	terminal.Control(cmd)
	cmd.Stdout, cmd.Stderr = terminal.Line(), terminal.Line()
	require.NoError(s.t, cmd.Start())
	typed := terminal.Follow("> [a,r,f,n,d,t,s,q,?]? \n" + s.types + "\n")
	s.types = ""
	err = cmd.Wait()
	shown := terminal.Close()
	require.NoError(s.t, typed, "%s", shown)
	require.NoError(s.t, err, "%s", shown)
	return alike(shown)
}

// begin begins the rush.
func (s *story) begin(line string) {
	s.rush = s.command("exec " + strings.Replace(line, "git liza", "git-liza", 1))
	s.rush.Stdout, s.rush.Stderr = &s.said, &s.said
	s.rush.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(s.t, s.rush.Start())
	s.t.Cleanup(func() {
		if s.rush.ProcessState == nil {
			gittest.KillGroup(s.rush)
			s.t.Logf("the rush said:\n%s", s.said.String())
		}
	})
}

// endOfRush ends the rush as Ctrl-C does, and returns the line that sums it up: the order of
// what goes on at the same time is another one in each run.
func (s *story) endOfRush() string {
	require.NoError(s.t, syscall.Kill(s.rush.Process.Pid, syscall.SIGINT))
	require.NoError(s.t, s.rush.Wait(), "%s", s.said.String())
	sum := regexp.MustCompile(`(?m)^.* tasks merged, .*\n`).FindString(s.said.String())
	require.NotEmpty(s.t, sum, "%s", s.said.String())
	return alike(sum)
}

// isQuiet reports whether agents have nothing to do: whatever is not done waits for a
// person, or for what waits for one.
func (s *story) isQuiet() bool {
	var status struct {
		Data struct{ Waiting []struct{ For string } }
	}
	require.NoError(s.t, json.Unmarshal([]byte(s.run("git liza status --json")), &status))
	return !slices.ContainsFunc(status.Data.Waiting, func(group struct{ For string }) bool {
		return slices.Contains([]string{"work", "merge", "recheck", "coder", "code-reviewer"}, group.For)
	})
}

// look waits until agents have nothing to do and the inbox says what is wanted, and
// returns it.
func (s *story) look(want string) string {
	s.t.Helper()
	seen, since := "", time.Now()
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("the inbox said:\n%s", seen)
		}
	})
	gittest.Until(s.t, "git liza inbox\n"+want, func() bool {
		tip := s.run("git rev-parse refs/liza/state")
		now := s.run("git liza inbox")
		if !s.isQuiet() {
			now = ""
		}
		if tip+now != seen {
			seen, since = tip+now, time.Now()
		}
		if s.update {
			want = now
			return now != "" && time.Since(since) > 4*time.Second
		}
		return now == want
	})
	s.offered = nil
	for line := range strings.Lines(want) {
		if command, ok := strings.CutPrefix(line, "      git "); ok {
			s.offered = append(s.offered, "git "+strings.TrimSuffix(command, "\n"))
		}
	}
	return want
}

// alike writes what differs from run to run always in one way.
func alike(text string) string {
	for _, one := range []struct{ pattern, as string }{
		{`\r|\x1b\[[?0-9;]*[A-Za-z]`, ``},
		{`\b(coder|code-reviewer)-[1-9]\b`, `$1-1`},
		{`(?m)^( now|[ 0-9]{3}[smh])  `, ` now  `},
		{`\b[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}Z`, `2026-01-17 14:00:00Z`},
		{`(?m)^[0-9:]{4,}Z`, `14:00Z`},
		{`\bin [0-9]+[ms]\b`, `in 20s`},
		{`(?m)^Updating [0-9a-f]+\.\.[0-9a-f]+`, `Updating 3f2a1c0..9d7e3f2`},
		{`\b[0-9a-f]{40}\b`, `3f2a1c0b9d7e3f2a1c0b9d7e3f2a1c0b9d7e3f2a`},
		{`\b[0-9a-f]{10}\b`, `3f2a1c0b9d`},
	} {
		text = regexp.MustCompile(one.pattern).ReplaceAllString(text, one.as)
	}
	return text
}
