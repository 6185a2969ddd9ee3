package hooks

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A kind is what a ref means to the judgement.
type kind int

const (
	foreign     kind = iota // a ref that the board does not guard
	stateRef                // the board
	integration             // the branch of approved work
	taskBranch              // refs/heads/liza/TASK
	keptRef                 // a saved ref or a mark, which belongs to one move
	presence                // the presence of an agent, replaced in place
	sessionRef              // sessions of an agent, which are only added
	private                 // a ref that never leaves a clone
	shadow                  // git can take it for another ref, whose name it ends in
	tag                     // a tag, which git takes before the branch of its name
	replacement             // refs/replace/, which changes what git reads
	unknown                 // a name below ours without a meaning, or one that leaves no room for ours
)

const (
	branches = "refs/heads/"
	tags     = "refs/tags/"
)

// prefixes are the kinds of refs by their folder.
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
	{layout.PinRefs, private},
	{layout.Refs, unknown},
	{"refs/replace/", replacement},
	{tags, tag},
}

// kindOf is the kind of a ref, by the boards before and after the push.
func (s *pushState) kindOf(name string) kind {
	switch {
	case name == layout.State:
		return stateRef
	case s.isIntegration(name):
		return integration
	case git.Shadows(name):
		return shadow
	case s.folds && s.looksIntegrated(name):
		return unknown
	}
	for _, p := range prefixes {
		if strings.HasPrefix(name, p.prefix) {
			return p.kind
		}
	}
	// A file or folder of this name leaves no room for refs of ours, and where
	// names ignore case, neither does one that looks alike.
	lower := strings.ToLower(name)
	rooms := []string{layout.Root, layout.TaskRoot, "refs/replace"}
	if slices.ContainsFunc(rooms, func(room string) bool { return strings.HasPrefix(lower+"/", room+"/") }) {
		return unknown
	}
	return foreign
}

// isIntegration reports whether a ref is the integration branch. No move gives a board
// another one.
func (s *pushState) isIntegration(name string) bool {
	return s.after != nil && name == s.after.Settings().Integration.Ref()
}

// looksIntegrated reports whether a name differs from that of an integration branch
// only in case: on some file systems that is the same file.
func (s *pushState) looksIntegrated(name string) bool {
	return s.after != nil && strings.EqualFold(name, s.after.Settings().Integration.Ref())
}

// pushWithState begins the command that pushes a ref together with the state.
const pushWithState = "git push --atomic REMOTE " + layout.State + " "

// firstName is the part of a ref's name after a prefix, up to the next slash.
func firstName(name, prefix string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "/")
	return first
}
