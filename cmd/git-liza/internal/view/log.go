package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
)

// An Entry is a move in a log: its state commit, and every key of the move.
type Entry struct {
	State board.ObjectID `yaml:"state"`
	Move  flow.Move      `yaml:",inline"`
	Told  string         `yaml:"-"` // the first line of its commit, "" if it is not known
	// Unknown is the name of an act of a newer format, of which Move has the actor,
	// the task and the time.
	Unknown string `yaml:"-"`
	// Roles are those for which a person gave the verdict, where the move names
	// none and the board still knows them.
	Roles []board.Role `yaml:"-"`
	// Returned is the task that an answer let go on, where somebody has looked; else nil.
	Returned *board.Task `yaml:"-"`
	// Changed are the tasks whose state the move changed; nil if nobody has looked.
	Changed []gitstore.TaskStep `yaml:"-"`
}

// EntryOf returns a move as a log has it.
func EntryOf(e gitstore.Event) Entry {
	return Entry{State: e.Commit, Move: e.Move, Told: plaintext.Line(e.Told), Unknown: e.Unknown}
}

// An unknownEntry is what is shown of a move by a newer format.
type unknownEntry struct {
	State     board.ObjectID `yaml:"state"`
	Act       string         `yaml:"act"`
	Task      board.TaskID   `yaml:"task"`
	By        board.Actor    `yaml:"by"`
	Principal string         `yaml:"principal"`
	At        time.Time      `yaml:"at"`
	Request   board.Request  `yaml:"request"`
}

// Value returns the move for JSON.
func (e *Entry) Value() any {
	if e.Unknown == "" {
		return ValueOf(e)
	}
	return ValueOf(e.known())
}

// Line returns the move as one line of a structured log: its value, and from which state
// it led each task to which, null if that could not be read. A task that it added has no
// earlier one.
func (e *Entry) Line() any {
	value, ok := e.Value().(Object)
	if !ok {
		return e.Value()
	}
	if e.Changed == nil {
		return value.With("changed", nil)
	}
	changed := Object{}
	for _, one := range e.Changed {
		var from any
		if one.From != 0 {
			from = one.From.String()
		}
		if one.From != one.To {
			changed = changed.With(string(one.ID), []any{from, one.To.String()})
		}
	}
	return value.With("changed", changed)
}

// known is what this program knows of a move by a newer format.
func (e *Entry) known() unknownEntry {
	m := &e.Move
	return unknownEntry{e.State, e.Unknown, m.Task, m.By, m.Principal, m.At, m.Request}
}

// subject is the first line of the move's commit up to the actor.
func (e *Entry) subject() string {
	if e.Unknown == "" {
		for _, by := range []string{" by the supervisor of ", " by "} {
			if head, _, found := strings.Cut(e.Told, by+string(e.Move.By)); found {
				return head + by + string(e.Move.By)
			}
		}
		return e.Move.Subject()
	}
	words := []string{e.Unknown, string(e.Move.Task), "by", string(e.Move.By), "(by a newer format)"}
	return plaintext.Line(strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " "))
}

// LogValue returns moves for JSON.
func LogValue(list []Entry) []any {
	moves := make([]any, len(list))
	for i := range list {
		moves[i] = list[i].Value()
	}
	return moves
}

// LogText lists moves for people, a line each.
func LogText(list []Entry, width int) string {
	var text strings.Builder
	for i := range list {
		text.WriteString(Cut(list[i].line(), width) + "\n")
	}
	return text.String()
}

// FindReturned finds out which tasks the answers in a log let go on. boardAt returns the
// board after a state commit; where it cannot, the answer tells of no task.
func FindReturned(list []Entry, boardAt func(board.ObjectID) (*board.Board, error)) {
	for i := range list {
		if list[i].Move.Act != board.ActAnswer {
			continue
		}
		if b, err := boardAt(list[i].State); err == nil {
			list[i].Returned = flow.ReturnedBy(list[i].Move, b)
		}
	}
}

// LogYAML returns moves as one YAML list, in the form of the board's
// documents.
func LogYAML(list []Entry) (string, error) {
	var text strings.Builder
	for i := range list {
		var entry any = &[]Entry{list[i]}
		if list[i].Unknown != "" {
			entry = &[]unknownEntry{list[i].known()}
		}
		one, err := document.Encode(entry)
		if err != nil {
			return "", err
		}
		text.Write(one)
	}
	return text.String(), nil
}

// line formats the move for people: commit, time, actor, act, task, and
// reason.
func (e *Entry) line() string {
	return fmt.Sprintf("%s  %s  %s", e.State.Short(), e.Move.At.UTC().Format(Stamp), e.Said())
}

// Said says in a line what the move did: act, task, actor, and reason.
func (e *Entry) Said() string {
	line := e.subject()
	roles, brought := e.verdict()
	if len(roles) > 0 {
		line += " for " + JoinIDs(roles)
	}
	line += VoucherText(brought)
	if t := e.Returned; t != nil {
		line += fmt.Sprintf(", %s → %s", t.ID, t.Status)
	}
	return line + e.why()
}

// ShortLine formats the move for people: time of the day in UTC, actor, act, task, and
// reason.
func (e *Entry) ShortLine() string {
	return e.Move.At.UTC().Format("15:04") + " " + e.subject() + e.why()
}

// why is the reason of the move, and to which state it led.
func (e *Entry) why() (text string) {
	if word := e.Move.Reason(); word != "" {
		text = ": " + plaintext.Line(FirstLine(word))
	}
	if end := flow.Came(e.Told); e.Returned == nil && !strings.HasSuffix(text, end) {
		text += end
	}
	return text
}

// verdict returns the roles for which a person gave the verdict, and that from a code host
// which the move brings, nil if it brings none.
func (e *Entry) verdict() (roles []board.Role, brought *board.Voucher) {
	role := board.Role("")
	switch d := e.Move.Detail.(type) {
	case *flow.ApproveMove:
		role, brought = d.Role, d.For
	case *flow.RejectMove:
		role, brought = d.Role, d.For
	}
	if role == "" {
		return e.Roles, brought
	}
	return []board.Role{role}, brought
}

// VoucherText says whose verdict a person brings, for the end of a line about it; "" if it
// is the person's own.
func VoucherText(v *board.Voucher) string {
	if v == nil {
		return ""
	}
	return ", verdict of " + plaintext.Line(v.Account)
}
