package main

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program that is built apart links nothing of the views for people, nor of the tools of
// agents. That it starts the
// whole program for them is shown in make e2e.
func TestProgramApart(t *testing.T) {
	t.Parallel()
	deps := func(tags string) string {
		out, err := exec.Command("go", "list", "-tags", tags, "-deps", ".").Output()
		require.NoError(t, err)
		return string(out)
	}
	for _, costly := range []string{"github.com/yuin/goldmark\n", "git-liza/artifacts/form\n", "html/template\n", "charm.land/bubbletea/v2\n", "charm.land/lipgloss/v2\n",
		"modelcontextprotocol/go-sdk/mcp\n", "net/http\n", "crypto/tls\n"} {
		require.Contains(t, deps(""), costly)
		require.NotContains(t, deps("apart"), costly)
	}
}
