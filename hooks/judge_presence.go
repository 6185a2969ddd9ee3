package hooks

import (
	"context"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// judgePresence judges the presence of an agent: the agent's principal pushes it, and
// it is one commit without parents and without files. An admin may delete it.
func (j *judge) judgePresence(ctx context.Context, u Update) error {
	id := board.ParsePresenceRef(u.Name)
	if !j.pusherSpeaksFor(id) && !(u.New == "" && j.authors.includeAdmin()) {
		j.refuse(u.Name, refusal(flow.RulePrincipal, "git liza principal list", "%s is for the principal of %s", u.Name, id))
		return nil
	}
	if u.New == "" {
		return nil
	}
	if j.after.Agent(id) == nil {
		j.refuse(u.Name, refusal(flow.RuleNotFound, "git liza agents add "+string(id), "there is no agent %s that %s could speak of", id, u.Name))
		return nil
	}
	objects := j.store.Repo.Objects(ctx)
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
	// Every clone fetches the presences with the board, and all that they contain.
	if _, size, err := objects.Size(c.Tree); err != nil || size > 0 {
		j.refuse(u.Name, refusal(RuleRef, "git liza agents", "%s is one commit without files: its tree is empty", u.Name))
	}
	return nil
}

// pusherSpeaksFor reports whether the pusher is the principal of an agent.
func (j *judge) pusherSpeaksFor(id board.AgentID) bool {
	if j.after.Role(id.Role()) == nil {
		return false
	}
	a := j.after.Agent(id)
	return j.authors.anySatisfies(func(p *board.Principal) bool {
		if a != nil && a.Principal != "" {
			return p.Name == a.Principal
		}
		return p.MayAct(board.Actor(id))
	})
}
