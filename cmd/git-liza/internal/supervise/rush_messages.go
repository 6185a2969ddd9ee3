package supervise

import (
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A MessageKind says what a message of a rush is about.
type MessageKind string

// The kinds of messages.
const (
	MoveMessage   MessageKind = "move"   // somebody made a move
	RemarkMessage MessageKind = "remark" // a supervisor says what it does or what hinders it
	NeedMessage   MessageKind = "need"   // a person has to do something; a move may be one
	TeamMessage   MessageKind = "team"   // who does what, after a minute of silence
	OutputMessage MessageKind = "output" // a line of output of an agent that is followed
)

// A Message is one thing that a rush says.
type Message struct {
	At    time.Time
	Kind  MessageKind
	Task  board.TaskID  // that the message is about; "" if it is about none, or names it itself
	Agent board.AgentID // whose output it is, else ""
	Text  string        // one line

	// Of a move of a task, as the board was after it:
	Title      string
	Goal       board.GoalID
	Merged, Of int // tasks of the goal that are merged, among those not given up or replaced
}

// about adds to a message what the board says of a task.
func (m *Message) about(b *board.Board, t *board.Task) {
	m.Task, m.Title, m.Goal = t.ID, t.Title, t.Goal
	for _, other := range b.Tasks() {
		switch {
		case other.Goal != t.Goal:
		case other.Status.IsMerged():
			m.Merged++
			m.Of++
		case !other.Status.Final():
			m.Of++
		}
	}
}

// say passes on what a supervisor does or what hinders it.
func (r *Rush) say(line string) { r.speaker.pass(Message{Kind: RemarkMessage, Text: line}) }

// ask passes on what a person has to do something about.
func (r *Rush) ask(line string) { r.speaker.pass(Message{Kind: NeedMessage, Text: line}) }

// The bounds of a speaker: so many messages a second are passed on as they come, and so
// many that differ in names and numbers only are passed on one by one when there are
// more.
const (
	mostPerSecond = 40
	mostAlike     = 3
)

// A speaker passes messages on, one at a time. If there are very many it keeps those of
// the rest of the second back, and passes those that are alike on as one.
type speaker struct {
	tell func(Message)
	now  func() time.Time

	mu    sync.Mutex
	last  time.Time // when something was said last
	begun time.Time // of the second in which count messages were passed on
	count int
	held  []Message
	timer *time.Timer
}

// pass passes a message on, at once or within a second.
func (s *speaker) pass(m Message) {
	if s.tell == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	m.At, m.Text = s.now(), strings.ReplaceAll(board.Clean(m.Text), "\n", " ") // git repeats what hooks print
	s.last = now
	if m.Kind == OutputMessage {
		s.tell(m)
		return
	}
	if s.timer == nil && now.Sub(s.begun) >= time.Second {
		s.begun, s.count = now, 0
	}
	if s.timer == nil && s.count < mostPerSecond {
		s.count++
		s.tell(m)
		return
	}
	s.held = append(s.held, m)
	if s.timer == nil {
		s.timer = time.AfterFunc(time.Until(s.begun.Add(time.Second)), s.flush)
	}
}

// flush passes on what was kept back.
func (s *speaker) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	list := gatherAlike(s.held)
	s.held, s.timer = nil, nil
	s.begun, s.count = time.Now(), len(list)
	for _, m := range list {
		s.tell(m)
	}
}

// silence returns for how long nothing was said.
func (s *speaker) silence() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.last)
}

// variable matches what may differ in messages that are alike: commits and numbers.
var variable = pattern.Late(`\b[0-9a-f]{7,64}\b|[0-9]+`)

// gatherAlike makes one message of more than a few that differ in names and numbers only,
// in the place of the first.
func gatherAlike(list []Message) (gathered []Message) {
	counts, place, others := map[string]int{}, map[string]int{}, map[string][]Message{}
	for _, m := range list {
		counts[m.pattern()]++
	}
	for _, m := range list {
		key := m.pattern()
		first, seen := place[key]
		if !seen || counts[key] <= mostAlike {
			place[key] = len(gathered)
			gathered = append(gathered, m)
			continue
		}
		gathered[first].Merged, gathered[first].Of = m.Merged, m.Of
		others[key] = append(others[key], m)
	}
	for key, more := range others {
		gathered[place[key]].Text += "; likewise " + likewise(more)
	}
	return gathered
}

// pattern is what messages that are alike have in common.
func (m Message) pattern() string {
	return string(m.Kind) + " " + variable().ReplaceAllString(string(m.Task)+" "+m.Text, "#")
}

// likewise names what the other messages of a group are about.
func likewise(others []Message) string {
	var names []string
	for _, m := range others {
		name, _, _ := strings.Cut(m.Text, " ")
		if m.Task != "" {
			name = string(m.Task)
		}
		names = append(names, strings.TrimSuffix(name, ":"))
	}
	return git.VisibleList(names, mostAlike)
}
