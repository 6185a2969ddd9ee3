package view

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// A Picture is what is shown of a blackboard: text, JSON, a terminal and a browser use
// the values that it returns. It is built once and then changed by what changed, and
// answers as a new one of the same board, time and machine would. It is for one
// goroutine. What it returns does not change afterwards, and may be read by others.
type Picture struct {
	reading Reading
	version uint64
	log     []Entry // the newest moves, newest first

	rows   *rows
	needs  *needs
	groups map[string]rowList // what waits for the same; nil until somebody asks
	over   map[board.GoalID]bool
	holds  board.Holds
	levels ladders

	columns *columns // nil until somebody asks for the flow

	deferrals      []time.Time // until when discoveries were put off
	deferralsKnown bool

	inbox  *Inbox  // as it was asked for; nil if it may be another now
	agents []Agent // likewise

	alarmDue time.Time // when time alone changes the alarms that were asked for; zero: never
}

// NewPicture returns the picture of a reading.
func NewPicture(r Reading) *Picture { return pictureOf(r, r.Board.Summaries()) }

// pictureOf returns a picture of some tasks of a board.
func pictureOf(r Reading, tasks []*board.Summary) *Picture {
	p := &Picture{reading: r, log: r.Recent, rows: newRows(tasks)}
	p.needs = &needs{board: r.Board, archived: map[board.TaskID]need{}, live: func(id board.TaskID) *board.Summary {
		if r := p.rows.byID[id]; r != nil {
			return r.Summary
		}
		return nil
	}}
	return p
}

// Reading returns what the picture is of.
func (p *Picture) Reading() Reading { return p.reading }

// Tasks returns the tasks outside the archive, oldest first. They are shared and must not
// be changed.
func (p *Picture) Tasks() iter.Seq[*board.Summary] {
	return func(visit func(*board.Summary) bool) {
		for _, r := range p.rows.all {
			if !visit(r.Summary) {
				return
			}
		}
	}
}

// Log returns at most n moves, newest first: of those in [Reading.Recent] and those by
// which the picture advanced.
func (p *Picture) Log(n int) []Entry { return p.log[:min(len(p.log), n)] }

// EntriesOf returns moves as a log has them, newest first. events are oldest first.
func EntriesOf(events []gitstore.Event) []Entry {
	list := make([]Entry, 0, len(events))
	for i := range slices.Backward(events) {
		list = append(list, EntryOf(events[i]))
	}
	return list
}

// mostLogged bounds the moves that a picture keeps for its log.
const mostLogged = 200

// Advance makes it the picture of a later state of the board. d is what lies between, at
// is the time.
func (p *Picture) Advance(b *board.Board, tip board.ObjectID, d gitstore.Delta, at time.Time) []Change {
	log := EntriesOf(d.Events)
	if !d.Whole {
		log = slices.Concat(log, p.log)
	}
	r := p.reading
	r.Board, r.Tip, r.Recent = b, tip, log[:min(len(log), mostLogged)]
	if d.Whole || at.Before(r.At) {
		r.At = at
		p.renew(r)
		return p.Everything()
	}
	p.reading, p.log, p.needs.board = r, r.Recent, b
	p.inbox, p.agents = nil, nil
	stale := p.take(d.Keys)
	p.expire(at, stale)
	changed := p.regroup(stale)
	for _, key := range d.Keys {
		if key.Folder == board.Tasks || key.Folder == board.Archive {
			changed = append(changed, board.TaskID(key.ID))
		}
	}
	return p.changes(changed, HeadPart, InboxPart, AgentsPart, AlarmsPart, LogPart, GraphPart)
}

// renew makes it the picture of a reading, computed anew.
func (p *Picture) renew(r Reading) {
	version := p.version
	*p = *pictureOf(r, r.Board.Summaries())
	p.version = version
}

