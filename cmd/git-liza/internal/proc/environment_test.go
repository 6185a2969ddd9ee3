package proc_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	base := []string{
		"HOME=/h", "USER=u", "LANG=C", "LC_ALL=C", "LC_TIME=de", "TMPDIR=/t", "TERM=dumb", "PATH=/bin", "PATH=/usr/bin",
		"GIT_DIR=/elsewhere/.git", "GIT_INDEX_FILE=x", "AWS_SECRET=s", "API_KEY=k", "API_URL=a=b", "HOMEX=no", "XLC_ALL=no", "malformed",
	}
	require.Equal(t,
		append(slices.Clone(proc.Unasked), "HOME=/h", "USER=u", "LANG=C", "LC_ALL=C", "LC_TIME=de", "TMPDIR=/t", "TERM=dumb", "PATH=/usr/bin"),
		proc.Environment(base, nil))
	require.Equal(t,
		append(slices.Clone(proc.Unasked), "HOME=/h", "USER=u", "LANG=C", "LC_ALL=C", "LC_TIME=de", "TMPDIR=/t", "TERM=dumb",
			"API_KEY=k", "API_URL=a=b", "PATH=/liza:/bin", "LIZA_ROLE=coder"),
		proc.Environment(base, []string{"API_*", "ABSENT"}, "PATH=/liza:/bin", "LIZA_ROLE=coder"))
	require.Equal(t, proc.Unasked, proc.Environment([]string{"SECRET=s", "GIT_EDITOR=vi", "EDITOR=vi", "GIT_ASKPASS=ksshaskpass", "DISPLAY=:0"}, nil))
	require.Contains(t, proc.Environment([]string{"DISPLAY=:0"}, []string{"DISPLAY"}), "DISPLAY=:0")
}
