package hooks

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// TestReceived: a server knows of a push what its settings and the variable
// that they name say, and nothing else of the environment.
func TestReceived(t *testing.T) {
	t.Parallel()
	y := newServerFixture(t, "sha1")
	received := func(env map[string]string, settings ...string) (Push, error) {
		for i := 0; i < len(settings); i += 2 {
			gittest.Git(t, y.server, "config", settings[i], settings[i+1])
		}
		return ReadPush(context.Background(), y.open(y.server).Repo, nil, y.now, func(name string) string { return env[name] })
	}
	p, err := received(map[string]string{"LIZA_USER": "eve", "REMOTE_USER": "eve"})
	require.NoError(t, err)
	require.Equal(t, Push{Server: true, Now: y.now}, p)
	p, err = received(map[string]string{"LIZA_USER": "ann", "GIT_PUSH_OPTION_COUNT": "2", "GIT_PUSH_OPTION_0": "ci.skip", "GIT_PUSH_OPTION_1": "liza-publish"},
		"liza.server.userEnv", "LIZA_USER", "liza.server.requireSignedMoves", "yes", "liza.server.admin", "ann", "liza.server.adminKey", "ssh-ed25519 A")
	require.NoError(t, err)
	require.Equal(t, Push{Server: true, Now: y.now, User: "ann", UserKnown: true, Signed: true, Publish: true, Admin: "ann", AdminKey: "ssh-ed25519 A"}, p)
	_, err = received(nil, "liza.server.requireSignedMoves", "perhaps")
	require.ErrorContains(t, err, "perhaps")
	for text, want := range map[string]bool{"True": true, "2": true, "0x1": true, "00": false, "OFF": false} {
		p, err := received(nil, "liza.server.requireSignedMoves", text)
		require.NoError(t, err, text)
		require.Equal(t, want, p.Signed, text)
	}

	for text, want := range map[string]uint64{"": 2 << 30, "512m": 512 << 20, "3g": 3 << 30, "1048576": 1 << 20, "many": 0, "-1": 0, "1gg": 0} {
		gittest.Git(t, y.server, "config", "liza.server.memory", text)
		n, err := Memory(context.Background(), y.open(y.server).Repo)
		require.Equal(t, want, n, text)
		require.Equal(t, want == 0, err != nil, text)
	}
}
