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

// A Spawn is one session of an agent: who it is, what it is about, where it
// works and how long it may.
type Spawn struct {
	Agent      flow.AgentID
	Generation flow.Generation // as the spawned process carries it
	Session    string          // the id that the provider's session shall have, where it can be chosen
	Resume     string          // the provider's session that goes on; "" begins one
	Task       flow.TaskID     // "" for a planner
	Review     flow.ObjectID   // the commit under review, "" for others
	Dir        string
	Prompt     string
	// Committer is the name and address of the user on whose behalf the agent
	// commits; it stays the author.
	Committer [2]string
	Common    string    // the repository's own folder, which all worktrees share
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
	path, args := p.Command(s.Agent.Role(), s)
	r, err := proc.Run(ctx, proc.Command{Path: path, Args: args, Dir: s.Dir, Env: s.Environment(p.Env, p.Set(s.Agent.Role(), s)...),
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
// the names in allow, what is set, who it is and what it works on.
func (s Spawn) Environment(allow []string, set ...string) []string {
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
	return proc.Environment(s.Environ, append([]string{testClock}, allow...), append(set, own...)...)
}
