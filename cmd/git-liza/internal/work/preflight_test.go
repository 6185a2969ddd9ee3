package work

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A disk that is nearly full is a warning, a full one stops the work.
func TestJudgeDisk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bytes, files uint64
		want         Finding
	}{
		{lowBytes, lowFiles, Finding{"disk", "ok", "1024 MiB free at /a b", ""}},
		{lowBytes - 1, lowFiles, Finding{"disk", "warn", "1023 MiB free at /a b", "df -h '/a b'"}},
		{fullBytes - 1, lowFiles, Finding{"disk", "fail", "31 MiB free at /a b", "df -h '/a b'"}},
		{lowBytes, lowFiles - 1, Finding{"disk", "warn", "1024 MiB free at /a b, and room for 19999 files", "df -i '/a b'"}},
		{lowBytes, 0, Finding{"disk", "fail", "1024 MiB free at /a b, and room for 0 files", "df -i '/a b'"}},
	} {
		require.Equal(t, c.want, judgeDisk("/a b", c.bytes, c.files))
	}
}
