package provider_test

import (
	"context"
	"os"
	"testing"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/stretchr/testify/require"
)

func TestMissingCommand(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"/nope": "/nope", "/nope --flag": "/nope", "'/nope'": "/nope", "A=b /nope": "/nope", "git-liza-none x": "git-liza-none",
		"sh x": "", "exit 3": "", "if true; then exit; fi": "", "./agent.sh": "", "$HOME/agent": "", "~/agent": "", "test -e x": "", `"/my agent" x`: "",
		"/etc/passwd": "/etc/passwd",
	} {
		p, err := provider.Builtin().Find("exec:"+command, "self")
		require.NoError(t, err)
		require.Equal(t, want, p.Missing(context.Background(), os.Environ()), command)
	}
}
