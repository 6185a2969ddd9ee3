package hooks

import (
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A kind is what a ref means to the judgement.
type kind int

const (
	foreign     kind = iota // none of our business
	stateRef                // the board
	integration             // approved work only
	taskBranch              // refs/heads/liza/TASK
	keptRef                 // a save or a mark, which belongs to one move
	presence                // what an agent says of itself, replaced in place
	sessionRef              // what an agent was told and said, which grows
	private                 // what never leaves a clone
	shadow                  // git takes it for another ref, whose name it ends in
	replacement             // refs/replace/, which changes what a judge reads
	unknown                 // a name among ours that means nothing, or stands in the way of one
)

const branches = "refs/heads/"

// prefixes say what the refs below them are.
var prefixes = []struct {
	prefix string
	kind   kind
}{
	{layout.TaskRefs, taskBranch},
	{layout.SavedRefs, keptRef},
	{layout.MarkRefs, keptRef},
	{layout.PresenceRefs, presence},
	{layout.SessionRefs, sessionRef},
	{layout.RemoteRefs, private},
	{layout.RescueRefs, private},
	{layout.Refs, unknown},
	{"refs/replace/", replacement},
}

// kind tells what a ref is on the boards around the push.
func (s *pushState) kind(name string) kind {
	switch {
	case name == layout.State:
		return stateRef
	case s.isIntegration(name):
		return integration
	case git.Shadows(name):
		return shadow
	case s.folds && s.looksIntegrated(name):
		return unknown
	case strings.HasPrefix(name, layout.SessionRefs) && strings.Count(name, "/") == strings.Count(layout.SessionRefs, "/"):
		return unknown // it would leave no room for the sessions of that agent
	}
	for _, p := range prefixes {
		if strings.HasPrefix(name, p.prefix) {
			return p.kind
		}
	}
	// A file or folder of this name leaves no room for refs of ours, and where
	// names ignore case, neither does one that looks alike.
	lower := strings.ToLower(name)
	for _, room := range []string{layout.Root, layout.TaskRoot, "refs/replace"} {
		if lower == room || strings.HasPrefix(lower, room+"/") {
			return unknown
		}
	}
	return foreign
}

// isIntegration holds for the integration branch of both boards, so that no
// push can take a branch out of guard and move it at once.
func (s *pushState) isIntegration(name string) bool {
	for _, b := range []*flow.Board{s.before, s.after} {
		if b != nil && name == b.Settings().Integration.Ref() {
			return true
		}
	}
	return false
}

// looksIntegrated holds for a branch that only case tells from integration:
// on some file systems that is the same file.
func (s *pushState) looksIntegrated(name string) bool {
	return s.after != nil && strings.EqualFold(name, s.after.Settings().Integration.Ref()) || s.before != nil && strings.EqualFold(name, s.before.Settings().Integration.Ref())
}

// pushWithState begins the command that pushes a ref together with the state.
const pushWithState = "git push --atomic REMOTE " + layout.State + " "

// An owner is the agent or task whose name a ref carries.
func owner(name, prefix string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "/")
	return first
}
