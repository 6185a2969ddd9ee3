package flow

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// Bounds of what a plan says of a task.
const (
	maxEstimate      = board.Duration(365 * 24 * time.Hour)
	maxVerifyTimeout = board.Duration(24 * time.Hour)
	maxLabel         = 64 // bytes
)

// describePlan returns all that is wrong with what a plan says of the task.
func describePlan(t *board.Task, hint string) (wrong []*Refusal) {
	refused := func(rule Rule, reason string, args ...any) {
		wrong = append(wrong, refuse(rule, hint, reason, args...))
	}
	if t.Estimate < 0 || t.Estimate > maxEstimate {
		refused(RuleForm, "the estimate %s of %s is negative or longer than a year", t.Estimate, t.ID)
	}
	if t.VerifyTimeout < 0 || t.VerifyTimeout > maxVerifyTimeout {
		refused(RuleForm, "the timeout %s of the verify command of %s is negative or longer than a day", t.VerifyTimeout, t.ID)
	}
	if t.Level < 0 || t.Level > board.MaxTasks {
		refused(RuleForm, "the level %d of %s is not between 1 and %d", t.Level, t.ID, board.MaxTasks)
	}
	for i, s := range t.Steps {
		if s.Action == "" || s.Step < 0 {
			refused(RuleForm, "step %d of %s has no action, or a negative number", i+1, t.ID)
		}
	}
	for i, l := range t.Labels {
		if !board.ValidID(l) || len(l) > maxLabel || slices.Contains(t.Labels[:i], l) {
			refused(RuleForm, "%q is no label of %s, or is named twice: it has letters, digits, - and _", board.Clip(l), t.ID)
		}
	}
	for i, id := range t.Consumers {
		if id == t.ID || slices.Contains(t.Consumers[:i], id) {
			refused(RuleForm, "%s names %s twice among its consumers, or itself", t.ID, board.Clip(string(id)))
		}
	}
	return append(wrong, describeFiles(t, hint)...)
}

// describeFiles returns all that is wrong with the paths of the task.
func describeFiles(t *board.Task, hint string) (wrong []*Refusal) {
	named := slices.Clone(t.Files.Written())
	if t.Files != nil {
		named = append(named, t.Files.Read...)
	}
	if t.IntegrationTest != "" {
		named = append(named, t.IntegrationTest)
	}
	for _, name := range named {
		if !isPlainPath(name) {
			wrong = append(wrong, refuse(RuleForm, hint, "%q of %s is not a clean path inside the repository", board.Clip(name), t.ID))
		}
	}
	written := t.Files.Written()
	for i, name := range written {
		if slices.Contains(written[:i], name) {
			wrong = append(wrong, refuse(RuleForm, hint, "%s names %q twice among the files that it writes", t.ID, board.Clip(name)))
		}
	}
	if len(written) > board.MaxList {
		wrong = append(wrong, refuse(RuleLimit, hint, "%s writes %d files, at most %d are allowed", t.ID, len(written), board.MaxList))
	}
	return wrong
}

// isPlainPath reports whether a path is clean, relative, inside the repository and
// outside of its git directory. A slash may end it.
func isPlainPath(name string) bool {
	plain := strings.TrimSuffix(name, "/")
	if plain == "" || plain == "." || path.IsAbs(plain) || path.Clean(plain) != plain || strings.Contains(plain, `\`) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(plain, "/"), func(part string) bool { return part == ".." || strings.EqualFold(part, ".git") })
}
