package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Three hosts with a principal each, one that codes, one that reviews, one
// that plans and merges, finish the demo's product through the server.
func TestThreeHosts(t *testing.T) {
	t.Parallel()
	for _, signed := range []bool{false, true} {
		name := "by the server's word"
		if signed {
			name = "by signatures"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := shared.bare(t)
			if signed {
				shared.onServer(t, repo, "config", "liza.server.requireSignedMoves", "true")
			}
			alice := shared.hire(t, "alice", repo)
			require.NoError(t, os.CopyFS(alice.dir, os.DirFS(filepath.Join("..", "..", "demo", "product"))))
			alice.found()
			coder := alice.employ("coder", "--role", "coder")
			reviewer := alice.employ("reviewer", "--role", "code-reviewer")
			merger := alice.employ("merger", "--role", "planner", "--right", "merge")
			ended := make(chan outcome, 3)
			rush := func(c *client, posts ...string) {
				go func() {
					ended <- c.within(20*time.Minute, nil, append([]string{"git-liza", "rush", "--provider=script"}, posts...)...)
				}()
			}
			rush(merger, "--planners=1", "--coders=0", "--reviewers=0")
			require.True(t, alice.waits("UNCLAIMED"), alice.must("git-liza", "log"))
			for _, c := range []*client{coder, reviewer} {
				c.trusts()
			}
			rush(coder, "--planners=0", "--coders=2", "--reviewers=0")
			rush(reviewer, "--planners=0", "--coders=0", "--reviewers=1")
			merged := alice.waits("MERGED")
			alice.must("git-liza", "stop", "--reason", "done")
			for range 3 {
				o := <-ended
				if !merged || o.code != 0 {
					t.Errorf("exit %d: %s", o.code, o.text())
				}
				require.NotContains(t, o.text(), "other hosts do not see", "the server takes what agents say of themselves")
			}
			require.True(t, merged, alice.must("git-liza", "status"))
			alice.works()
			for _, c := range []*client{coder, reviewer, merger} {
				c.must("git-liza", "sync")
				c.must("git-liza", "fsck", "--full")
			}
		})
	}
}

// employ enters a host as a principal and gives it a clone.
func (c *client) employ(host string, flags ...string) *client {
	c.t.Helper()
	c.must(append([]string{"git-liza", "principal", "add", host, "--kind", "machine", "--user", host, "--key", shared.path("keys", host+".pub")}, flags...)...)
	hired := shared.hire(c.t, host, filepath.Base(filepath.Dir(c.remote()))+"/product")
	hired.must("git-liza", "sync", "--set", "origin")
	hired.must("git", "config", "liza.trust.planner", "true")
	return hired
}

func (c *client) remote() string {
	return strings.TrimSuffix(c.must("git", "config", "remote.origin.url"), ".git")
}

// trusts lets the commands run here that the planner of another host has put
// on the board.
func (c *client) trusts() {
	c.t.Helper()
	c.must("git-liza", "sync")
	var answer struct {
		Data struct{ Commands []struct{ Hash string } } `json:"data"`
	}
	require.NoError(c.t, json.Unmarshal([]byte(c.must("git-liza", "trust", "--list", "--json")), &answer))
	require.NotEmpty(c.t, answer.Data.Commands)
	for _, command := range answer.Data.Commands {
		c.must("git-liza", "trust", command.Hash)
	}
}

// waits looks at the server until all tasks of the plan are in a state.
func (c *client) waits(state string) bool {
	c.t.Helper()
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for late := time.After(18 * time.Minute); ; {
		c.must("git-liza", "sync")
		found := slices.Collect(maps.Values(c.statuses()))
		if len(found) == 5 && !slices.ContainsFunc(found, func(status string) bool { return status != state }) {
			return true
		}
		select {
		case <-late:
			return false
		case <-tick.C:
		}
	}
}

func (c *client) statuses() map[string]string {
	c.t.Helper()
	var answer struct {
		Data struct {
			Tasks []struct{ ID, Status string } `json:"tasks"`
		} `json:"data"`
	}
	require.NoError(c.t, json.Unmarshal([]byte(c.must("git-liza", "list", "--all", "--json")), &answer))
	found := map[string]string{}
	for _, task := range answer.Data.Tasks {
		found[task.ID] = task.Status
	}
	return found
}

// works checks that the product on the server's integration passes its tests.
func (c *client) works() {
	c.t.Helper()
	c.must("git-liza", "sync")
	c.must("git", "fetch", "-q", "origin")
	require.Equal(c.t, c.must("git", "rev-parse", "origin/integration"), c.must("git", "rev-parse", "integration"))
	tree := filepath.Join(c.t.TempDir(), "product")
	c.must("git", "worktree", "add", "-q", "--detach", tree, "origin/integration")
	c.must("sh", filepath.Join(tree, "scripts", "integration-test.sh"))
}

// acts are what each host does on the staged board, and what goes with it.
var acts = []struct {
	host string
	move []string
	refs []string
}{
	{"coder", []string{"claim", "task-6", "--as", "coder-2"}, []string{"refs/liza/state"}},
	{"reviewer", []string{"approve", "task-3", "--as", "code-reviewer-1", "--commit", "COMMIT"}, []string{"refs/liza/state"}},
	{"merger", []string{"merge", "task-2", "--as", "planner-1"}, []string{"refs/liza/state", "refs/heads/integration"}},
}

// None of the hosts can do what another does: neither in the other's name, by any
// pusher, nor in its own with a client that allows it.
func TestOthersActs(t *testing.T) {
	t.Parallel()
	for _, signed := range []string{"false", "true"} {
		for _, act := range acts {
			t.Run(act.move[0]+" signed "+signed, func(t *testing.T) {
				t.Parallel()
				repo := shared.copyStage(t)
				shared.onServer(t, repo, "config", "liza.server.requireSignedMoves", signed)
				for _, other := range acts {
					if other.host != act.host {
						shared.raw(t, other.host, repo).usurps(act.host, act.move, act.refs)
					}
				}
				own := shared.raw(t, act.host, repo)
				own.makes(act.move)
				own.must(append([]string{"git", "push", "-q", "--atomic", "origin"}, act.refs...)...)
			})
		}
	}
}

// usurps makes another's move in its name, then in its own, and is refused.
func (c *client) usurps(owner string, move, refs []string) {
	c.t.Helper()
	c.must("git", "config", "liza.principal", owner)
	c.makes(move)
	c.denied(refs)
	forge, err := filepath.Abs(filepath.Join("testdata", "bin", "forge"))
	require.NoError(c.t, err)
	c.must(forge, "-e", "s/principal: "+owner+"/principal: "+c.person+"/")
	c.denied(refs)
}

// makes runs the program; COMMIT is what task-3 submits.
func (c *client) makes(move []string) {
	c.t.Helper()
	args := []string{"git-liza"}
	for _, arg := range move {
		if arg == "COMMIT" {
			arg = c.must("git", "rev-parse", "liza/task-3")
		}
		args = append(args, arg)
	}
	c.must(args...)
}

func (c *client) denied(refs []string) {
	c.t.Helper()
	o := c.try(append([]string{"git", "push", "-q", "--atomic", "origin"}, refs...)...)
	require.Positive(c.t, o.code, "%s: %s", c.person, o.text())
	require.Regexp(c.t, `(?m)^remote: liza-refused: [0-9a-f]+ (principal|signature): .+; type: \S`, o.stderr)
}
