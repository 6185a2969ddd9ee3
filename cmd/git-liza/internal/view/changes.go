package view

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Part is a part of what is shown.
type Part uint8

// The parts of what is shown.
const (
	HeadPart   Part = iota + 1 // [Picture.Status] without its inbox and its agents
	InboxPart                  // [Picture.Inbox]
	FlowPart                   // [Picture.Flow]
	AgentsPart                 // [Picture.Agents]
	AlarmsPart                 // [Picture.Alarms]
	LogPart                    // [Picture.Log]
	GraphPart                  // [GraphOf]
	TaskPart                   // of the task whose id is the change's, of every task without one
)

// partNames has the name of each part, in their order.
var partNames = [...]string{"", "head", "inbox", "flow", "agents", "alarms", "log", "graph", "task"}

// String returns the part's name, such as inbox.
func (p Part) String() string { return partNames[p] }

// A Change says that a part of what is shown may be another now.
type Change struct {
	Part    Part
	ID      string // of the task; "" of the other parts, and of every task
	Version uint64 // of the picture, which only grows
}

// Everything returns a change of every part and every task, for the first showing of the
// picture.
func (p *Picture) Everything() []Change {
	return p.changes(nil, HeadPart, InboxPart, FlowPart, AgentsPart, AlarmsPart, LogPart, GraphPart, TaskPart)
}

// changes returns the changes of parts, and of tasks, which are in the flow, too.
func (p *Picture) changes(tasks []board.TaskID, parts ...Part) (list []Change) {
	if len(tasks) > 0 {
		parts = append(parts, FlowPart, HeadPart, InboxPart, AgentsPart)
	}
	slices.Sort(parts)
	if parts = slices.Compact(parts); len(parts) > 0 {
		p.version++
	}
	list = append(list, lists.Of(parts, func(part Part) Change { return Change{part, "", p.version} })...)
	slices.Sort(tasks)
	return append(list, lists.Of(slices.Compact(tasks), func(id board.TaskID) Change { return Change{TaskPart, string(id), p.version} })...)
}

// JoinChanges returns earlier and later changes of one picture, each part and task once.
func JoinChanges(earlier, later []Change) []Change {
	again := func(c Change) bool {
		return slices.ContainsFunc(later, func(l Change) bool { return l.Part == c.Part && l.ID == c.ID })
	}
	return append(slices.DeleteFunc(earlier, again), later...)
}
