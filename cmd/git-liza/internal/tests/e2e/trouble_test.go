package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dying is an ssh that, once in a while, ends the git liza that pushes through
// it: before anything is sent, in the middle of the pack, or after the server
// has everything, so that its answer is lost. Other commands pass.
const dying = `#!/bin/sh
case "$*" in *receive-pack*) ;; *) exec %[1]s "$@" ;; esac
echo x >>'%[2]s'
end() {
	pid=$PPID line=
	while [ "$pid" -gt 1 ]; do
		line="$pid $line"
		case $(cat "/proc/$pid/comm") in git-liza) kill -9 $line; exit 1 ;; esac
		pid=$(cut -d ' ' -f 4 "/proc/$pid/stat")
	done
	kill -9 "$PPID"
	exit 1
}
case $(($(wc -l <'%[2]s') %% 9)) in
2) end ;;
5) { dd bs=1 count=150 2>/dev/null; end; } | %[1]s "$@"; end ;;
8) %[1]s "$@"; end ;;
*) exec %[1]s "$@" ;;
esac
`

// The same race while one of the clients is killed again and again in the
// middle of its pushes.
func TestRaceWithAKilledClient(t *testing.T) {
	t.Parallel()
	r := newRace(t, shared, 2)
	victim := r.hosts[0]
	script, count := filepath.Join(victim.dir, "..", "ssh.sh"), filepath.Join(victim.dir, "..", "pushes")
	require.NoError(t, os.WriteFile(script, fmt.Appendf(nil, dying, shared.sshCommand(victim.person), count), 0o755))
	victim.must("git", "config", "core.sshCommand", "'"+script+"'")
	r.run()
	require.Positive(t, r.again, "nobody was killed")
	victim.must("git", "config", "core.sshCommand", shared.sshCommand(victim.person))
	r.holds()
}

// The same race while the server is away for a time. Nothing is queued: who
// asks while it is away is told so, and asks again.
func TestRaceWithAServerAway(t *testing.T) {
	t.Parallel()
	own, err := os.MkdirTemp("", "git-liza-e2e-") // not below the other's: the path of a socket is a short one
	require.NoError(t, err)
	s, err := newSite(own)
	require.NoError(t, err)
	t.Cleanup(func() {
		s.stop()
		os.RemoveAll(own)
	})
	r := newRace(t, s, 2)
	var away sync.WaitGroup
	away.Add(1)
	go func() {
		defer away.Done()
		r.reaches(tasks / 3)
		r.mu.Lock()
		before := r.again
		r.mu.Unlock()
		s.ssh.stop()
		r.repeats(before + 4)
		if err := s.ssh.restart(); err != nil {
			t.Error(err)
		}
	}()
	r.run()
	away.Wait()
	require.Positive(t, r.again, "nobody noticed")
	r.holds()
}

// reaches waits until so many tasks are won, repeats until so many commands
// had to be repeated.
func (r *race) reaches(n int) { r.until(func() bool { return len(r.won) >= n }) }
func (r *race) repeats(n int) { r.until(func() bool { return r.again >= n }) }

func (r *race) until(holds func() bool) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(5 * time.Minute); ; {
		r.mu.Lock()
		ok := holds()
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-late:
			return
		case <-tick.C:
		}
	}
}
