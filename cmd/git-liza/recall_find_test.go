//go:build !apart

package main

import (
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/secret"
)

// TestRecallLate asks after another process has entered more than this one knows: nothing
// of that is lost, and nothing is entered twice.
func TestRecallLate(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	inv := &invocation{output: output{stdout: io.Discard, stderr: io.Discard}, ctx: t.Context(), environ: p.env, now: time.Now, dir: p.repo}
	early, err := inv.look()
	require.NoError(t, err)
	p.must("git-liza", "note", "Zeppelins fly low")
	p.must("git-liza", "recall", "zeppelins")
	late := recallReading{look: early, ctx: t.Context(), mask: secret.New(p.env, nil), progress: inv.progress}
	hits, kept, err := late.ask("zeppelins", "", 5)
	require.NoError(t, err)
	require.NoError(t, kept)
	require.Len(t, hits, 1)
	require.Zero(t, late.entered)
}

// TestRecallAtOnce asks from several processes before there is an index: each of them enters
// what the others have not, and finds it.
func TestRecallAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	for i := range 20 {
		p.must("git-liza", "note", fmt.Sprintf("Zeppelin %d flies low", i))
	}
	var all sync.WaitGroup
	found := make([]string, 8)
	for i := range found {
		all.Go(func() { _, found[i], _ = p.run(nil, "git-liza", "recall", "zeppelin", "7") })
	}
	all.Wait()
	for _, text := range found {
		require.Contains(t, text, "Zeppelin 7 flies low")
	}
}
