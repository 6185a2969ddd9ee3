package provider_test

import (
	"testing"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/stretchr/testify/require"
)

func TestPauses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 3, 1, 12, 0, 0, 500, time.UTC)
	paused := func() *provider.Pause {
		return provider.Paused(dir, "claude", now)
	}
	pause := func(trouble provider.Trouble) time.Duration {
		p, err := provider.PauseFor(dir, "claude", trouble, now)
		require.NoError(t, err)
		if p.Until.IsZero() {
			return 0
		}
		return p.Until.Sub(now.Truncate(time.Second))
	}
	const second = time.Second // times are whole seconds, and a pause is never shorter
	quota := provider.Trouble{Kind: provider.Quota, Text: "usage limit reached"}
	require.Nil(t, paused())

	// Without a word about its end a pause grows with those before it.
	for _, want := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour} {
		require.Equal(t, want+second, pause(quota))
		require.Equal(t, "quota", paused().Kind.String())
		require.Equal(t, want+second, pause(quota), "a second agent that runs into it does not make it longer")
		now = now.Add(want + 2*second)
		require.Nil(t, paused())
	}
	ended, err := provider.Resume(dir, "claude")
	require.NoError(t, err)
	require.True(t, ended)
	require.Equal(t, 30*second+second, pause(provider.Trouble{Kind: provider.Outage, Text: "502"}), "and begins anew after a resumption")

	// The provider's own word goes before, unless it is no sense.
	quota.Until = now.Add(3 * time.Hour)
	require.Equal(t, 3*time.Hour+second, pause(quota))
	require.Contains(t, paused().String(), "quota until 2026-03-01T17:")
	quota.Until = now.Add(-time.Hour)
	require.Equal(t, 3*time.Hour+second, pause(quota), "the later end is kept")
	_, err = provider.Resume(dir, "claude")
	require.NoError(t, err)
	for _, want := range []time.Duration{second, second, 30 * second, time.Minute, 2 * time.Minute, 5 * time.Minute, 5 * time.Minute} {
		quota.Until = now.Add(second)
		require.Equal(t, want+second, pause(quota), "one that says every time that a moment will do is not asked every moment")
		now = now.Add(want + 2*second)
	}
	_, err = provider.Resume(dir, "claude")
	require.NoError(t, err)
	quota.Until = now.Add(1000 * 24 * time.Hour)
	require.Equal(t, time.Minute+second, pause(quota))

	// After too many requests at once the next try comes soon, and later ones less
	// and less often.
	_, err = provider.Resume(dir, "claude")
	require.NoError(t, err)
	for _, want := range []time.Duration{10 * second, 30 * second, time.Minute, 5 * time.Minute} {
		require.Equal(t, want+second, pause(provider.Trouble{Kind: provider.Quota, Rate: true, Text: "429"}))
		now = now.Add(want + 2*second)
	}

	// Nobody logs in by waiting.
	require.Zero(t, pause(provider.Trouble{Kind: provider.Login, Text: "please log in"}))
	require.Zero(t, pause(quota), "a quota is not more than that")
	now = now.Add(10000 * time.Hour)
	require.Equal(t, "login: please log in", paused().String())
	ended, err = provider.Resume(dir, "claude")
	require.NoError(t, err)
	require.True(t, ended)
	require.Nil(t, paused())
	ended, err = provider.Resume(dir, "claude")
	require.NoError(t, err)
	require.False(t, ended)
}
