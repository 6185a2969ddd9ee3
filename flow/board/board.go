// Package board has the documents of the blackboard, their ids, and what is read of them.
// It knows no move and no rule: package flow decides what becomes of a board.
package board

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

func (*Settings) document() {}

func (*Principals) document() {}

func (*Breaker) document() {}

func (*Goal) document() {}

func (*Sprint) document() {}

func (*Task) document() {}

func (*Agent) document() {}

func (*Anomaly) document() {}

func (*Discovery) document() {}

func (*Note) document() {}

func (*ReviewRules) document() {}

func (*RoleRow) document() {}

func (*TrackedPath) document() {}

func (*Question) document() {}

func (*SprintPlan) document() {}

func (*Mark) document() {}

func (*Level) document() {}

func (*Outages) document() {}

func (*Workflow) document() {}

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
// change: flow.Apply returns another one that shares the unchanged
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
func (b *Board) Put(key Key, doc Document) { b.changed[key.Fold()] = Edit{key, doc} }

// WithTasks is a copy of the board that holds some tasks beside or instead of its own.
// The copy keeps its own reading error.
func WithTasks(b *Board, tasks ...*Task) *Board {
	n := b.Fork(b.at)
	for _, t := range tasks {
		n.Put(Key{Tasks, string(t.ID)}, t)
	}
	return n
}

// Documents is a Source in memory. Init starts from an empty one.
type Documents struct{ edits map[Key]Edit }

// Load returns the document at key, ignoring the case of its id.
func (d Documents) Load(key Key) (Document, error) { return d.edits[key.Fold()].Document, nil }

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
			delete(out, e.Key.Fold())
			continue
		}
		out[e.Key.Fold()] = e
	}
	return Documents{out}
}

// Fold is the key in lower case: ids that differ only in case have the same
// folded key.
func (k Key) Fold() Key { return Key{k.Folder, strings.ToLower(k.ID)} }

// String names the key as KIND ID, for messages.
func (k Key) String() string { return fmt.Sprintf("%s %s", folderNames.name(uint8(k.Folder)), k.ID) }

var folderNames = names{"", "settings", "principals", "breaker", "goal", "sprint", "task", "archived task", "agent",
	"anomaly", "discovery", "note", "review rules", "role", "tracked path", "question", "sprint plan", "mark",
	"level", "outages", "workflow"}

// TaskIDs is a list that a move, but no document, may hold in full.
type TaskIDs []TaskID

func (TaskIDs) MaxLen() int { return MaxTasks }

// Subject is the list in the subject of a commit.
func (l TaskIDs) Subject() string {
	if len(l) == 1 {
		return string(l[0])
	}
	return strconv.Itoa(len(l)) + " tasks"
}

// Doubt says why there is doubt about a task, is being the anomaly.
func (b *Board) Doubt(id TaskID, is RecordID) string {
	if a, ok := b.Load(Key{Anomalies, string(is)}).(*Anomaly); ok && a.Type == SealChanged {
		return fmt.Sprintf("what a review of %s began with was changed below its session, which may have judged something else", id)
	}
	return fmt.Sprintf("a session on %s killed its guard, and what it left may act as anybody", id)
}

// ReviewRules are the board's rules of review, in their order.
func (c *Board) ReviewRules() []ReviewRule {
	if doc, ok := c.Load(Key{Folder: ReviewsDoc}).(*ReviewRules); ok {
		return doc.List
	}
	return nil
}

// OpenSprint is the open sprint of a goal, "" between two.
func (b *Board) OpenSprint(goal GoalID) SprintID {
	if g := b.Goal(goal); g != nil {
		return g.Sprint
	}
	return ""
}

// GoalsInProgress are the goals in progress, as supervisors serve them: by priority,
// then by age.
func (b *Board) GoalsInProgress() []*Goal {
	list := lists.Where(All[*Goal](b, Goals), func(g *Goal) bool { return g.Status == InProgress })
	slices.SortStableFunc(list, func(x, y *Goal) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), x.Created.Compare(y.Created))
	})
	return list
}
