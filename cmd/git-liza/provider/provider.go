// Package provider runs the programs that do an agent's work: it spawns one in
// a worktree with a prompt on standard input, and says how it ended.
//
// What the ending means for a task is not decided here: exit codes lie, the
// supervisor looks at the board and the worktree.
package provider

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow"
)

// A Provider is a program that agents can be. The zero value is none.
type Provider struct {
	// Name is how the board calls it: exec or script.
	Name string
	// Allow are the variables that it may see beside those that every command
	// has; a name that ends in * stands for every one that begins so.
	Allow []string

	path string
	args []string
}

// Parse reads a provider as people write it: exec:COMMAND is any program, run
// by the shell; script is the built-in deterministic agent, which the git-liza
// at self runs.
func Parse(text, self string) (Provider, error) {
	kind, command, _ := strings.Cut(text, ":")
	switch {
	case kind == "exec" && strings.TrimSpace(command) != "":
		path, args := proc.Shell(command)
		return Provider{Name: "exec", path: path, args: args}, nil
	case text == "script":
		return Provider{Name: "script", path: self, args: []string{"script-agent"}}, nil
	}
	return Provider{}, fmt.Errorf("%q is no provider: it is script or exec:COMMAND", text)
}

// A Spawn is one session of an agent: who it is, what it is about, where it
// works and how long it may.
type Spawn struct {
	Agent      flow.AgentID
	Generation flow.Generation // as the spawned process carries it
	Task       flow.TaskID     // "" for a planner
	Review     flow.ObjectID   // the commit under review, "" for others
	Dir        string
	Prompt     string
	// Committer is the name and address of the user on whose behalf the agent
	// commits; it stays the author.
	Committer [2]string
	Environ   []string  // what the environment is filtered from
	Self      string    // the git-liza that the agent finds first on its PATH
	Output    io.Writer // receives what it prints; may be nil

	Idle, Wall, Grace time.Duration // as in proc.Command
}

// An Outcome is what the end of a process claims; the supervisor believes the
// board.
type Outcome uint8

// The outcomes.
const (
	Ended     Outcome = iota + 1 // exit 0
	Exhausted                    // exit 42: its context is used up
	Crashed                      // any other exit, or a signal
	Hung                         // it was silent for too long, or took too long
	Canceled                     // the caller called it off
)

// exhausted is the exit code by which a program says that its context is used
// up and that it wants to be spawned again.
const exhausted = 42

// An Ending is how a session ended.
type Ending struct {
	Outcome Outcome
	Excerpt string // the beginning and the end of the output
	Text    string // for people, such as "exit 1 after 3s"
}

// Run spawns the program and waits for its end; when it returns, nothing of
// its process group is left. The error says that it could not be started.
func (p Provider) Run(ctx context.Context, s Spawn) (Ending, error) {
	r, err := proc.Run(ctx, proc.Command{Path: p.path, Args: p.args, Dir: s.Dir, Env: s.Environment(p.Allow),
		Stdin: strings.NewReader(s.Prompt), Output: s.Output, Idle: s.Idle, Wall: s.Wall, Grace: s.Grace})
	if err != nil {
		return Ending{}, fmt.Errorf("provider %s: %w", p.Name, err)
	}
	return Ending{Outcome: outcome(r), Excerpt: r.Excerpt, Text: describe(r, s)}, nil
}

func outcome(r proc.Result) Outcome {
	switch {
	case r.Reason == proc.Canceled:
		return Canceled
	case r.Reason == proc.IdleLimit || r.Reason == proc.WallLimit:
		return Hung
	case r.Passed():
		return Ended
	case r.Reason == proc.Exited && r.Code == exhausted:
		return Exhausted
	}
	return Crashed
}

func describe(r proc.Result, s Spawn) string {
	took := r.Duration.Round(time.Second)
	switch r.Reason {
	case proc.IdleLimit:
		return fmt.Sprintf("ended after %s without output", s.Idle)
	case proc.WallLimit:
		return fmt.Sprintf("ended after %s, the time limit", s.Wall)
	case proc.Canceled:
		return "called off"
	case proc.Signaled:
		return fmt.Sprintf("killed by signal %d after %s", r.Code-128, took)
	}
	return fmt.Sprintf("exit %d after %s", r.Code, took)
}

// testClock is the variable by which tests shift the clock: agents have the
// same one as their supervisor, or their moves would lie in its past.
const testClock = "LIZA_NOW"

// Environment is what the spawned program sees: what every command may see,
// the names in allow, who it is and what it works on.
func (s Spawn) Environment(allow []string) []string {
	path := filepath.Dir(s.Self)
	for _, entry := range s.Environ {
		if rest, ok := strings.CutPrefix(entry, "PATH="); ok && rest != "" {
			path = filepath.Dir(s.Self) + string(filepath.ListSeparator) + rest
		}
	}
	own := []string{
		"PATH=" + path,
		"LIZA_AGENT_ID=" + string(s.Agent),
		"LIZA_ROLE=" + s.Agent.Role().String(),
		"LIZA_GENERATION=" + string(s.Generation),
		"LIZA_WORKTREE=" + s.Dir,
		"GIT_AUTHOR_NAME=" + string(s.Agent),
		"GIT_AUTHOR_EMAIL=" + string(s.Agent) + "@liza.invalid",
		"GIT_COMMITTER_NAME=" + s.Committer[0],
		"GIT_COMMITTER_EMAIL=" + s.Committer[1],
	}
	if s.Task != "" {
		own = append(own, "LIZA_TASK="+string(s.Task))
	}
	if s.Review != "" {
		own = append(own, "LIZA_REVIEW_COMMIT="+string(s.Review))
	}
	return proc.Environment(s.Environ, append([]string{testClock}, allow...), own...)
}
