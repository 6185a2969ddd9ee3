// Package provider runs the programs that do an agent's work: it spawns one in
// a worktree with a prompt, and says how it ended.
//
// It does not decide what the ending means for a task: exit codes and records can be
// false, so the supervisor looks at the board and the worktree.
package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/acp"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/launcher"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/flow/board"
)

// A Spawn is one session of an agent: the agent, its task, its folder, its environment
// and its limits of time.
type Spawn struct {
	Agent      board.AgentID
	Row        *board.RoleRow   // of the agent's role; nil leaves it the fewest permissions
	Generation board.Generation // as the spawned process carries it
	Session    string           // the id for the provider's session, where it can be chosen
	Resume     string           // the provider's session to resume; "" begins one
	Goal       board.GoalID     // of the task, or that a planner plans for
	Task       board.TaskID     // "" for a planner
	Review     board.ObjectID   // the commit under review, "" for others
	Question   board.RecordID   // that the session is to answer, "" for others
	Dir        string
	Prompt     string
	System     string // what Row.System adds to the system prompt, "" for nothing
	// Committer is the name and address of the user on whose behalf the agent
	// commits; it stays the author.
	Committer [2]string
	Common    string       // the common git directory, which all worktrees share
	Board     string       // its id
	Mark      *proc.Mark   // as in proc.Command
	Records   string       // as in proc.Command
	Domain    *proc.Domain // as in proc.Command, but for what the program itself needs
	Environ   []string     // the environment of which the agent sees a part
	Programs  string       // the folder that the agent has first on its PATH
	Machine   []string     // what this machine adds to its environment
	Output    io.Writer    // receives the program's output, from two goroutines; may be nil
	Follow    io.Writer    // receives lines for people instead of records; may be nil
	// Watch is called every few seconds with what the program has reported so far.
	// The program is ended when Watch returns false. It may be nil.
	Watch func(transcript.Report) bool
	// Full says whether the context is so full, as [Provider.Fullness] has it, that
	// another session should continue. The agent is then asked for a handoff by
	// HandoffRequest if the program takes messages. Else it is ended between two results
	// of tools while no process of a tool runs; so is one that goes on for long after it
	// was asked. The outcome is Exhausted. Nil is never.
	Full           func(fullness float64) bool
	HandoffRequest string
	// Ends is how the session ends, see EndsBy, and the acts whose first success does that, with
	// blanks between; "" says that the program ends by itself.
	Ends string

	Idle, Wall, Grace time.Duration // as in proc.Command
	Busy              func() bool   // as in proc.Command; may be nil
	Unguarded         func()        // as in proc.Command
}

// Run spawns the program and waits for its end. When it returns, none of its
// descendants runs any more (proc.Command.Bound), and its container is gone. The error
// says that the program could not be started, which [Unstartable] tells, or that its
// container could not be removed.
func (p Provider) Run(ctx context.Context, s Spawn) (Ending, error) {
	if err := p.Prepare(s); err != nil {
		return Ending{}, err
	}
	path, args := p.Command(s)
	env := s.Environment(p.Env, p.Set(s)...)
	place, h := p.place(s, env), p.newHandover(s)
	c, err := p.Launcher.Begin(proc.Command{Path: path, Args: args, Dir: s.Dir, Env: env, Idle: s.Idle, Busy: s.Busy, Wall: s.Wall, Grace: s.Grace,
		Bound: true, Mark: s.Mark, Records: s.Records, Domain: p.domain(s, place), Began: h.began, Unguarded: s.Unguarded}, place)
	if err != nil {
		return Ending{}, fmt.Errorf("provider %s: %w", p.Name, err)
	}
	e := s.newCapture(env)
	run := p.runWithRecords
	if p.ACP {
		run = p.runACP
	}
	r, report, err := run(ctx, c, s, e, h)
	e.close()
	if err == nil {
		r.Excerpt = e.all.Text()
		err = p.Launcher.CheckExit(r, p.takesCommand())
	}
	if err = errors.Join(err, p.Launcher.End(context.WithoutCancel(ctx), place)); err != nil {
		return Ending{}, fmt.Errorf("provider %s: %w", p.Name, err)
	}
	return h.judge(p.judgeEnding(r, s, e, e.maskReport(report))), nil
}

// Confines reports whether the kernel may confine the program's sessions: a container does that
// itself, and what is built in runs nothing of its own.
func (p Provider) Confines() bool { return !p.Launcher.Contains() && p.ownCommand() == "" }

// domain is that of the session, with the program and what its words name, but for what another
// session said itself: its id.
func (p Provider) domain(s Spawn, place launcher.Session) *proc.Domain {
	if s.Domain == nil {
		return nil
	}
	d := *s.Domain
	s.Resume, s.System = "", ""
	_, args := p.Command(s)
	d.Read = slices.Concat(d.Read, place.Files, confine.Named(append(strings.Fields(strings.Join(args, " ")), p.Binary), s.Dir, proc.Value(s.Environ, "HOME")),
		[]string{s.Programs, place.Self})
	return &d
}

