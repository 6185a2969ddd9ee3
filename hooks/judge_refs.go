package hooks

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// judgeRef judges one ref other than the state. On a clone it guards the integration
// branch only: all other refs are its owner's.
func (j *judge) judgeRef(ctx context.Context, u Update) error {
	k := j.kindOf(u.Name)
	if !j.push.Server && k != integration && !(k == unknown && j.looksIntegrated(u.Name)) {
		return nil
	}
	switch k {
	case private:
		j.refuse(u.Name, refusal(RuleRef, "git config --get-all remote.REMOTE.push", "%s belongs to a clone and never leaves it", u.Name))
	case unknown:
		if u.New == "" && !j.folds {
			return nil // the ref may be older than the board
		}
		j.refuse(u.Name, refusal(RuleRef, "git liza help", "%s means nothing here, and stands among refs that do", u.Name))
	case shadow:
		if u.New != "" {
			j.refuse(u.Name, shadowRefusal(u.Name))
		}
	case replacement:
		if u.New != "" {
			j.refuse(u.Name, refusal(RuleReplace, "git replace --delete "+firstName(u.Name, "refs/replace/"), "replace refs forge what others read, so a repository with a blackboard takes none"))
		}
	case tag:
		return j.judgeTag(ctx, u)
	case keptRef:
		j.judgeKeptRef(u)
	case integration:
		j.judgeIntegration(ctx, u)
	case taskBranch:
		j.judgeTaskBranch(u)
	case presence:
		return j.judgePresence(ctx, u)
	case sessionRef:
		return j.judgeSession(ctx, u)
	}
	return nil
}

// shadowRefusal refuses a ref that makes the name of another one ambiguous: git
// would refuse pushes to that, because its name matches more than one.
func shadowRefusal(name string) *flow.Refusal {
	return refusal(RuleRef, "git push REMOTE COMMIT:refs/heads/NAME", "git can take %s for another ref whose name it ends in: no name begins with refs/ twice", name)
}

// judgeTag refuses a tag that is called like a branch: who types the name gets the tag,
// with commits that nobody approved.
func (s *pushState) judgeTag(ctx context.Context, u Update) (err error) {
	if u.New != "" && git.LikeBranch(strings.TrimPrefix(u.Name, tags), func(branch string) bool {
		at, failed := s.store.Repo.Refs.Follow(ctx, branches+branch)
		_, pushed := s.findUpdate(branches + branch)
		err = cmp.Or(err, failed)
		return at != "" || pushed || s.looksIntegrated(branches+branch)
	}) {
		s.refuse(u.Name, refusal(flow.RuleAmbiguous, "git push REMOTE "+u.Name+":refs/tags/NAME",
			"%s has the name of a branch, and git takes it for that: give the tag another name", u.Name))
	}
	return err
}

// judgeIntegration refuses the integration branch at any other commit than the one
// that the board after the push names.
func (j *judge) judgeIntegration(ctx context.Context, u Update) {
	want := j.after.Settings().Integration.Tip
	branch := strings.TrimPrefix(u.Name, branches)
	switch {
	case u.New == "":
		j.refuse(u.Name, refusal(flow.RuleTip, "git liza status", "%s is the integration branch, which is never deleted", branch))
	case j.broken, u.New == want:
	case u.Old == u.New && !j.push.Server && j.passed[u.New]: // the next move rolls it forward
	default:
		hint := "git liza adopt " + string(u.New) + " --reason R"
		if contains, err := j.store.Repo.IsAncestor(ctx, git.ID(want), u.New); err == nil && !contains {
			hint = "git liza status" // adopt goes forward only
		} else if unreviewed, err := j.store.Settler.Unreviewed(ctx, j.after, want, u.New); err != nil || unreviewed {
			hint = "git liza status # or, if you made that commit yourself: " + hint
		}
		j.refuse(u.Name, refusal(flow.RuleTip, hint,
			"%s takes approved merges only: the board has it at %s, and not at %s", branch, want.Short(), u.New.Short()))
	}
}

// judgeKeptRef accepts a saved ref or a mark that comes with the move that names it,
// and refuses every other change of one.
func (j *judge) judgeKeptRef(u Update) {
	want, ok := j.kept[u.Name]
	switch {
	case u.New == "" || u.Old != "" && u.Old != u.New:
		j.refuse(u.Name, refusal(RuleRef, "git liza log -n 1", "%s is kept: it is never moved or deleted", u.Name))
	case j.broken:
	case !ok:
		j.refuse(u.Name, refusal(RuleRef, "git liza log -n 1", "no move of this push names %s", u.Name))
	case u.New != want:
		j.refuse(u.Name, refusal(RuleRef, "git liza log -n 1", "the move keeps %s at %s, the push puts it at %s", u.Name, want.Short(), u.New.Short()))
	}
}

