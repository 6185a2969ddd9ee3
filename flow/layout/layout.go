// Package layout names what git liza creates in a repository: its refs, the
// branches of tasks, and two folders. No other package spells these names. It
// knows neither tasks nor git: package flow composes the names of the branch,
// folder and saved commits of a task.
package layout

import (
	"strconv"
	"time"
)

// The refs of the board, by their full names.
const (
	Root  = "refs/liza"    // the folder of all refs but the branches of tasks
	Refs  = Root + "/"     // what their names begin with
	State = Refs + "state" // the blackboard

	SavedRefs = Refs + "saved/" // commits of tasks that are kept: TASK/NUMBER
	MarkRefs  = Refs + "marks/" // states that have a name, such as sprint-1

	// PresenceRefs holds a ref AGENT for each registered agent that is running:
	// a commit without a parent, replaced in place.
	PresenceRefs = Refs + "agents/"

	// SessionRefs holds a ref AGENT/GENERATION for each registration of an
	// agent; its commits are the records of the sessions.
	SessionRefs = Refs + "sessions/"
)

// The refs that never leave a clone.
const (
	RemoteRefs = Refs + "remote/" // what the clone last fetched of its remotes
	PinRefs    = Refs + "pins/"   // what a checkout borrows of the clone's objects: one for each
	RescueRefs = Refs + "rescue/" // what a repair put aside, and work that no other ref has

	LostRefs = RescueRefs + "lost-" // moves that the clone gave up and the remote never got: COMMIT/WHAT
)

// RemoteRef is the ref that records what a clone last fetched of a remote:
// state, integration, agents/AGENT or saved/TASK.
func RemoteRef(remote, what string) string { return RemoteRefs + remote + "/" + what }

// RescueFolder is the folder of the refs that one repair puts aside: state,
// integration, saved/TASK/NUMBER or marks/NAME. The commit is the abbreviated
// id of one of them.
func RescueFolder(at time.Time, commit string) string {
	return RescueRefs + strconv.FormatInt(at.Unix(), 10) + "-" + commit
}

// The branches of tasks.
const (
	TaskBranches = "liza/"           // what their short names begin with
	TaskRoot     = "refs/heads/liza" // their folder
	TaskRefs     = TaskRoot + "/"    // what their full names begin with
)

// WorktreesKey is the key of git's configuration that has another folder for Worktrees: absolute,
// or from the main work tree, in a bare repository from the git directory.
const WorktreesKey = "liza.worktrees"

// The folders of git liza.
const (
	Worktrees = ".worktrees"       // in the main work tree: one folder for each checkout
	Include   = ".worktreeinclude" // a file in it: what new checkouts get of it
	Private   = "liza"             // in the common git directory: files that no other clone needs
)
