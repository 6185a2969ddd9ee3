package hooks

import (
	"context"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// presence judges an agent's word about itself: its principal's, one commit
// without a history and without files.
func (j *judge) presence(ctx context.Context, u Update) error {
	id := flow.ParsePresenceRef(u.Name)
	if !j.speaks(id) && !(u.New == "" && j.authors.admin()) {
		j.refuse(u.Name, refusal(flow.RulePrincipal, "git liza principal list", "%s is for the principal of %s", u.Name, id))
		return nil
	}
	if u.New == "" {
		return nil
	}
	if j.after.Agent(id) == nil {
		j.refuse(u.Name, refusal(flow.RuleNotFound, "git liza register "+string(id), "there is no agent %s that %s could speak of", id, u.Name))
		return nil
	}
	objects, err := j.store.Repo.Objects(ctx)
	if err != nil {
		return err
	}
	kind, size, err := objects.Size(u.New)
	if err != nil || kind != "commit" || size > gitstore.MaxPresence {
		j.refuse(u.Name, refusal(RuleRef, "git liza agents", "%s is a commit of at most %d bytes", u.Name, gitstore.MaxPresence))
		return err
	}
	c, err := objects.Commit(u.New)
	if err != nil || len(c.Parents) > 0 {
		j.refuse(u.Name, refusal(RuleRef, "git liza agents", "%s is one commit, replaced in place: it has no parents", u.Name))
		return nil
	}
	// A look at the board brings all that hangs on it to every clone.
	if _, size, err := objects.Size(c.Tree); err != nil || size > 0 {
		j.refuse(u.Name, refusal(RuleRef, "git liza agents", "%s is one commit without files: its tree is empty", u.Name))
	}
	return nil
}

// speaks reports whether the one who pushes may speak for an agent.
func (j *judge) speaks(id flow.AgentID) bool {
	if id.Role() == 0 {
		return false
	}
	a := j.after.Agent(id)
	return j.authors.acts(func(p *flow.Principal) bool {
		if a != nil && a.Principal != "" {
			return p.Name == a.Principal
		}
		return p.MayAct(flow.Actor(id))
	})
}
