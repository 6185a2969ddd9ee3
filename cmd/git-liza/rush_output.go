package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
)

// A rushOutput prints what supervisors say.
type rushOutput struct {
	*invocation
	lines  bool // a JSON object for each message
	quiet  bool // only what needs a person
	layout view.RushLayout
	unread bool // nobody reads standard output any more
}

// tell prints a message. If nobody reads it, the work that is under way goes on.
func (o *rushOutput) tell(m supervise.Message) {
	if o.json && !o.lines || o.unread || o.quiet && m.Kind != supervise.NeedMessage {
		return
	}
	line := view.RushLine{At: m.At, Kind: string(m.Kind), Goal: m.Goal, Task: m.Task, Title: m.Title, Agent: m.Agent, Text: m.Text}
	if m.Of > 0 {
		line.Progress = &view.Progress{Merged: m.Merged, Of: m.Of}
	}
	var err error
	if o.lines {
		err = o.encode(line)
	} else {
		o.layout.Width = o.width()
		err = o.answer("", nil, o.layout.Text(line))
	}
	if err != nil {
		o.unread = true
		o.warn("nobody reads what the supervisors say any more; they go on: git liza agents")
	}
}

// warn prints a line on standard error, which may be closed as well.
func (o *rushOutput) warn(line string) { _, _ = o.stderr.Write([]byte(line + "\n")) }

// surviveReader lets a write to a closed pipe fail instead of ending this process. The
// programs that it starts are not concerned.
func surviveReader() (restore func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

// print prints how a rush ended, if anything happened in it.
func (o *rushOutput) print(s view.RushSummary) {
	if !o.json && !o.unread && s.Used.Usage.Sessions+len(s.Merged)+len(s.Untrusted) > 0 {
		_ = o.answer("", nil, s.Text(o.width())) // a closed pipe is no reason to fail
	}
}

// summary is how a rush ended. open is what it leaves open.
func (v *supervisors) summary(b *board.Board, open []supervise.Stall, took time.Duration) view.RushSummary {
	sum := v.rush.Total()
	s := view.RushSummary{Open: []view.OpenTask{}, Used: view.Spent{Usage: sum.Used, Uncounted: sum.Uncounted}, Took: took}
	for _, id := range sum.Merged {
		one := view.MergedTask{ID: id}
		if t := b.Task(id); t != nil {
			one.Title = t.Title
		}
		s.Merged = append(s.Merged, one)
	}
	for _, one := range open {
		s.Open = append(s.Open, view.OpenTask{Task: one.Task, Status: one.Status, Why: one.Why, Command: one.Hint})
	}
	if len(sum.Merged) > 0 {
		s.Next = takeCommand(v.invocation, v.rush.Clone.Repo, b)
	}
	if c := b.Settings().Control; s.Next == "" && !c.State.IsRunning() {
		s.Next = c.Onward(b)
	}
	return s
}
