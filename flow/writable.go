package flow

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/board"
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
func Writable(b *board.Board, t *board.Task, role board.Role, list []string, undo func(path string) string) *Refusal {
	return checkWritable(b, t, role, list, undo, true)
}

// checkWritable is Writable; unless strict it lets pass what an intent declares.
func checkWritable(b *board.Board, t *board.Task, role board.Role, list []string, undo func(path string) string, strict bool) *Refusal {
	owned, allowed, bounds := glob.ParseAll(t.Owns), board.Declared(t), roleBoundsOf(b, role, t.Kind)
	denied, own := glob.ParseAll(board.TaskDenials(b, t)), artifactBounds(b, t, role)
	for _, path := range list {
		if b.Interrupted() {
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
		if r := refuseBounds(bounds, path, undo); r != nil {
			return r
		}
	}
	return nil
}

// extends refuses work on a task to go beyond what the task owns: where a loop bounds what
// agents change, and onto paths that another task in work owns. What others have declared
// beyond theirs does not count: two that need one file would wait for each other for ever.
func extends(b *board.Board, t *board.Task, role board.Role, beyond string) *Refusal {
	if role != "" && board.LoopOf(b, t.Goal) != nil {
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

// artifactBounds are the paths that a role writes which writes artifacts alone, in its
// work on a task; nil if nothing bounds it.
func artifactBounds(b *board.Board, t *board.Task, role board.Role) []glob.Glob {
	row, w := b.Role(role), board.FindWorkflow(b, t.Goal)
	if row == nil || !row.Artifacts || w == nil {
		return nil
	}
	own := []glob.Glob{}
	for _, f := range w.Phases {
		if t.Phase != board.AnyPhase && t.Phase != f.Name {
			continue
		}
		own = append(own, lists.Of(f.Artifacts, func(a board.PhaseArtifact) glob.Glob { return glob.Parse(board.Expand(a.Path, t.Goal)) })...)
	}
	return own
}

func roleBoundsOf(b *board.Board, role board.Role, kind board.Kind) board.RoleBounds {
	row := b.Role(role)
	if row == nil {
		return board.RoleBounds{Role: role, Kind: kind}
	}
	bounds := row.Bounds(kind)
	bounds.Never = glob.ParseAll(b.Settings().Config.Never)
	return bounds
}

// MayWrite reports whether the row lets agents change a path, or paths of a glob, in tasks of
// a kind.
func MayWrite(r *board.RoleRow, kind board.Kind, glob string) bool {
	does := r.Has(board.ToolWrite) && (len(r.Kinds) == 0 || slices.Contains(r.Kinds, kind))
	return does && refuseBounds(r.Bounds(kind), sampleOf(glob), func(string) string { return "" }) == nil
}

func refuseBounds(b board.RoleBounds, path string, undo func(path string) string) *Refusal {
	if len(b.Writes) > 0 && !glob.MatchesAny(b.Writes, path) {
		globs := lists.Of(b.Writes, func(g glob.Glob) string { return g.Text })
		return refuse(RuleRolePaths, undo(path), "%s may change only %s, not %s", b.Role.One(), strings.Join(globs, ", "), shown(path))
	}
	matches := func(g glob.Glob) bool { return g.Matches(path) }
	if g := lists.Find(b.Denies, matches); g != nil {
		return refuse(RuleRolePaths, undo(path), "%s may not change %s (%s) in a task of kind %s", b.Role.One(), shown(path), g.Text, b.Kind)
	}
	if g := lists.Find(b.Never, matches); g != nil {
		return refuse(RuleRolePaths, undo(path), "no agent may change %s (%s); a person can, and changes what holds for agents: git liza config never", shown(path), g.Text)
	}
	return nil
}

// shown is a path for a message: unchanged, or as git prints unusual ones.
func shown(path string) string {
	if strings.IndexFunc(path, board.Unprintable) < 0 && utf8.ValidString(path) {
		return path
	}
	return board.QuoteC(path)
}
