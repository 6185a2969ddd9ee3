package provider

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/launcher"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// What the words of a program name can be read, but not what a session said was its id.
func TestDomainOfAResumedSession(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	rules, key := filepath.Join(home, "rules"), filepath.Join(home, "key")
	for _, name := range []string{rules, key} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	p := Provider{Row: Row{Binary: "sh", Args: []string{rules}, Resume: []string{"--resume", "{session}"}}}
	d := p.domain(Spawn{Domain: &proc.Domain{}, Resume: key, Environ: []string{"HOME=" + home}}, launcher.Session{})
	require.Contains(t, d.Read, rules)
	require.NotContains(t, d.Read, key)
}
