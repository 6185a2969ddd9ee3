// Package screen shows a blackboard on a terminal while it changes: what needs the person
// first, then who does what, how far it is, what went wrong, and the last moves. Keys run
// the commands of git liza, as if they were typed.
//
// It draws values of package view and decides nothing. It draws anew only when something
// changed, at most ten times a second. Everything that a board says is untrusted: no text
// of it controls the terminal.
package screen

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
)

// framesPerSecond bounds how often the terminal is written to.
const framesPerSecond = 10

// A Screen is a terminal with what it needs from the program: all fields are required.
type Screen struct {
	In      io.Reader // the terminal
	Out     io.Writer
	Environ []string
	Color   bool // colours may be used
	Now     func() time.Time

	// Words are the filter with which it begins, see [view.ParseFilter].
	Words string

	// Follow shows the picture of the board, and after that whenever it changed, with the
	// parts that may have changed, until ctx is done. With an error the picture is the last
	// one, nil if there was none. It shows it again at the time that show returns, unless
	// that is zero.
	Follow func(ctx context.Context, show func(*view.Picture, []view.Change, error) (again time.Time)) error
	// Note gets all alarms, at most once a second, in the goroutine of Follow.
	Note func(p *view.Picture, list []view.Alarm, err error)
	// Explain returns what an error says, and the command to type next.
	Explain func(error) (reason, command string)
	// Make runs git liza with arguments and a standard input, away from the terminal. It
	// returns what was printed, and whether that is no failure.
	Make func(ctx context.Context, input string, args ...string) (printed string, done bool)
	// Lend runs a command at the terminal, which is not drawn on meanwhile.
	Lend func(Lent)
	// Tail returns the end of what an agent printed, line by line. print is what it
	// returned last for that agent: while that is the same the lines are nil.
	Tail func(a *view.Agent, print string) (lines []string, now string)
}

// Lent is a command that gets the terminal.
type Lent struct {
	Line  string   // a command line, unless it is ""
	Args  []string // else those of git liza
	Shows bool     // it only shows something, perhaps for too short a time to be read
}

// Run shows the board until the person ends it, which is no error, or ctx is done. It
// leaves the terminal as it was.
func (s *Screen) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, s)
	profile := colorprofile.ASCII
	if s.Color {
		profile = colorprofile.ANSI
	}
	// Without a profile the library would ask tmux by a process of its own.
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(s.In), tea.WithOutput(s.Out), tea.WithEnvironment(s.Environ),
		tea.WithFPS(framesPerSecond), tea.WithColorProfile(profile), tea.WithoutSignalHandler())
	go func() {
		f := framer{Screen: s}
		err := s.Follow(ctx, func(picture *view.Picture, changes []view.Change, err error) time.Time {
			next, again := f.next(picture, changes, err)
			p.Send(next)
			return again
		})
		p.Send(ended{err})
	}()
	go m.tails.watch(ctx, s.Tail, func(t tails) { p.Send(t) })
	_, err := p.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, tea.ErrInterrupted):
		return nil
	case err != nil:
		return err
	}
	return m.err
}

// ended says that the board is not followed any more.
type ended struct{ err error }

// A frame is what is shown of a board at one moment. Nobody changes its values.
type frame struct {
	head   view.Head
	inbox  *view.Inbox
	flow   []view.Column
	agents []view.Agent
	alarms []view.Alarm
	log    []view.Entry
	blank  bool // the board was never read
	err    error
}

// mostLogged is how many moves can be scrolled through.
const mostLogged = 200

// pauseOf returns for how long a part stays as it was found, if that takes long.
func pauseOf(part view.Part) time.Duration {
	switch part {
	case view.HeadPart, view.AlarmsPart:
		return time.Second
	case view.InboxPart:
		return 500 * time.Millisecond
	}
	return 0
}

// A framer makes frames of a picture, with what it may take over from the last one.
type framer struct {
	*Screen
	last  frame
	stale map[view.Part]bool      // they may be others
	found map[view.Part]time.Time // when they were
}

// next returns the next frame, and when there is another at the latest, zero if that does
// not matter.
func (f *framer) next(p *view.Picture, changes []view.Change, err error) (next *frame, again time.Time) {
	if p == nil {
		f.Note(nil, nil, err)
		return &frame{inbox: new(view.Inbox), blank: true, err: err}, again
	}
	if f.stale == nil {
		f.stale, f.found = map[view.Part]bool{}, map[view.Part]time.Time{}
		changes = p.Everything()
	}
	for _, c := range changes {
		f.stale[c.Part] = true
	}
	if (err == nil) != (f.last.err == nil) {
		f.stale[view.AlarmsPart] = true
	}
	f.last.err = err
	for part := range f.stale {
		if now := time.Now(); now.Sub(f.found[part]) >= pauseOf(part) {
			f.find(p, part)
			delete(f.stale, part)
			f.found[part] = now
			continue
		}
		again = f.Now().Add(time.Second)
	}
	made := f.last
	return &made, again
}

// find finds a part anew.
func (f *framer) find(p *view.Picture, part view.Part) {
	switch part {
	case view.HeadPart:
		f.last.head = p.Head()
	case view.InboxPart:
		f.last.inbox = p.Inbox()
	case view.FlowPart:
		f.last.flow = p.Flow()
	case view.AgentsPart:
		f.last.agents = p.Agents()
	case view.AlarmsPart:
		f.last.alarms = p.Alarms()
		f.Note(p, f.last.alarms, f.last.err)
	case view.LogPart:
		f.last.log = p.Log(mostLogged)
	}
}
