package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// JSON holds no character that a terminal obeys, and the same values.
func TestEncodedJSONHoldsNoMarks(t *testing.T) {
	t.Parallel()
	const value = "fo\u202eba\u2066r\u200d\u007f\u0085\x1b[2K\U000e0041\ufe0f\u2028 ü <é> 日本 🎉\n"
	var out strings.Builder
	require.NoError(t, (&output{stdout: &out, json: true}).answer("changed", map[string]string{"text": value}, ""))
	require.Contains(t, out.String(), `"fo\u202eba\u2066r\u200d\u007f\u0085\u001b[2K\udb40\udc41\ufe0f\u2028 ü <é> 日本 🎉\n"`)
	var got struct{ Data struct{ Text string } }
	require.NoError(t, json.Unmarshal([]byte(out.String()), &got))
	require.Equal(t, value, got.Data.Text)
}
