package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/faults"
)

// pictures is the folder in which pictures of the dashboards are kept.
func pictures(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("LIZA_E2E_PICTURES")
	if dir == "" {
		return t.TempDir()
	}
	require.NoError(t, os.MkdirAll(dir, 0o755))
	return dir
}

// browser is the folder of what drives a browser. Where make e2e could not install it, the
// test is skipped and says why.
func browser(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("LIZA_E2E_BROWSER")
	if why, missing := strings.CutPrefix(dir, "missing: "); missing || dir == "" {
		t.Skipf("no browser (%s): make e2e installs it", why)
	}
	require.FileExists(t, filepath.Join(dir, "chromium"))
	return dir
}

// The pages in a real browser while agents work: what browser/drive.mjs does and expects,
// a test for each of its steps.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	dir := browser(t)
	stranger, err := freeAddress()
	require.NoError(t, err)
	c := newCrew(t, "# A thermometer\n\nIt shows both scales. See the [notes](http://"+stranger+"/notes).\n")
	url, more := c.web("--act")
	drive(t, "drive.mjs", c.client, map[string]any{"url": url, "second": more(), "modules": dir, "chromium": filepath.Join(dir, "chromium"),
		"crew": c.folder, "repository": c.dir, "program": shared.path("bin", "git-liza"), "stranger": stranger, "pictures": pictures(t)})
}

// Whatever is wrong with a board stands on its first page, with the command that settles
// it, where nobody has to scroll.
func TestFaultsAboveTheFold(t *testing.T) {
	t.Parallel()
	dir := browser(t)
	boards := []map[string]any{}
	home := t.TempDir()
	for _, f := range faults.Faults() {
		c := &crew{client: &client{t: t, person: "ann", dir: filepath.Join(home, f.Name), env: shared.environment(home)}}
		require.NoError(t, os.Mkdir(c.dir, 0o755))
		require.NoError(t, f.Make(c.dir, c.env))
		if f.Unreadable {
			refused := c.try("git-liza", "web")
			require.Regexp(t, f.Needs[0].Sentence, refused.stderr)
			require.Contains(t, refused.stderr, f.Needs[0].Command)
			continue
		}
		url, _ := c.web()
		boards = append(boards, map[string]any{"name": f.Name, "url": url, "needs": f.Needs})
	}
	drive(t, "fold.mjs", &client{t: t, dir: home, env: shared.environment(home)},
		map[string]any{"modules": dir, "chromium": filepath.Join(dir, "chromium"), "boards": boards, "pictures": pictures(t)})
}

// drive runs a script that drives the browser. Each line "ok NAME" or "failed NAME: WHY"
// is a test.
func drive(t *testing.T, script string, c *client, given map[string]any) {
	t.Helper()
	config, err := json.Marshal(given)
	require.NoError(t, err)
	path, err := filepath.Abs(filepath.Join("browser", script))
	require.NoError(t, err)
	o := c.within(4*time.Minute, []string{"DRIVE=" + string(config)}, "node", path)
	steps := 0
	for line := range strings.Lines(o.stdout) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, why, _ := strings.Cut(rest, ": ")
		steps++
		t.Run(name, func(t *testing.T) { require.Equal(t, "ok", word, why) })
	}
	require.Zero(t, o.code, "%s", o.text())
	require.Greater(t, steps, 5)
}