// Unstartable reports whether an error of [Provider.Run] says that the program, or what runs
// its container, could not be started.
func Unstartable(err error) bool {
	return proc.Unstartable(err) || errors.Is(err, launcher.ErrNotBegun)
}

// place is what a container of the session needs.
func (p Provider) place(s Spawn, env []string) launcher.Session {
	place := launcher.Session{Name: launcher.Name(s.Board, string(s.Agent), string(s.Generation.Parent())), Board: s.Board, Generation: string(s.Generation.Parent()),
		Dir: s.Dir, Writes: s.Row != nil && s.Row.Capacity != board.Plans, Common: s.Common, Moves: p.Commit == ByAgent}
	place.Self, _ = filepath.EvalSymlinks(filepath.Join(s.Programs, "git-liza")) // an agent can do without it
	for _, folder := range p.Folders {
		if path := expandPath(folder, env); path != "" {
			place.Folders = append(place.Folders, path)
		}
	}
	if len(p.Files) > 0 {
		place.Files = append(place.Files, p.folder(s))
	}
	if p.ownCommand() != "" {
		place.Files = append(place.Files, p.Binary)
	}
	return place
}

// runWithRecords runs a program that takes its prompt on standard input and prints
// records.
func (p Provider) runWithRecords(ctx context.Context, c proc.Command, s Spawn, e *capture, h *handover) (proc.Result, transcript.Report, error) {
	records, err := transcript.New(p.Output)
	if err != nil {
		return proc.Result{}, transcript.Report{}, err
	}
	if e.follow != nil {
		records.Follow(e.follow)
	}
	c.Stdin, c.Output, c.Stdout = strings.NewReader(s.Prompt), e.stderr, io.MultiWriter(writeCall(h.notePrinted), records, e, e.stdout, writeCall(h.noteOutput))
	if records.Report().End == transcript.Unmarked {
		// Plain text keeps its order only as one stream.
		c.Output, c.Stdout = c.Stdout, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ledger := p.newLedger(s, c.Env, time.Now())
	report := func() transcript.Report { return ledger.addUsage(records.Report()) }
	go s.watchUsage(ctx, cancel, report, h)
	r, err := proc.Run(ctx, c)
	return r, report(), err
}

// runACP runs a program that speaks the Agent Client Protocol. Its messages are logged
// as text for people.
func (p Provider) runACP(ctx context.Context, c proc.Command, s Spawn, e *capture, h *handover) (proc.Result, transcript.Report, error) {
	c.Output = e.stderr
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var last atomic.Pointer[transcript.Report]
	last.Store(&transcript.Report{})
	go s.watchUsage(ctx, cancel, func() transcript.Report { return *last.Load() }, h)
	prompt := acp.Prompt{Role: s.Agent.Role(), Writes: s.Row != nil && s.Row.Has(board.ToolWrite), Text: s.Prompt, Dir: s.Dir, Model: p.Model, Resume: s.Resume, Follow: e.stdout, Messages: h.messages,
		Update: func(r transcript.Report) {
			h.notePrinted()
			last.Store(&r)
			h.noteOutput()
		}}
	if e.follow != nil {
		prompt.Follow = io.MultiWriter(e.stdout, e.follow)
	}
	return acp.Run(ctx, c, prompt)
}

// watchInterval is the time between two calls of Watch.
const watchInterval = 2 * time.Second

// watchUsage calls s.Watch with the report so far, and cancels the session when that
// returns false or the session hands over.
func (s Spawn) watchUsage(ctx context.Context, cancel context.CancelFunc, report func() transcript.Report, h *handover) {
	if s.Watch == nil {
		return
	}
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.news:
			if !h.due {
				continue // most of the output comes long before
			}
		case <-tick.C:
			r := report()
			if !s.Watch(r) {
				cancel()
				return
			}
			h.look(r)
		}
		if h.due && h.ends(report()) {
			cancel()
			return
		}
	}
}

// inherited are the variables that agents get as their supervisor has them.
var inherited []string

// Environment is the environment of the spawned program: the variables that every
// command may see, those in allow, those of the machine, those in set, and those that name
// the agent and its task.
func (s Spawn) Environment(allow []string, set ...string) []string {
	path := s.Programs
	if rest := proc.Value(s.Environ, "PATH"); rest != "" {
		path += string(filepath.ListSeparator) + rest
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
	if s.Row != nil {
		own = append(own, "LIZA_CAPACITY="+s.Row.Capacity.String())
	}
	for _, one := range []struct{ name, value string }{{"LIZA_GOAL", string(s.Goal)}, {"LIZA_TASK", string(s.Task)}, {"LIZA_REVIEW_COMMIT", string(s.Review)},
		{"LIZA_QUESTION", string(s.Question)}, {"LIZA_ENDS", s.Ends}} {
		if one.value != "" {
			own = append(own, one.name+"="+one.value)
		}
	}
	return proc.Environment(s.Environ, slices.Concat(inherited, allow), slices.Concat(s.Machine, set, keepVariables(s.Environ), own)...)
}
