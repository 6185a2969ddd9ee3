package board

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
)

// summaries are read from a Source once, however often guards use them.
type summaries struct {
	read   bool
	all    []*Summary // in order of creation
	inWork []*Summary
	sought bool // inWork was found
	owned  map[*Summary][]glob.Glob
	ids    map[Folder][]string // of the folders that were listed

	compared int // segments of globs compared in the search for the best task
}

// An Edit is a document that a move wrote; nil if the move removed it.
type Edit struct {
	Key      Key
	Document Document
}

// Interrupted reports whether a long loop must end: ctx has ended, or the
// Source has failed.
func (c *Board) Interrupted() bool {
	if c.ctx != nil {
		c.Fail(c.ctx.Err())
	}
	return c.err != nil
}

// At is the time of the board's last move; the next is not earlier.
func (c *Board) At() time.Time { return c.at }

// Err is the first error that the board's Source gave, nil if none.
func (c *Board) Err() error { return c.err }

// Changes are the documents that differ from the Source's, in order of their
// keys; a nil document is a removal.
func (c *Board) Changes() []Edit {
	list := slices.Collect(maps.Values(c.changed))
	slices.SortFunc(list, func(x, y Edit) int {
		return cmp.Or(cmp.Compare(x.Key.Folder, y.Key.Folder), strings.Compare(x.Key.ID, y.Key.ID))
	})
	return list
}

// Empty reports whether no board exists yet.
func (c *Board) Empty() bool { return c.Load(Key{Folder: SettingsDoc}) == nil }

// Settings are the settings of the board; the zero value on an empty board.
func (c *Board) Settings() Settings {
	if doc, ok := c.Load(Key{Folder: SettingsDoc}).(*Settings); ok {
		return *doc
	}
	return Settings{}
}

// Task finds a task, live or archived; nil if there is none of that id.
func (c *Board) Task(id TaskID) *Task {
	for _, folder := range []Folder{Tasks, Archive} {
		if t, ok := c.Load(Key{folder, string(id)}).(*Task); ok && t.ID == id {
			return t
		}
	}
	return nil
}

// Agent finds a registered agent; nil if there is none of that id.
func (c *Board) Agent(id AgentID) *Agent {
	a, _ := c.Load(Key{Agents, string(id)}).(*Agent)
	return a
}

// Goal finds a goal; nil if there is none of that id.
func (c *Board) Goal(id GoalID) *Goal {
	if g, ok := c.Load(Key{Goals, string(id)}).(*Goal); ok && g.ID == id {
		return g
	}
	return nil
}

// Sprint finds a sprint; nil if there is none of that id.
func (c *Board) Sprint(id SprintID) *Sprint {
	if s, ok := c.Load(Key{Sprints, string(id)}).(*Sprint); ok && s.ID == id {
		return s
	}
	return nil
}

// Breaker is the circuit breaker's state.
func (c *Board) Breaker() Breaker {
	if doc, ok := c.Load(Key{Folder: BreakerDoc}).(*Breaker); ok {
		return *doc
	}
	return Breaker{}
}

// Principals are the accounts that the board knows; empty if it has none.
func (c *Board) Principals() *Principals {
	if doc, ok := c.Load(Key{Folder: PrincipalsDoc}).(*Principals); ok {
		return doc
	}
	return &Principals{}
}

// All returns the documents in a folder of a board, in the order of their ids. What cannot be
// read is left out, and is the error of the board.
func All[T Document](b interface {
	IDs(f Folder) []string
	Load(key Key) Document
}, f Folder) (list []T) {
	for _, id := range b.IDs(f) {
		if doc, ok := b.Load(Key{f, id}).(T); ok {
			list = append(list, doc)
		}
	}
	return list
}

// IDs are the ids in a folder, sorted.
func (c *Board) IDs(f Folder) []string {
	ids, known := c.short.ids[f]
	if !known {
		var err error
		if ids, err = c.source.List(f); err == nil {
			if c.short.ids == nil {
				c.short.ids = map[Folder][]string{}
			}
			c.short.ids[f] = ids
		}
		c.Fail(err)
	}
	ids = slices.Clone(ids)
	for _, edit := range c.changed {
		i, found := slices.BinarySearch(ids, edit.Key.ID)
		switch {
		case edit.Key.Folder != f:
		case edit.Document == nil && found:
			ids = slices.Delete(ids, i, i+1)
		case edit.Document != nil && !found:
			ids = slices.Insert(ids, i, edit.Key.ID)
		}
	}
	return ids
}

