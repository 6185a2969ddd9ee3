package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

func TestSince(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Time{
		"": {}, "2026-01-17": noon.Add(-12 * time.Hour), "2026-01-17T11:30": noon.Add(-30 * time.Minute), "2026-01-17T12:00:00+01:00": noon.Add(-time.Hour),
		"1w": noon.AddDate(0, 0, -7), "2026-01-17T11:30:01": noon.Add(-30*time.Minute + time.Second),
		"90m": noon.Add(-90 * time.Minute), "3d": noon.AddDate(0, 0, -3), "1h30m": noon.Add(-90 * time.Minute),
	} {
		got, err := parseSince(text, noon)
		require.NoError(t, err, text)
		require.True(t, want.Equal(got), "%s: %s", text, got)
	}
	for _, bad := range []string{"yesterday", "-5m", "0d", "3dd", "3d4h", "2026-02-30", "d", "-1d", "w", "1w1", "+1w", "400000000w", "99999d "} {
		_, err := parseSince(bad, noon)
		require.Error(t, err, bad)
	}
}