// judgeTaskBranch judges a task's branch by the task on the board after the push.
func (j *judge) judgeTaskBranch(u Update) {
	id := board.ParseBranchRef(u.Name)
	if j.broken {
		return
	}
	t := j.after.Task(id)
	if u.New == "" {
		if t != nil && !t.Status.Final() && t.Attempt != nil && !j.pusherHolds(t) {
			j.refuse(u.Name, refusal(RuleBranch, "git liza show "+string(id), "%s is %s: its branch holds work that is not over", id, t.Status))
		}
		return
	}
	switch {
	case t == nil:
		j.refuse(u.Name, refusal(flow.RuleNotFound, "git liza list --all", "there is no task that %s could be the branch of", u.Name))
	case t.Status.Final():
		j.refuse(u.Name, refusal(flow.RuleFinal, "git liza show "+string(id), "%s is %s: its branch is gone", id, t.Status))
	case t.Claim != nil:
		if !j.pusherHolds(t) {
			j.refuse(u.Name, refusal(RuleBranch, "git liza show "+string(id), "%s is held by %s (%s), who alone moves its branch", id, t.Claim.By, holderName(t)))
		}
	case t.Submission == nil || t.Submission.Commit != u.New:
		j.refuse(u.Name, refusal(RuleBranch, holdHint(t), "%s is %s: its branch stands at the commit that was submitted and nowhere else", id, t.Status))
	}
}

// pusherHolds reports whether the pusher holds the task. An admin who publishes moves
// counts as the holder of every task.
func (j *judge) pusherHolds(t *board.Task) bool {
	if t.Claim == nil {
		return false
	}
	if j.publishesMoves() && j.authors.includeAdmin() {
		return true
	}
	return j.authors.anySatisfies(func(p *board.Principal) bool {
		if t.Claim.Principal != "" {
			return p.Name == t.Claim.Principal
		}
		return p.MayAct(t.Claim.By) // the claim is older than the board's principals
	})
}

// holderName is the principal that holds a task, in words.
func holderName(t *board.Task) string { return cmp.Or(t.Claim.Principal, "no principal") }

// checkComplete refuses a push that does not bring all refs and objects that its
// moves need.
func (j *judge) checkComplete(ctx context.Context) error {
	if !j.push.Server {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(j.kept)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, ok := j.findUpdate(name); ok {
			continue
		}
		at, err := j.store.Repo.Refs.Resolve(ctx, name)
		if err != nil {
			return err
		}
		if at != j.kept[name] {
			j.refuse(name, refusal(RuleRef, pushWithState+name, "a move of this push keeps %s, and the push does not bring it", name))
		}
	}
	if err := j.checkObjects(ctx); err != nil {
		return err
	}
	return j.checkIntegration(ctx)
}

// checkObjects refuses commits behind which objects are missing. git checks only
// commits that a ref of the push names, and post-receive may bring integration to
// others. In a push that is not atomic git leaves out refs with missing objects and
// tells no hook: the others would land without the state by which they were judged.
// A whole new board is not checked: an admin answers for it.
func (j *judge) checkObjects(ctx context.Context) error {
	if j.created {
		return nil
	}
	needs := make(map[string]git.ID, len(j.kept)+2)
	if _, ok := j.findUpdate(layout.State); ok && len(j.push.Updates) > 1 {
		needs[layout.State] = j.tip
	}
	for name, id := range j.kept {
		if strings.HasPrefix(name, layout.SavedRefs) {
			needs[name] = id
		}
	}
	if len(j.passed) > 0 {
		needs[j.after.Settings().Integration.Ref()] = j.after.Settings().Integration.Tip
	}
	missing, err := j.store.Repo.IncompleteCommits(ctx, needs)
	for _, name := range missing {
		j.refuse(name, refusal(flow.RuleFact, "git fsck --connectivity-only", "objects are missing behind %s, where %s would be", needs[name].Short(), name))
	}
	return err
}

// checkIntegration refuses moves of integration if the push neither brings the branch
// nor finds it at a commit from which it can be rolled forward.
func (j *judge) checkIntegration(ctx context.Context) error {
	name := j.after.Settings().Integration.Ref()
	u, ok := j.findUpdate(name)
	if ok && j.created && u.Old != "" {
		return j.checkForward(ctx, u)
	}
	if ok || len(j.passed) == 0 && !j.created {
		return nil
	}
	at, err := j.store.Repo.Refs.Direct(ctx, name)
	if err != nil || at == j.after.Settings().Integration.Tip || at != "" && j.passed[at] {
		return err
	}
	branch := strings.TrimPrefix(name, branches)
	j.refuse(name, refusal(flow.RuleTip, pushWithState+branch,
		"the board has %s at %s, here it is at %s, and the push does not bring it", branch, j.after.Settings().Integration.Tip.Short(), shortID(at)))
	return nil
}

// checkForward refuses a new board whose integration branch does not contain the
// commits that the branch has here.
func (j *judge) checkForward(ctx context.Context, u Update) error {
	contains, err := j.store.Repo.IsAncestor(ctx, u.Old, u.New)
	if err != nil || contains {
		return err
	}
	j.refuse(u.Name, refusal(flow.RuleTip, "git fetch REMOTE && git liza adopt "+string(u.Old)+" --reason R",
		"the board does not contain %s, where %s is here", u.Old.Short(), strings.TrimPrefix(u.Name, branches)))
	return nil
}