// Tasks are the summaries of all tasks outside the archive, in order of
// creation.
func (c *Board) Tasks() []Summary {
	// Summaries are large: pointers to them are sorted, and each is copied once.
	order := c.Summaries()
	return lists.Of(order, func(s *Summary) Summary { return *s })
}

// Summaries are the same summaries in the same order. They are shared and must not be
// changed.
func (c *Board) Summaries() []*Summary {
	short := storedSummaries(c)
	if len(c.changed) == 0 {
		return slices.Clip(short.all)
	}
	order := make([]*Summary, 0, len(short.all)+len(c.changed))
	c.Each(func(s *Summary) { order = append(order, s) })
	slices.SortFunc(order, (*Summary).Compare)
	return order
}

// Compare orders tasks by their creation, and those of one move by their ids: task-2 before
// task-10.
func (s *Summary) Compare(other *Summary) int {
	if before := s.Created.Compare(other.Created); before != 0 {
		return before
	}
	return CompareIDs(s.ID, other.ID)
}

// OwnedGlobs are the parsed globs of a task; those of an unchanged task are parsed
// once.
func OwnedGlobs(b *Board, s *Summary) []glob.Glob {
	if isTouched(b, s.ID) {
		return glob.ParseAll(s.Owns)
	}
	list, ok := b.short.owned[s]
	if !ok {
		list = glob.ParseAll(s.Owns)
		if b.short.owned == nil {
			b.short.owned = map[*Summary][]glob.Glob{}
		}
		b.short.owned[s] = list
	}
	return list
}

func isTouched(b *Board, id TaskID) bool {
	if len(b.changed) == 0 {
		return false
	}
	_, ok := b.changed[Key{Tasks, string(id)}.Fold()]
	return ok
}

// storedSummaries are the summaries of the Source.
func storedSummaries(b *Board) *summaries {
	if !b.short.read {
		all, err := b.source.Summaries()
		b.Fail(err)
		b.short.read, b.short.all = err == nil, all
	}
	return b.short
}

// Lend gives a board the summaries of all tasks outside the archive, in their order, so
// that it does not read them. They are what its Source holds, and nobody changes them.
func Lend(b *Board, tasks []*Summary) {
	b.short = &summaries{read: true, all: tasks}
}

// Each visits the summary of every task outside the archive, in any order. The
// summaries are shared and must not be changed.
func (c *Board) Each(visit func(*Summary)) {
	for _, s := range storedSummaries(c).all {
		if !isTouched(c, s.ID) {
			visit(s)
		}
	}
	eachChanged(c, visit)
}

// EachInWork is each for the tasks in work alone. They are few, even on a large
// board.
func EachInWork(b *Board, visit func(*Summary)) {
	working, err := b.short.working(b.source)
	b.Fail(err)
	for _, s := range working {
		if !isTouched(b, s.ID) {
			visit(s)
		}
	}
	eachChanged(b, func(s *Summary) {
		if s.IsInWork() {
			visit(s)
		}
	})
}

// working are the summaries of the tasks of a Source that are in work. The others are not
// read for them.
func (s *summaries) working(from Source) (list []*Summary, err error) {
	switch {
	case s.sought:
		return s.inWork, nil
	case s.read:
		list = lists.Where(s.all, (*Summary).IsInWork)
	default:
		list, err = from.InWork()
	}
	s.inWork, s.sought = list, err == nil
	return list, err
}

func eachChanged(b *Board, visit func(*Summary)) {
	for _, edit := range b.changed {
		if t, ok := edit.Document.(*Task); ok && edit.Key.Folder == Tasks {
			s := t.Summary()
			visit(&s)
		}
	}
}

// CompareIDs orders task-2 before task-10.
func CompareIDs(x, y TaskID) int {
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(string(x), string(y)))
}

// Load finds any document by its key, ignoring the case of the id; nil if there is none.
func (c *Board) Load(key Key) Document {
	if edit, ok := c.changed[key.Fold()]; ok {
		return edit.Document
	}
	doc, err := c.source.Load(key)
	c.Fail(err)
	return doc
}

// Fail keeps the first error of what a copy of the board has read, see [Board.Err].
func (c *Board) Fail(err error) {
	c.err = cmp.Or(c.err, err)
}

// Compared counts the segments of globs that a search for the best task has compared.
func (c *Board) Compared() *int { return &c.short.compared }