// SetAbout makes p the picture of somebody with that focus, see [Reading.About].
func SetAbout(p *Picture, goal board.GoalID) []Change {
	if p.reading.About == goal {
		return nil
	}
	r := p.reading
	r.About = goal
	p.renew(r)
	return p.Everything()
}

// SetLocal makes it the picture with what the machine knows now.
func (p *Picture) SetLocal(l Local) []Change {
	was := p.reading.Local
	p.reading.Local = l
	p.inbox, p.agents = nil, nil
	stale := map[*row]bool{}
	if !maps.Equal(was.Dead, l.Dead) {
		mark(stale, p.rows.leased)
	}
	for _, ids := range []map[board.TaskID]Step{was.Untrusted, l.Untrusted} {
		for _, r := range p.rows.among(ids) {
			stale[r] = stale[r] || was.Untrusted[r.ID] != l.Untrusted[r.ID]
		}
	}
	var parts []Part
	if !maps.Equal(was.Presences, l.Presences) || !maps.Equal(was.Dead, l.Dead) {
		parts = append(parts, AgentsPart)
	}
	was.Presences, was.Dead, l.Presences, l.Dead = nil, nil, nil, nil
	if len(parts) > 0 || !reflect.DeepEqual(was, l) {
		parts = append(parts, HeadPart, InboxPart, AlarmsPart)
	}
	return p.changes(p.regroup(stale), parts...)
}

// Pass makes it the picture at a later time. It changes what time alone changes.
func (p *Picture) Pass(at time.Time) []Change {
	due := p.Due()
	if at.Before(p.reading.At) {
		r := p.reading
		r.At = at
		p.renew(r)
		return p.Everything()
	}
	stale := map[*row]bool{}
	p.expire(at, stale)
	if due.IsZero() || at.Before(due) {
		return p.changes(p.regroup(stale))
	}
	return p.changes(p.regroup(stale), HeadPart, InboxPart, AgentsPart, AlarmsPart)
}

// Due returns when [Picture.Pass] may change anything next; zero: never.
func (p *Picture) Due() (due time.Time) {
	at, known, config := p.reading.At, &p.reading.Local, p.reading.Board.Settings().Config
	note := func(then time.Time) {
		if then.After(at) && (due.IsZero() || then.Before(due)) {
			due = then
		}
	}
	ends := func(then time.Time) { // some rules say until, and some till after
		if !then.IsZero() {
			note(then)
			note(then.Add(time.Second))
		}
	}
	for _, r := range p.rows.leased {
		for _, lease := range r.leases() {
			ends(lease)
			ends(lease.Add(time.Duration(config.Grace)))
		}
	}
	for r := range p.rows.with(func(s board.Status) bool { return flow.Allows(s, board.ActDismiss) }) {
		ends(p.reading.Board.LeftUntil(*r.Summary))
	}
	for r := range p.rows.with(func(s board.Status) bool { return flow.Allows(s, board.ActClaim) }) {
		ends(r.NotBefore)
	}
	for r := range p.rows.with(func(s board.Status) bool { return flow.Allows(s, board.ActReview) }) {
		for _, j := range r.Judges {
			ends(j.NotBefore)
		}
	}
	for r := range p.rows.with(func(s board.Status) bool { return s.IsStuck() && !s.IsBlocked() }) {
		ends(r.FailedAt.Add(time.Duration(config.Lease)))
	}
	for _, said := range known.Presences {
		note(said.SilentFrom())
	}
	for _, until := range known.Snoozed {
		note(until)
	}
	if !p.deferralsKnown {
		p.findDeferrals()
	}
	for _, until := range p.deferrals {
		note(until)
	}
	note(p.alarmDue)
	return due
}

// findDeferrals finds until when discoveries were put off.
func (p *Picture) findDeferrals() {
	p.deferrals, p.deferralsKnown = nil, true
	for _, d := range board.All[*board.Discovery](p.reading.Board, board.Discovered) {
		if d.Deferred != nil {
			p.deferrals = append(p.deferrals, d.Deferred.Until)
		}
	}
}

