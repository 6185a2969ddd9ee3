package flow

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// Writable refuses the first of the paths that the role may not change in its
// work on a task: one that the task neither owns nor has declared in its intent,
// one outside of what the role writes, one that it is denied, or one that no
// agent changes. People have no role, and only their task binds them. undo is the
// command that reverts the change of a path, for the hint. Writable returns nil
// if all paths may be changed, or if the context of the board has ended.
//
// Of what the task does not own, agents change nothing in a loop, and nobody what another
// task in work owns.
func (b *Board) Writable(t *Task, role Role, list []string, undo func(path string) string) *Refusal {
	return checkWritable(b, t, role, list, undo, true)
}

// checkWritable is Writable; unless strict it lets pass what an intent declares.
func checkWritable(b *Board, t *Task, role Role, list []string, undo func(path string) string, strict bool) *Refusal {
	owned, allowed, bounds := glob.ParseAll(t.Owns), declared(t), roleBoundsOf(b, role, t.Kind)
	denied, own := glob.ParseAll(TaskDenials(b, t)), artifactBounds(b, t, role)
	for _, path := range list {
		if b.interrupted() {
			return nil
		}
		if len(t.Owns) > 0 && !glob.MatchesAny(owned, path) {
			declared := glob.MatchesAny(allowed, path)
			if strict || !declared {
				if r := extends(b, t, role, glob.Quote(path)); r != nil {
					r.Hint = undo(path)
					return r
				}
			}
			if !declared {
				return refuse(RuleScope, intend(t)+" --extend "+shell.Quote(path),
					"%s changes %s, which it neither owns nor has declared", t.ID, shown(path))
			}
		}
		if glob.MatchesAny(denied, path) {
			return refuse(RuleScope, undo(path), "%s may not change %s, whoever does it", t.ID, shown(path))
		}
		if own != nil && !glob.MatchesAny(own, path) {
			return refuse(RuleRolePaths, undo(path), "the role %s changes only the artifacts of the phase %s, not %s", role, t.Phase, shown(path))
		}
		if r := bounds.refuse(path, undo); r != nil {
			return r
		}
	}
	return nil
}

// extends refuses work on a task to go beyond what the task owns: where a loop bounds what
// agents change, and onto paths that another task in work owns. What others have declared
// beyond theirs does not count: two that need one file would wait for each other for ever.
func extends(b *Board, t *Task, role Role, beyond string) *Refusal {
	if role != "" && loopOf(b, t.Goal) != nil {
		return refuse(RuleScope, "git liza block "+string(t.ID)+" --reason R --question Q",
			"%s owns %s, and agents change nothing else in a loop: not %s", t.ID, strings.Join(t.Owns, ", "), shown(beyond))
	}
	other, _, theirs := rivalOf(b, t, []glob.Glob{glob.Parse(beyond)}, glob.FirstFileOverlap, true)
	if other == nil {
		return nil
	}
	return refuse(RuleOwnership, "git liza note TEXT --for "+string(other.ID), "%s owns %s and is %s: %s leaves %s alone until then",
		other.ID, theirs, other.Status, t.ID, shown(beyond))
}

// declared are the paths that a task owns, and those beyond them that its intent names.
func declared(t *Task) []glob.Glob {
	globs := glob.ParseAll(t.Owns)
	if t.Intent != nil {
		globs = append(globs, glob.ParseAll(t.Intent.Extend)...)
	}
	return globs
}

// Foreign says of a path, changed in the work on a task, whether never names it, or no task owns
// it and this one's intent does not declare it. A task that owns nothing may change what it
// likes, and so may nobody's, which is nil.
func (b *Board) Foreign(t *Task) func(path string) bool {
	never, bounded := glob.ParseAll(b.Settings().Config.Never), t != nil && len(t.Owns) > 0
	var owned []glob.Glob
	if bounded {
		owned = declared(t)
		for _, s := range b.Summaries() {
			owned = append(owned, ownedGlobs(b, s)...)
		}
	}
	return func(path string) bool {
		return glob.MatchesAny(never, path) || bounded && !glob.MatchesAny(owned, path)
	}
}

