package flow

import (
	"strings"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/shell"
)

// Writable refuses the first of the paths that an agent of the role may not
// change in its work on a task: one that the task neither owns nor has declared
// in its intent, or one that the configuration denies the role. undo is the
// command that reverts the change of a path, for the hint. Writable returns nil
// if all paths may be changed, or if the context of the board has ended.
func (b *Board) Writable(t *Task, role Role, list []string, undo func(path string) string) *Refusal {
	allowed := parseGlobs(t.Owns)
	if t.Intent != nil {
		allowed = append(allowed, parseGlobs(t.Intent.Extend)...)
	}
	var denied []RolePath
	for _, rp := range b.Settings().Config.RolePaths {
		if rp.Role == role && !containsKind(rp.Except, t.Kind) {
			denied = append(denied, rp)
		}
	}
	for _, path := range list {
		if b.interrupted() {
			return nil
		}
		if len(t.Owns) > 0 && !matchesAny(allowed, path) {
			return refuse(RuleScope, "git liza intent "+string(t.ID)+" --summary S --validation V --extend "+shell.Quote(path),
				"%s changes %s, which it neither owns nor has declared", t.ID, shown(path))
		}
		for _, rp := range denied {
			if Match(rp.Deny, path) {
				return refuse(RuleRolePaths, undo(path),
					"a %s may not change %s (%s) in a task of kind %s", role, shown(path), rp.Deny, t.Kind)
			}
		}
	}
	return nil
}

// shown is a path for a message: unchanged, or as git prints unusual ones.
func shown(path string) string {
	if strings.IndexFunc(path, unprintable) < 0 && utf8.ValidString(path) {
		return path
	}
	return quoteC(path)
}
