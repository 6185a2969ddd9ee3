package provider_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/stretchr/testify/require"
)

// program writes a program. No process is begun meanwhile: it would hold the
// file open for writing for a moment, and what is so open cannot be run.
func program(t *testing.T, path, script string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o777))
}

func TestDetect(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for name, script := range map[string]string{
		"claude":   `echo "2.1.330 (Claude Code)"`,
		"codex":    `echo codex-cli 0.9.1`,
		"gemini":   `echo hello`,
		"copilot":  `exit 3`,
		"opencode": `echo "${SECRET:-1.99.0}${OPENCODE_DISABLE_AUTOUPDATE}"`,
		"pi":       ``,
	} {
		program(t, filepath.Join(bin, name), script)
	}
	require.NoError(t, os.WriteFile(filepath.Join(bin, "qwen"), []byte("no program"), 0o666))
	found := map[string]provider.Found{}
	for _, f := range provider.Builtin().Detect(context.Background(), []string{"PATH=nowhere:" + bin, "SECRET=no", "HOME=/"}) {
		found[f.Name] = f
	}
	for name, problem := range map[string]string{"claude": "", "codex": "too old", "gemini": "prints no version", "copilot": "exits 3",
		"opencode": "", "pi": "prints no version", "qwen": "missing", "vibe": "missing", "exec": "", "script": ""} {
		require.Equal(t, problem, found[name].Problem, name)
	}
	require.Equal(t, "2.1.330", found["claude"].Reported)
	require.Equal(t, filepath.Join(bin, "claude"), found["claude"].Path)
	require.True(t, found["codex"].Old)
	require.Equal(t, "1.99.01", found["opencode"].Reported, "it sees what it would see, and no more")
	require.True(t, found["exec"].NamesNoProgram())
	require.False(t, found["claude"].NamesNoProgram())
}

// Its answer is what a program prints on standard output, if it is there; a
// pre-release is as new as its release; and what cannot be read is not too old.
func TestDetectVersion(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]provider.Found{
		"echo 2.1.0":                   {Reported: "2.1.0"},
		"echo v2.0.9":                  {Reported: "2.0.9", Problem: "too old", Old: true},
		"echo 2.1.0-beta.1":            {Reported: "2.1.0"},
		"echo 2.1.0-0.3":               {Reported: "2.1.0"},
		"echo 2.0.99-nightly.20260101": {Reported: "2.0.99", Problem: "too old", Old: true},
		"echo '(node:7) 1.0.2 is no more' >&2\necho 2.10.0": {Reported: "2.10.0"},
		"echo 2.1.1 >&2":   {Reported: "2.1.1"},
		"echo 0.0.0-dev":   {Reported: "0.0.0", Problem: "too old", Old: true},
		"echo main-a1b2c3": {Problem: "prints no version"},
		"echo 2":           {Problem: "prints no version"},
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "agent")
			program(t, path, script)
			c := provider.Catalogue{{Name: "agent", Binary: path, Version: []string{"--version"}, Minimum: "2.1.0"}}
			got := c.Detect(context.Background(), []string{"PATH=/usr/bin:/bin"})[0]
			require.Equal(t, want, provider.Found{Reported: got.Reported, Problem: got.Problem, Old: got.Old})
		})
	}
}

// The wait for a program that does not print its version ends, whatever
// it does with signals.
func TestDetectHanging(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	program(t, filepath.Join(bin, "claude"), "trap '' TERM\nwhile :; do sleep 1; done")
	c := provider.Catalogue{*provider.Builtin().FindRow("claude")}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	require.Equal(t, "does not answer", c.Detect(ctx, []string{"PATH=" + bin + ":/usr/bin:/bin"})[0].Problem)
}

func TestLoggedIn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	row := provider.Builtin().FindRow("codex")
	in, known := row.LoggedIn([]string{"HOME=" + home, "CODEX_API_KEY=x"})
	require.True(t, in && known)
	in, _ = row.LoggedIn([]string{"HOME=" + home})
	require.False(t, in)
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".codex"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".codex", "auth.json"), nil, 0o666))
	in, _ = row.LoggedIn([]string{"HOME=" + home})
	require.True(t, in)
	in, _ = row.LoggedIn([]string{"HOME=/nowhere", "CODEX_HOME=" + filepath.Join(home, ".codex")})
	require.True(t, in)
	_, known = provider.Builtin().FindRow("exec").LoggedIn(nil)
	require.False(t, known)
}

func TestEntry(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"claude": "claude auth login", "gemini": "export GEMINI_API_KEY=KEY", "vibe": "vibe --setup", "exec": "",
	} {
		require.Equal(t, command, provider.Builtin().FindRow(name).LoginCommand(), name)
	}
}