// artifactBounds are the paths that a role writes which writes artifacts alone, in its
// work on a task; nil if nothing bounds it.
func artifactBounds(b *Board, t *Task, role Role) []glob.Glob {
	row, w := b.Role(role), FindWorkflow(b, t.Goal)
	if row == nil || !row.Artifacts || w == nil {
		return nil
	}
	own := []glob.Glob{}
	for _, f := range w.Phases {
		if t.Phase != AnyPhase && t.Phase != f.Name {
			continue
		}
		own = append(own, lists.Of(f.Artifacts, func(a PhaseArtifact) glob.Glob { return glob.Parse(Expand(a.Path, t.Goal)) })...)
	}
	return own
}

// roleBounds are what a role may change in tasks of a kind, whatever the task
// says.
type roleBounds struct {
	role   Role
	kind   Kind
	writes []glob.Glob // nothing else; no bound if there are none
	denies []glob.Glob
	never  []glob.Glob // what no agent changes
}

func roleBoundsOf(b *Board, role Role, kind Kind) roleBounds {
	row := b.Role(role)
	if row == nil {
		return roleBounds{role: role, kind: kind}
	}
	bounds := row.bounds(kind)
	bounds.never = glob.ParseAll(b.Settings().Config.Never)
	return bounds
}

// bounds are what the row alone says.
func (r *RoleRow) bounds(kind Kind) roleBounds {
	return roleBounds{role: r.Name, kind: kind, writes: glob.ParseAll(r.Writes), denies: glob.ParseAll(r.denied(kind))}
}

// MayWrite reports whether the row lets agents change a path, or paths of a glob, in tasks of
// a kind.
func (r *RoleRow) MayWrite(kind Kind, glob string) bool {
	does := r.Has(ToolWrite) && (len(r.Kinds) == 0 || slices.Contains(r.Kinds, kind))
	return does && r.bounds(kind).refuse(sampleOf(glob), func(string) string { return "" }) == nil
}

func (b roleBounds) refuse(path string, undo func(path string) string) *Refusal {
	if len(b.writes) > 0 && !glob.MatchesAny(b.writes, path) {
		globs := lists.Of(b.writes, func(g glob.Glob) string { return g.Text })
		return refuse(RuleRolePaths, undo(path), "%s may change only %s, not %s", b.role.One(), strings.Join(globs, ", "), shown(path))
	}
	matches := func(g glob.Glob) bool { return g.Matches(path) }
	if g := lists.Find(b.denies, matches); g != nil {
		return refuse(RuleRolePaths, undo(path), "%s may not change %s (%s) in a task of kind %s", b.role.One(), shown(path), g.Text, b.kind)
	}
	if g := lists.Find(b.never, matches); g != nil {
		return refuse(RuleRolePaths, undo(path), "no agent may change %s (%s); a person can, and changes what holds for agents: git liza config never", shown(path), g.Text)
	}
	return nil
}

// Denied are the globs of paths that agents of the role may not change in tasks
// of a kind.
func (b *Board) Denied(role Role, kind Kind) []string {
	row := b.Role(role)
	if row == nil || !row.Has(ToolWrite) {
		return nil
	}
	return append(row.denied(kind), b.Settings().Config.Never...)
}

// denied are the globs that the row denies in tasks of a kind.
func (r *RoleRow) denied(kind Kind) []string {
	binding := lists.Where(r.Denies, func(d Denial) bool { return !slices.Contains(d.Except, kind) })
	return lists.Of(binding, func(d Denial) string { return d.Glob })
}

// shown is a path for a message: unchanged, or as git prints unusual ones.
func shown(path string) string {
	if strings.IndexFunc(path, unprintable) < 0 && utf8.ValidString(path) {
		return path
	}
	return quoteC(path)
}