// take takes over the documents that differ, and returns the rows of which another thing
// may be said now.
func (p *Picture) take(keys []board.Key) map[*row]bool {
	stale := map[*row]bool{}
	goals, levels, texts, tasks := false, false, false, map[board.TaskID]bool{}
	for _, key := range keys {
		switch key.Folder {
		case board.Tasks, board.Archive:
			tasks[board.TaskID(key.ID)] = true
		case board.Goals:
			goals, levels, texts = true, true, true
		case board.Levels, board.SettingsDoc:
			levels = true
		case board.Tracked:
			texts = true
		case board.Discovered:
			p.deferralsKnown = false
		}
	}
	for id := range tasks {
		p.replace(id, stale)
	}
	board.Lend(p.reading.Board, slices.Clone(p.rows.short))
	if p.groups == nil {
		return stale
	}
	if len(tasks) > 0 {
		p.followReverts(tasks, stale)
	}
	for id := range tasks {
		mark(stale, p.rows.whoNeed(id))
	}
	if levels {
		was := p.levels
		p.levels = laddersOf(p.reading.Board)
		for _, r := range p.rows.all {
			if was[r.Goal] != p.levels[r.Goal] {
				stale[r] = true
			}
		}
	}
	over, holds := endedGoals(p.reading), board.HoldsOf(p.reading.Board)
	if goals && (!maps.Equal(over, p.over) || !reflect.DeepEqual(holds, p.holds)) {
		mark(stale, p.rows.all)
	}
	p.over, p.holds = over, holds
	if texts {
		for r := range p.rows.with(func(s board.Status) bool { return flow.Allows(s, board.ActMerge) }) {
			stale[r] = true
		}
	}
	return stale
}

// replace takes over one task as it is now.
func (p *Picture) replace(id board.TaskID, stale map[*row]bool) {
	old := p.rows.byID[id]
	if old != nil {
		p.ungroup(old)
		p.columns.remove(old)
		p.rows.remove(old)
		delete(stale, old)
	}
	if t, ok := p.reading.Board.Load(board.Key{Folder: board.Tasks, ID: string(id)}).(*board.Task); ok && t.ID == id {
		s := t.Summary()
		r := &row{Summary: &s}
		p.rows.add(r)
		stale[r] = true
	}
}

// mark adds rows of which another thing may be said now.
func mark(stale map[*row]bool, list []*row) {
	for _, r := range list {
		stale[r] = true
	}
}

// followReverts looks at the needs again that were reverted, and at archived ones of which
// a task changed: what does their work again may be merged.
func (p *Picture) followReverts(tasks map[board.TaskID]bool, stale map[*row]bool) {
	for _, r := range p.rows.reverted {
		mark(stale, p.rows.whoNeed(r.ID))
	}
	for id, was := range p.needs.archived {
		if p.rows.byID[id] != nil {
			delete(p.needs.archived, id)
			continue
		}
		if !tasks[id] && !was.again {
			continue
		}
		now := needOf(p.reading.Board, p.reading.Board.Task(id))
		p.needs.archived[id] = now
		if now != was {
			mark(stale, p.rows.whoNeed(id))
		}
	}
}

// expire moves the time on, and adds the rows of which a lease has ended.
func (p *Picture) expire(at time.Time, stale map[*row]bool) {
	for _, r := range p.rows.leased {
		for _, lease := range r.leases() {
			if lease.After(p.reading.At) && !lease.After(at) {
				stale[r] = true
			}
		}
	}
	p.reading.At = at
	p.inbox, p.agents = nil, nil
}

// regroup finds anew what rows wait for, and returns those that changed.
func (p *Picture) regroup(stale map[*row]bool) (changed []board.TaskID) {
	for r, is := range stale {
		if !is {
			continue
		}
		if p.groups != nil {
			p.ungroup(r)
			p.group(r)
		}
		if p.columns.update(r, p.reading.At) {
			changed = append(changed, r.ID)
		}
	}
	return changed
}
