// Package layout names what git liza makes in a repository: its refs, the
// branches of tasks, and two folders. No other package spells these names. It
// knows neither tasks nor git: package flow puts the names of a task's branch,
// folder and saved commits together.
package layout

import (
	"strconv"
	"time"
)

// The refs of the board, by their full names.
const (
	Root  = "refs/liza"    // the folder of all but the branches of tasks
	Refs  = Root + "/"     // what their names begin with
	State = Refs + "state" // the blackboard

	SavedRefs = Refs + "saved/" // commits of tasks that are kept: TASK/NUMBER
	MarkRefs  = Refs + "marks/" // states that have a name, such as sprint-1

	// Below PresenceRefs each registered agent says that it lives: AGENT, a
	// commit without a parent, replaced in place.
	PresenceRefs = Refs + "agents/"

	// Below SessionRefs are the records of sessions: a ref AGENT/GENERATION for
	// each registration of an agent, whose commits are its sessions.
	SessionRefs = Refs + "sessions/"
)

// The refs that never leave a clone.
const (
	RemoteRefs = Refs + "remote/" // what the clone saw of its remotes
	RescueRefs = Refs + "rescue/" // what a repair put aside, and work that stood nowhere else

	LostRefs = RescueRefs + "lost-" // moves that a remote lacks and the clone gave up: COMMIT/WHAT
)

// RemoteRef is the ref that keeps one thing that a clone saw of a remote: state,
// integration, agents/AGENT or saved/TASK.
func RemoteRef(remote, what string) string { return RemoteRefs + remote + "/" + what }

// RescueFolder is the folder of the refs that keep what one repair puts aside:
// state, integration, saved/TASK/NUMBER or marks/NAME. The commit is the
// shortened id of one that was put aside.
func RescueFolder(at time.Time, commit string) string {
	return RescueRefs + strconv.FormatInt(at.Unix(), 10) + "-" + commit
}

// The branches of tasks.
const (
	TaskBranches = "liza/"           // what their short names begin with
	TaskRoot     = "refs/heads/liza" // their folder
	TaskRefs     = TaskRoot + "/"    // what their full names begin with
)

// The folders of git liza.
const (
	Worktrees = ".worktrees" // in the main work tree: a checkout in each folder
	Private   = "liza"       // in the shared git directory: what no other clone needs
)
