package board

import (
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

// Branch is the short name of the task's branch.
func (id TaskID) Branch() string { return layout.TaskBranches + string(id) }

// BranchRef is the full name of the task's branch.
func (id TaskID) BranchRef() string { return layout.TaskRefs + string(id) }

// ParseBranchRef is the task of a branch, by the full name of the branch.
func ParseBranchRef(ref string) TaskID { return TaskID(strings.TrimPrefix(ref, layout.TaskRefs)) }

// SavedRef is the ref of the task's n-th kept commit.
func (id TaskID) SavedRef(n int) string { return layout.SavedRefs + string(id) + "/" + strconv.Itoa(n) }

// MarkRef is the ref of a named state.
func MarkRef(name string) string { return layout.MarkRefs + name }

// PresenceRef is the ref of the presence of the agent.
func (id AgentID) PresenceRef() string { return layout.PresenceRefs + string(id) }

// ParsePresenceRef is the agent of a ref of a presence.
func ParsePresenceRef(ref string) AgentID {
	return AgentID(strings.TrimPrefix(ref, layout.PresenceRefs))
}

// SessionRef is the ref of the sessions that the agent had under one registration.
func (id AgentID) SessionRef(g Generation) string {
	return layout.SessionRefs + string(id) + "/" + string(g)
}

// ParseSessionRef splits a ref of sessions. It checks neither id.
func ParseSessionRef(ref string) (AgentID, Generation) {
	id, generation, _ := strings.Cut(strings.TrimPrefix(ref, layout.SessionRefs), "/")
	return AgentID(id), Generation(generation)
}

// reviewed is the prefix of the name of a checkout for a review.
const reviewed = "review@"

// Folder is the name of the checkout of an attempt, below .worktrees/.
func (id TaskID) Folder(attempt int) string {
	if attempt <= 1 {
		return string(id)
	}
	return string(id) + "@" + strconv.Itoa(attempt)
}

// ReviewFolder is the name of the checkout in which agents of a role review a
// submission, below .worktrees/.
func (id TaskID) ReviewFolder(role Role, submission int) string {
	name := reviewed + string(id) + "@" + strconv.Itoa(submission)
	if role != CodeReviewer {
		name += "@" + string(role)
	}
	return name
}

// ParseFolder splits the name of a checkout into its task and the number of its
// attempt or, for a review, of its submission, with the role that reviews; that
// is "" for an attempt. The number is 0 if neither Folder nor ReviewFolder gives
// the name.
func ParseFolder(name string) (id TaskID, number int, review Role) {
	task, rest, found := strings.Cut(name, "@")
	if !found {
		return TaskID(name), 1, ""
	}
	if submission, isReview := strings.CutPrefix(name, reviewed); isReview && strings.Contains(submission, "@") {
		task, rest, _ = strings.Cut(submission, "@")
		text, role, named := strings.Cut(rest, "@")
		rest, review = text, CodeReviewer
		if named && (!goodRole(role) || role == string(CodeReviewer)) {
			return "", 0, ""
		} else if named {
			review = Role(role)
		}
	}
	number, err := strconv.Atoi(rest)
	if err != nil || number < 1 {
		return "", 0, ""
	}
	return TaskID(task), number, review
}
