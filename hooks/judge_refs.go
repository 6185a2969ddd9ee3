package hooks

import (
	"context"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// ref judges one ref beside the state. A clone guards its integration branch
// only: what else is in it is its owner's.
func (j *judge) ref(ctx context.Context, u Update) error {
	k := j.kind(u.Name)
	if !j.push.Server && k != integration && !(k == unknown && j.looksIntegrated(u.Name)) {
		return nil
	}
	switch k {
	case private:
		j.refuse(u.Name, refusal(RuleRef, "git config --get-all remote.REMOTE.push", "%s belongs to a clone and never leaves it", u.Name))
	case unknown:
		if u.New == "" && !j.folds {
			return nil // what was there before the board was
		}
		j.refuse(u.Name, refusal(RuleRef, "git liza help", "%s means nothing here, and stands among refs that do", u.Name))
	case shadow:
		if u.New != "" {
			j.refuse(u.Name, shadowed(u.Name))
		}
	case replacement:
		if u.New != "" {
			j.refuse(u.Name, refusal(RuleReplace, "git replace --delete "+owner(u.Name, "refs/replace/"), "replace refs forge what others read, so a repository with a blackboard takes none"))
		}
	case keptRef:
		j.keep(u)
	case integration:
		j.integrate(ctx, u)
	case taskBranch:
		j.branch(u)
	case presence:
		return j.presence(ctx, u)
	case sessionRef:
		return j.session(ctx, u)
	}
	return nil
}

// shadowed refuses a ref that makes another one's name ambiguous: whoever
// pushes to that would hear that it matches more than one.
func shadowed(name string) *flow.Refusal {
	return refusal(RuleRef, "git push REMOTE COMMIT:refs/heads/NAME", "git can take %s for another ref whose name it ends in: no name begins with refs/ twice", name)
}

// integrate lets integration stand only where the board after the push says.
func (j *judge) integrate(ctx context.Context, u Update) {
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

// keep lets saves and marks be made with the move that names them, and
// nothing else happen to them.
func (j *judge) keep(u Update) {
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

// branch judges a task's branch by the task as the push leaves it.
func (j *judge) branch(u Update) {
	id := flow.ParseBranchRef(u.Name)
	if j.broken {
		return
	}
	t := j.after.Task(id)
	if u.New == "" {
		if t != nil && !t.Status.Final() && t.Attempt != nil && !j.holds(t) {
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
		if !j.holds(t) {
			j.refuse(u.Name, refusal(RuleBranch, "git liza show "+string(id), "%s is held by %s (%s), who alone moves its branch", id, t.Claim.By, holder(t)))
		}
	case t.Submission == nil || t.Submission.Commit != u.New:
		j.refuse(u.Name, refusal(RuleBranch, toHold(t), "%s is %s: its branch stands at the commit that was submitted and nowhere else", id, t.Status))
	}
}

// holds reports whether the one who pushes holds the task; an admin who
// brings a board here holds them all.
func (j *judge) holds(t *flow.Task) bool {
	if t.Claim == nil {
		return false
	}
	if j.elsewhere() && j.authors.admin() {
		return true
	}
	return j.authors.acts(func(p *flow.Principal) bool {
		if t.Claim.Principal != "" {
			return p.Name == t.Claim.Principal
		}
		return p.MayAct(t.Claim.By) // claimed before the board had principals
	})
}

func holder(t *flow.Task) string {
	if t.Claim.Principal == "" {
		return "no principal"
	}
	return t.Claim.Principal
}

// complete refuses a push that leaves out refs which its moves need.
func (j *judge) complete(ctx context.Context) error {
	if !j.push.Server {
		return nil
	}
	names := make([]string, 0, len(j.kept))
	for name := range j.kept {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, ok := j.update(name); ok {
			continue
		}
		at, err := j.store.Repo.Resolve(ctx, name)
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

// checkObjects refuses work of which objects are missing. git does not look behind
// what no ref of the push names, which post-receive may bring the branch to,
// and where a push is not atomic it tells no hook which refs it will leave out
// for that: what else it brings would land without the state that it was judged
// by. What comes with a whole board an admin answers for.
func (j *judge) checkObjects(ctx context.Context) error {
	if j.created {
		return nil
	}
	needs := make(map[string]git.ID, len(j.kept)+2)
	if _, ok := j.update(layout.State); ok && len(j.push.Updates) > 1 {
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
	missing, err := j.store.Repo.Incomplete(ctx, needs)
	for _, name := range missing {
		j.refuse(name, refusal(flow.RuleFact, "git fsck --connectivity-only", "objects are missing behind %s, where %s would be", needs[name].Short(), name))
	}
	return err
}

// checkIntegration refuses moves of integration whose branch neither comes with them
// nor stands where it can be rolled forward from.
func (j *judge) checkIntegration(ctx context.Context) error {
	name := j.after.Settings().Integration.Ref()
	u, ok := j.update(name)
	if ok && j.created && u.Old != "" {
		return j.checkForward(ctx, u)
	}
	if ok || len(j.passed) == 0 && !j.created {
		return nil
	}
	at, err := j.store.Repo.Resolve(ctx, name)
	if err != nil || at == j.after.Settings().Integration.Tip || at != "" && j.passed[at] {
		return err
	}
	branch := strings.TrimPrefix(name, branches)
	j.refuse(name, refusal(flow.RuleTip, pushWithState+branch,
		"the board has %s at %s, here it is at %s, and the push does not bring it", branch, j.after.Settings().Integration.Tip.Short(), named(at)))
	return nil
}

// checkForward keeps the push that makes a board from throwing away what is on the
// branch that it takes for integration.
func (j *judge) checkForward(ctx context.Context, u Update) error {
	contains, err := j.store.Repo.IsAncestor(ctx, u.Old, u.New)
	if err != nil || contains {
		return err
	}
	j.refuse(u.Name, refusal(flow.RuleTip, "git fetch REMOTE && git liza adopt "+string(u.Old)+" --reason R",
		"the board does not contain %s, where %s is here", u.Old.Short(), strings.TrimPrefix(u.Name, branches)))
	return nil
}
