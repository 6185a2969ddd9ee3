package flow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// A Folder is a kind of document on the blackboard.
type Folder uint8

// The folders; the first three, ReviewsDoc and OutagesDoc hold a single document each.
const (
	SettingsDoc Folder = iota + 1
	PrincipalsDoc
	BreakerDoc
	Goals
	Sprints
	Tasks
	Archive
	Agents
	Anomalies
	Discovered
	Notes
	ReviewsDoc
	RolesFolder
	Tracked
	Questions
	PlannedDocs
	MarkDocs
	Levels
	OutagesDoc
	Workflows
)

// A Key names a document: its folder and, where the folder holds many, its id.
type Key struct {
	Folder Folder
	ID     string
}

// A Document is a pointer to one of the document types: Settings, Goal, Sprint,
// Task, Agent, Anomaly, Discovery, Note, Principals, Breaker, ReviewRules,
// RoleRow, TrackedPath, Question, SprintPlan, Mark, Level, Outages, Workflow. Documents that a Source returns are shared and
// never changed.
type Document interface{ document() }

func (*Settings) document()    {}
func (*Principals) document()  {}
func (*Breaker) document()     {}
func (*Goal) document()        {}
func (*Sprint) document()      {}
func (*Task) document()        {}
func (*Agent) document()       {}
func (*Anomaly) document()     {}
func (*Discovery) document()   {}
func (*Note) document()        {}
func (*ReviewRules) document() {}
func (*RoleRow) document()     {}
func (*TrackedPath) document() {}
func (*Question) document()    {}
func (*SprintPlan) document()  {}
func (*Mark) document()        {}
func (*Level) document()       {}
func (*Outages) document()     {}
func (*Workflow) document()    {}

// NewDocument is an empty document of the type that the folder holds; nil for
// an unknown folder.
func NewDocument(f Folder) Document {
	switch f {
	case SettingsDoc:
		return new(Settings)
	case PrincipalsDoc:
		return new(Principals)
	case BreakerDoc:
		return new(Breaker)
	case Goals:
		return new(Goal)
	case Sprints:
		return new(Sprint)
	case Tasks, Archive:
		return new(Task)
	case Agents:
		return new(Agent)
	case Anomalies:
		return new(Anomaly)
	case Discovered:
		return new(Discovery)
	case Notes:
		return new(Note)
	case ReviewsDoc:
		return new(ReviewRules)
	case RolesFolder:
		return new(RoleRow)
	case Tracked:
		return new(TrackedPath)
	case Questions:
		return new(Question)
	case PlannedDocs:
		return new(SprintPlan)
	case MarkDocs:
		return new(Mark)
	case Levels:
		return new(Level)
	case OutagesDoc:
		return new(Outages)
	case Workflows:
		return new(Workflow)
	}
	return nil
}

// A Source holds the documents of a board as some move left it.
type Source interface {
	// Load returns the document at key, ignoring the case of its id, and nil
	// if there is none.
	Load(Key) (Document, error)
	// List returns the ids in a folder, sorted.
	List(Folder) ([]string, error)
	// Summaries returns the summary of every task outside the archive, in order of
	// creation. Boards share them and do not change them.
	Summaries() ([]*Summary, error)
	// InWork returns those summaries of which IsInWork holds, in any order. Boards share
	// them and do not change them.
	InWork() ([]*Summary, error)
}

// A Board is the content of the blackboard after some move. Boards do not
// change: [Board.Apply] returns another one that shares the unchanged
// documents. The first reading error of the Source is kept, and Apply, Check
// and [Board.Err] return it.
type Board struct {
	source  Source
	at      time.Time
	changed map[Key]Edit // by folded key
	err     error
	ctx     context.Context // interrupts long loops; nil does not
	short   *summaries      // of the Source, shared by all its boards
}

// Open is the board that the source holds; at is the time of its last move.
func Open(source Source, at time.Time) *Board {
	return &Board{source: source, at: at, changed: map[Key]Edit{}, short: &summaries{}}
}

// Within is the same board for a caller that waits no longer than ctx lasts.
// When ctx ends, [Board.Err] returns its error, and all answers are invalid.
func (b *Board) Within(ctx context.Context) *Board {
	n := *b
	n.ctx = ctx
	return &n
}

// Fork is a copy that a move may write to.
func (b *Board) Fork(at time.Time) *Board {
	n := &Board{source: b.source, at: at, changed: make(map[Key]Edit, len(b.changed)+2), err: b.err, ctx: b.ctx, short: b.short}
	maps.Copy(n.changed, b.changed)
	return n
}

// Put writes a document to a copy for a move, see [Board.Fork]; nil removes the one that is there.
func (b *Board) Put(key Key, doc Document) { b.changed[key.fold()] = Edit{key, doc} }

// withTasks is a copy of the board that holds some tasks beside or instead of its own.
// The copy keeps its own reading error.
func withTasks(b *Board, tasks ...*Task) *Board {
	n := b.Fork(b.at)
	for _, t := range tasks {
		n.Put(Key{Tasks, string(t.ID)}, t)
	}
	return n
}

// Documents is a Source in memory. Init starts from an empty one.
type Documents struct{ edits map[Key]Edit }

// Load returns the document at key, ignoring the case of its id.
func (d Documents) Load(key Key) (Document, error) { return d.edits[key.fold()].Document, nil }

// List returns the ids in a folder, sorted.
func (d Documents) List(f Folder) ([]string, error) {
	var ids []string
	for _, e := range d.edits {
		if e.Key.Folder == f {
			ids = append(ids, e.Key.ID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Summaries describes every task outside the archive.
func (d Documents) Summaries() ([]*Summary, error) {
	var list []*Summary
	for _, e := range d.edits {
		if t, ok := e.Document.(*Task); ok && e.Key.Folder == Tasks {
			s := t.Summary()
			list = append(list, &s)
		}
	}
	slices.SortFunc(list, (*Summary).Compare)
	return list, nil
}

// InWork describes every task in work.
func (d Documents) InWork() ([]*Summary, error) {
	all, err := d.Summaries()
	return lists.Where(all, (*Summary).IsInWork), err
}

// With is the source with the edits of a board that was opened on it applied.
func (d Documents) With(edits []Edit) Documents {
	out := make(map[Key]Edit, len(d.edits)+len(edits))
	maps.Copy(out, d.edits)
	for _, e := range edits {
		if e.Document == nil {
			delete(out, e.Key.fold())
			continue
		}
		out[e.Key.fold()] = e
	}
	return Documents{out}
}

// fold is the key in lower case: ids that differ only in case have the same
// folded key.
func (k Key) fold() Key { return Key{k.Folder, strings.ToLower(k.ID)} }

// String names the key as KIND ID, for messages.
func (k Key) String() string { return fmt.Sprintf("%s %s", folderNames.name(uint8(k.Folder)), k.ID) }

var folderNames = names{"", "settings", "principals", "breaker", "goal", "sprint", "task", "archived task", "agent",
	"anomaly", "discovery", "note", "review rules", "role", "tracked path", "question", "sprint plan", "mark",
	"level", "outages", "workflow"}
