package provider_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
)

// The agents of one process make their folder at the same time.
func TestProgramsAtOnce(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for range 20 {
		common := t.TempDir()
		errs := make([]error, 8)
		var all sync.WaitGroup
		begin := make(chan struct{})
		for i := range errs {
			all.Go(func() {
				<-begin
				_, errs[i] = provider.Programs(common, self, os.Environ())
			})
		}
		close(begin)
		all.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		links, err := filepath.Glob(filepath.Join(common, "liza", "programs", "*", "*"))
		require.NoError(t, err)
		require.Len(t, links, 2, "the names of unfinished ones stay: %q", links)
	}
}
