package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-liza/git-liza/internal/torture"
	"github.com/stretchr/testify/require"
)

// A server packs its refs without a pause, and git accepts leases on values
// that it read before: with the hooks no push is lost that git said was made.
// They are plain ones, whose commits no judge looks at, because there must be
// many within a second.
func TestTorturePackedServer(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	p := newPlayground(t)
	server := filepath.Join(filepath.Dir(p.repo), "server.git")
	p.must("git", "init", "-q", "--bare", server)
	p.must("git", "-C", server, "config", "receive.autogc", "false")
	p.must("git", "push", "-q", server, "integration", "refs/liza/state")
	p.must("git", "-C", server, "liza", "hooks", "install", "--server")
	require.NoError(t, os.Remove(filepath.Join(server, "hooks", "pre-receive")))

	var accepted [3][]string
	for w := range accepted {
		clone := server + strconv.Itoa(w)
		p.must("git", "clone", "-q", "--bare", p.repo, clone)
		p.must("git", "-C", clone, "fetch", "-q", server, "+refs/liza/state:refs/seen")
	}
	end := time.Now().Add(30 * time.Second)
	var working sync.WaitGroup
	for w := range accepted {
		clone := server + strconv.Itoa(w)
		working.Go(func() {
			// A slow machine takes longer for the first one.
			for time.Now().Before(end) || len(accepted[w]) == 0 && time.Since(end) < 5*time.Minute {
				if made := p.push(clone, server); made != "" {
					accepted[w] = append(accepted[w], made)
				}
			}
		})
	}
	packed := 0
	for ; time.Now().Before(end); packed++ {
		p.run(nil, "git", "-C", server, "-c", "core.hooksPath=/dev/null", "pack-refs", "--all")
	}
	working.Wait()
	there := p.must("git", "-C", server, "rev-list", "refs/liza/state")
	count, lost := 0, 0
	for _, list := range accepted {
		for _, commit := range list {
			if count++; !strings.Contains(there, commit) {
				lost++
			}
		}
	}
	t.Logf("%d pushes accepted, %d lost, %d packings", count, lost, packed)
	require.Positive(t, count)
	require.Zero(t, lost)
}

// push adds a commit to the state of a server, with a lease on the one that
// the clone has seen, and returns it, "" where git said no.
func (p *playground) push(clone, server string) string {
	_, commit, _ := p.run(nil, "git", "-C", clone, "commit-tree", "-p", "refs/seen", "-m", clone+time.Now().String(), "main^{tree}")
	commit = strings.TrimSpace(commit)
	code, _, _ := p.run(nil, "git", "-C", clone, "push", "-q", "--force-with-lease=refs/liza/state:refs/seen", server, commit+":refs/liza/state")
	if code != 0 {
		p.run(nil, "git", "-C", clone, "fetch", "-q", server, "+refs/liza/state:refs/seen")
		return ""
	}
	p.run(nil, "git", "-C", clone, "update-ref", "refs/seen", commit)
	return commit
}
