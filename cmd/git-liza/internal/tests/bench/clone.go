package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
)

// benchTasks is the number of tasks that moves are measured on, each with a coder that
// claims and releases it. Their worktrees exist before anything is measured.
const benchTasks = 16

func benchTask(n int) board.TaskID   { return board.TaskID(fmt.Sprintf("bench-%d", n+1)) }
func benchCoder(n int) board.AgentID { return board.AgentID(fmt.Sprintf("coder-%d", n+1)) }

// A clone is a repository with a generated board.
type clone struct {
	b    *bench
	path string // its work tree
	git  string // its git directory
}

// liza returns a command of the measured program.
func (c *clone) liza(args ...string) command {
	return command{dir: c.path, args: append([]string{c.b.program}, args...)}
}

// plain runs git for what is not measured.
func (c *clone) plain(args ...string) (string, error) {
	return c.b.output(command{dir: c.path, args: append([]string{"git"}, args...)})
}

// syncing configures both sides alike: "none" or "batch".
func (c *clone) syncing(mode string) error {
	core := "none"
	if mode == "batch" {
		core = "loose-object,reference"
	}
	for key, value := range map[string]string{"liza.fsync": mode, "core.fsync": core} {
		if _, err := c.plain("config", key, value); err != nil {
			return err
		}
	}
	return nil
}

// claim and release return commands that take and give back the n-th task. Repeated in
// turn, each makes a move that finds the task's worktree in place.
func (c *clone) claim(n int) command {
	return c.liza("claim", string(benchTask(n)), "--as", string(benchCoder(n)))
}

func (c *clone) release(n int) command {
	return c.liza("release", string(benchTask(n)), "--as", string(benchCoder(n)))
}

// floorRef is where the script makes its changes, beside the board.
const floorRef = "refs/floor/state"

// unhooked keeps the hooks of git liza out of a script of plain git.
var unhooked = []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=/dev/null"}

// floor returns the script's claim of the n-th task, with the documents of the last
// draft.
func (c *clone) floor(n int) command {
	args := []string{"sh", c.b.path("floor.sh"), floorRef, "claim " + string(benchTask(n))}
	for _, key := range []board.Key{{Folder: board.Tasks, ID: string(benchTask(n))}, {Folder: board.Agents, ID: string(benchCoder(n))}} {
		dir, name := path.Split(gitstore.DocumentPath(key))
		args = append(args, path.Base(dir), name, c.drafted(name))
	}
	return command{dir: c.path, env: append([]string{"GIT_DIR=" + c.git}, unhooked...), args: args}
}

func (c *clone) drafted(name string) string { return filepath.Join(c.path, "..", "draft-"+name) }

// A draft holds the documents of a claim, as they are on the board.
type draft map[string]string // by the name that the script reads

func (c *clone) draft(n int) (draft, error) {
	d := draft{}
	for _, key := range []board.Key{{Folder: board.Tasks, ID: string(benchTask(n))}, {Folder: board.Agents, ID: string(benchCoder(n))}} {
		where := gitstore.DocumentPath(key)
		text, err := c.plain("show", layout.State+":"+where)
		if err != nil {
			return nil, err
		}
		d[c.drafted(path.Base(where))] = text
	}
	return d, nil
}

// write writes the documents for the script, with content that is new each time.
func (d draft) write() error {
	for name, text := range d {
		if err := os.WriteFile(name, fmt.Appendf(nil, "%s\n# %d\n", text, time.Now().UnixNano()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tip returns the commit of the state ref.
func (c *clone) tip() (string, error) { return c.plain("rev-parse", layout.State) }

// begin sets the script's ref to the board's state.
func (c *clone) begin() error {
	_, err := c.plain("update-ref", floorRef, layout.State)
	return err
}

// made counts the commits on a ref since a commit.
func (c *clone) made(since, ref string) (int, error) {
	out, err := c.plain("rev-list", "--count", since+".."+ref)
	if err != nil {
		return 0, err
	}
	n := 0
	_, err = fmt.Sscan(strings.TrimSpace(out), &n)
	return n, err
}
