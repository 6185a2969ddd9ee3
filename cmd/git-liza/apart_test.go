package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program that is built apart links nothing of the views for people, and starts the
// whole program for them.
func TestProgramApart(t *testing.T) {
	t.Parallel()
	deps := func(tags string) string {
		out, err := exec.Command("go", "list", "-tags", tags, "-deps", ".").Output()
		require.NoError(t, err)
		return string(out)
	}
	for _, costly := range []string{"github.com/yuin/goldmark\n", "html/template\n", "charm.land/bubbletea/v2\n", "charm.land/lipgloss/v2\n"} {
		require.Contains(t, deps(""), costly)
		require.NotContains(t, deps("apart"), costly)
	}
	dir := t.TempDir()
	program, beside := filepath.Join(dir, "git-liza"), filepath.Join(dir, "git-liza-whole")
	build := exec.Command("go", "build", "-tags", "apart", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	run := func(args ...string) string {
		c := exec.Command(program, args...)
		c.Dir, c.Env = dir, append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		out, err := c.CombinedOutput()
		require.Error(t, err)
		return string(out)
	}
	require.Contains(t, run("web"), "there is no second program "+beside+", which make install puts beside this one, for the pages")
	require.NoError(t, os.WriteFile(beside, []byte("#!/bin/sh\necho started \"$@\"\nexit 7\n"), 0o755))
	require.Equal(t, "started web --act --addr 127.0.0.1:0", strings.TrimSpace(run("web", "--act", "--addr", "127.0.0.1:0")))
}
