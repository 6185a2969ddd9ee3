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

	"github.com/git-liza/git-liza/cmd/git-liza/acp"
	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
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
	Common    string     // the repository's own folder, which all worktrees share
	Mark      *proc.Mark // as in proc.Command
	Records   string     // as in proc.Command
	Environ   []string   // what the environment is filtered from
	Programs  string     // the folder that the agent has first on its PATH
	Output    io.Writer  // receives what it prints, from two goroutines; may be nil
	Follow    io.Writer  // receives lines for people instead of records; may be nil
	// Watch hears every few seconds what the program has reported so far; it
	// is called off when Watch says no. May be nil.
	Watch func(transcript.Report) bool

	Idle, Wall, Grace time.Duration // as in proc.Command
	Busy              func() bool   // as in proc.Command; may be nil
}

// Run spawns the program and waits for its end; when it returns, nobody of its
// descendants is left (proc.Command.Bound). The error says that it could not be
// started.
func (p Provider) Run(ctx context.Context, s Spawn) (Ending, error) {
	if err := p.Prepare(s); err != nil {
		return Ending{}, err
	}
	role := s.Agent.Role()
	path, args := p.Command(role, s)
	env := s.Environment(p.Env, p.Set(role, s)...)
	e := s.listen(env)
	run := p.record
	if p.ACP {
		run = p.converse
	}
	r, report, err := run(ctx, proc.Command{Path: path, Args: args, Dir: s.Dir, Env: env, Idle: s.Idle, Busy: s.Busy, Wall: s.Wall, Grace: s.Grace,
		Bound: true, Mark: s.Mark, Records: s.Records}, s, e)
	e.end()
	if err != nil {
		return Ending{}, fmt.Errorf("provider %s: %w", p.Name, err)
	}
	return p.ending(r, s, e, e.hide(report)), nil
}

// record runs a program that takes its prompt on standard input and prints
// records.
func (p Provider) record(ctx context.Context, c proc.Command, s Spawn, e *ear) (proc.Result, transcript.Report, error) {
	records, err := transcript.New(p.Output)
	if err != nil {
		return proc.Result{}, transcript.Report{}, err
	}
	if e.follow != nil {
		records.Follow(e.follow)
	}
	c.Stdin, c.Output, c.Stdout = strings.NewReader(s.Prompt), e.stderr, io.MultiWriter(records, e, e.stdout)
	if records.Report().End == transcript.Unmarked {
		// Plain text keeps its order only as one stream.
		c.Output, c.Stdout = c.Stdout, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ledger := p.newLedger(s, c.Env, time.Now())
	report := func() transcript.Report { return ledger.count(records.Report()) }
	go s.watch(ctx, cancel, report)
	r, err := proc.Run(ctx, c)
	return r, report(), err
}

// converse runs a program that speaks the Agent Client Protocol. What it says
// is logged as people read it.
func (p Provider) converse(ctx context.Context, c proc.Command, s Spawn, e *ear) (proc.Result, transcript.Report, error) {
	c.Output = e.stderr
	prompt := acp.Prompt{Role: s.Agent.Role(), Text: s.Prompt, Dir: s.Dir, Model: p.Model, Resume: s.Resume, Follow: e.stdout}
	if e.follow != nil {
		prompt.Follow = io.MultiWriter(e.stdout, e.follow)
	}
	return acp.Run(ctx, c, prompt)
}

// heartbeat is how often a caller hears what a program has used.
const heartbeat = 2 * time.Second

// watch asks s.Watch about what is reported so far, and calls the session off
// when it says no.
func (s Spawn) watch(ctx context.Context, cancel context.CancelFunc, report func() transcript.Report) {
	if s.Watch == nil {
		return
	}
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !s.Watch(report()) {
				cancel()
				return
			}
		}
	}
}

// testClock is the variable by which tests shift the clock: agents have the
// same one as their supervisor, or their moves would lie in its past.
const testClock = "LIZA_NOW"

// Environment is what the spawned program sees: what every command may see,
// the names in allow, what is set, who it is and what it works on.
func (s Spawn) Environment(allow []string, set ...string) []string {
	path := s.Programs
	for _, entry := range s.Environ {
		if rest, ok := strings.CutPrefix(entry, "PATH="); ok && rest != "" {
			path = s.Programs + string(filepath.ListSeparator) + rest
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
	return proc.Environment(s.Environ, append([]string{testClock}, allow...), append(append(set, handOn(s.Environ)...), own...)...)
}
