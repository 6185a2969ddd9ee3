package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A pane is a terminal of tmux with a shell, at which a person types.
type pane struct {
	*client
	socket string
	rows   int
}

// newPane opens one in the repository of a crew. The program's editor writes one line.
func newPane(c *crew, columns, rows int) *pane {
	c.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		c.t.Skip("no tmux: make e2e installs it on Debian")
	}
	editor := filepath.Join(c.folder, "editor")
	require.NoError(c.t, os.WriteFile(editor, []byte("#!/bin/sh\n{ echo 'It is no time at all.'; cat \"$1\"; } >\"$1.new\"\nmv \"$1.new\" \"$1\"\n"), 0o755))
	env := []string{"TERM=xterm-256color", "GIT_EDITOR=" + editor, "PS1=$ ", "SHELL=/bin/sh"}
	for _, entry := range c.env {
		if !strings.HasPrefix(entry, "NO_COLOR=") {
			env = append(env, entry)
		}
	}
	p := &pane{client: &client{t: c.t, dir: c.dir, env: env}, rows: rows, socket: filepath.Join(c.folder, fmt.Sprintf("tmux-%d", columns))}
	p.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), "/bin/sh")
	c.t.Cleanup(func() { p.try("tmux", "-S", p.socket, "kill-server") })
	p.tmux("set-option", "-g", "status", "off")
	p.resize(columns, rows)
	p.await("$") // else the terminal echoes what is typed, and the shell's prompt comes behind it
	return p
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	o := p.try(append([]string{"tmux", "-S", p.socket}, args...)...)
	require.Zero(p.t, o.code, "%v: %s", args, o.text())
	return o.stdout
}

func (p *pane) resize(columns, rows int) {
	p.t.Helper()
	p.rows = rows
	p.tmux("resize-window", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows))
}

// press sends keys as tmux names them.
func (p *pane) press(keys ...string) {
	p.t.Helper()
	p.tmux(append([]string{"send-keys"}, keys...)...)
}

// await waits until the screen shows all texts, and none that begins with an exclamation
// mark, and returns it.
func (p *pane) await(texts ...string) string {
	p.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		screen := p.tmux("capture-pane", "-p")
		wrong := slices.IndexFunc(texts, func(text string) bool {
			gone, isGone := strings.CutPrefix(text, "!")
			return strings.Contains(screen, gone) == isGone
		})
		if wrong < 0 {
			return screen
		}
		require.True(p.t, time.Now().Before(end), "the screen is not as awaited, %q:\n%s", texts[wrong], screen)
	}
}

// keep writes what the screen shows to the folder of pictures, as text and drawn.
func (p *pane) keep(name string) {
	p.t.Helper()
	dir := pictures(p.t)
	require.NoError(p.t, os.WriteFile(filepath.Join(dir, name+".txt"), []byte(p.tmux("capture-pane", "-p")), 0o644))
	require.NoError(p.t, os.WriteFile(filepath.Join(dir, name+".svg"), []byte(drawScreen(p.tmux("capture-pane", "-p", "-e"))), 0o644))
}

// The dashboard in a terminal of three sizes while agents work: what needs the person
// stands in the first fifteen lines with its command, it moves by itself, takes another
// size, and leaves the terminal as it was.
func TestWatchInTmux(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "# A thermometer\n\nIt shows both scales.\n")
	for _, size := range [][2]int{{40, 15}, {80, 24}, {200, 60}} {
		p := newPane(c, size[0], size[1])
		p.press("git-liza watch", "Enter")
		screen := p.await("Needs you 2", "git liza answer limits")
		lines := strings.Split(screen, "\n")
		require.Contains(t, strings.Join(lines[:min(len(lines), 15)], "\n"), "git liza answer limits", screen)
		p.keep(fmt.Sprintf("watch-%dx%d", size[0], size[1]))
		p.press("?")
		p.await("Keys ━")
		p.press("Escape")
		p.await("Needs you 2", "!Keys ━")
		p.press("/")
		p.press("agent:nobody", "Enter")
		p.await("agent:nobody")
		p.press("q")
		p.await("git-liza watch\n$")
		p.press("stty -a | tr ' ;' '\\n' | grep -x -e echo -e icanon", "Enter")
		p.await("\necho\n", "\nicanon\n")
	}
	require.Equal(t, "2", c.must("git-liza", "inbox", "--count"), "looking changes nothing")

	p := newPane(c, 100, 30)
	p.press("git-liza watch", "Enter")
	p.await("Needs you 2", "git liza answer limits")
	p.keep("watch-100x30")
	p.resize(40, 15)
	p.await("Needs you 2")
	p.resize(120, 40)
	p.await("Needs you 2", "Read a number with its unit")
	c.must("git-liza", "note", "The servers are new")
	p.await("note")
	p.press("a")
	p.await("Needs you 1")
	require.Contains(t, c.must("git-liza", "record", "list", "questions", "--all", "--json"), `"answer":"It is no time at all."`)
	c.goOn("parser")
	c.goOn("table")
	c.await("MERGED", "sh", "-c", `git liza show report --json | grep -o '"status":"[A-Z_]*"' | head -n 1 | cut -d '"' -f 4`)
	p.press("q")
	p.await("answered → UNCLAIMED\n$")
}
