package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// tasks is how many tasks the clones race for.
const tasks = 50

// loser matches what every late claimer is told: the holder, and until when.
var loser = regexp.MustCompile(`is held by (coder-\d+) until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// A race is a set of hosts that claim the same tasks from clones of their own.
type race struct {
	t     *testing.T
	site  *site
	repo  string
	admin *client
	hosts []*client
	round int   // of the list of tasks, from 1
	wins  []int // of each host, in all rounds
	mu    sync.Mutex
	won   map[string]int // task to host
	told  int            // losers that were told who and until when
	again int            // commands repeated because the server was away or a client died
	slow  float64        // the longest command, seconds
}

// newRace makes a server with a board of tasks, and n hosts that may claim.
func newRace(t *testing.T, s *site, n int) *race {
	t.Helper()
	r := &race{t: t, site: s, repo: s.bare(t), wins: make([]int, n)}
	alice := s.hire(t, "alice", r.repo)
	alice.found()
	r.admin = alice
	for i := range n {
		host := hosts[i]
		alice.must("git-liza", "principal", "add", host, "--kind", "machine", "--role", "coder", "--agent", fmt.Sprintf("coder-%d???", i+1),
			"--user", host, "--key", s.path("keys", host+".pub"))
		c := s.hire(t, host, r.repo)
		c.must("git-liza", "sync", "--set", "origin")
		r.hosts = append(r.hosts, c)
	}
	return r
}

// claim lets a host try for one task until it knows the holder.
func (r *race) claim(host, task int) error {
	id := fmt.Sprintf("race-%d%02d", r.round, task)
	agent := fmt.Sprintf("coder-%d%d%02d", host+1, r.round, task)
	for {
		o := r.hosts[host].try("git-liza", "claim", id, "--as", agent, "--json")
		rule, reason := o.rule()
		r.mu.Lock()
		r.slow = max(r.slow, o.seconds)
		switch {
		case o.code == 0:
			if other, ok := r.won[id]; ok {
				r.mu.Unlock()
				return fmt.Errorf("%s was won by hosts %d and %d", id, other, host)
			}
			r.won[id] = host
		case o.code == 3 && rule == "lease" && loser.MatchString(reason):
			r.told++
		case o.code == -1 || o.code == 1 || o.code == 4: // killed, no server, or time to try again
			r.again++
			r.mu.Unlock()
			continue
		default:
			r.mu.Unlock()
			return fmt.Errorf("%s for %s exits %d: %s", agent, id, o.code, o.text())
		}
		r.mu.Unlock()
		return nil
	}
}

// list puts the next tasks on the board.
func (r *race) list() {
	r.t.Helper()
	r.mu.Lock()
	r.round++
	r.won, r.told = map[string]int{}, 0
	r.mu.Unlock()
	var list strings.Builder
	for i := range tasks {
		fmt.Fprintf(&list, "- {id: race-%d%02d, title: T, done_when: D, spec: specs/vision.md, scope: S, kind: docs}\n", r.round, i+1)
	}
	require.NoError(r.t, os.WriteFile(filepath.Join(r.admin.dir, "..", "tasks.yaml"), []byte(list.String()), 0o644))
	r.admin.must("git-liza", "task", "add", "--from", "../tasks.yaml")
}

// run lets all hosts go through a new list at once.
func (r *race) run() {
	r.t.Helper()
	r.list()
	failed := make(chan error, len(r.hosts))
	for host := range r.hosts {
		go func() {
			for task := range tasks {
				if err := r.claim(host, task+1); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range r.hosts {
		require.NoError(r.t, <-failed)
	}
}

// holds checks what must be true after a race, on the server and every clone.
func (r *race) holds() {
	r.t.Helper()
	for _, host := range r.won {
		r.wins[host]++
	}
	require.Len(r.t, r.won, tasks)
	require.Equal(r.t, tasks*(len(r.hosts)-1), r.told, "every loser is told")
	tip := ""
	for i, c := range r.hosts {
		c.must("git-liza", "sync")
		c.must("git-liza", "fsck", "--full")
		state := c.must("git", "rev-parse", "refs/liza/state", "refs/heads/integration")
		if i > 0 {
			require.Equal(r.t, tip, state, "clones agree")
		}
		tip = state
	}
	require.Equal(r.t, tip, strings.Join(strings.Fields(r.onServer("rev-parse", "refs/liza/state", "refs/heads/integration")), "\n"))
	require.Contains(r.t, r.onServer("show", "refs/liza/state:liza.yaml"), strings.Fields(tip)[1])
	log := r.onServer("log", "--format=%s", "refs/liza/state")
	for id, host := range r.won {
		require.Equal(r.t, 1, strings.Count(log, "claim "+id+" by "), log)
		require.Contains(r.t, log, fmt.Sprintf("claim %s by coder-%d%s", id, host+1, strings.TrimPrefix(id, "race-")))
	}
	r.t.Logf("figures: %d clones, %d tasks: wins %v, longest command %.1f s, repeated %d", len(r.hosts), r.round*tasks, r.wins, r.slow, r.again)
}

// fair reports whether nobody has won three times as often as another.
func (r *race) fair() bool { return slices.Max(r.wins) <= 3*slices.Min(r.wins) }

func (r *race) onServer(args ...string) string {
	r.t.Helper()
	return r.site.onServer(r.t, r.repo, args...)
}

// Hosts with their own names and clones claim from one list: each task has one
// winner, each loser hears who and until when, and nobody starves.
func TestRaces(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2, 8} {
		t.Run(fmt.Sprintf("%d clones", n), func(t *testing.T) {
			r := newRace(t, shared, n)
			// Six wins each are few to tell bad luck from a host that starves.
			for r.round == 0 || !r.fair() && r.round < 4 {
				r.run()
				r.holds()
			}
			require.True(t, r.fair(), "a host starves: %v", r.wins)
		})
	}
}
