package hooks

import (
	"context"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// maxSessions is how many sessions one push may bring.
const maxSessions = 1000

// judgeSession judges the ref with the sessions of a registration of an agent: only
// the agent's principal adds sessions, and only an admin deletes the ref.
func (j *judge) judgeSession(ctx context.Context, u Update) error {
	id, generation := board.ParseSessionRef(u.Name)
	switch {
	case u.New == "" && j.authors.includeAdmin():
		return nil
	case u.New == "":
		j.refuse(u.Name, refusal(flow.RuleAdmin, "git liza principal list", "%s is deleted by an admin", u.Name))
		return nil
	case !j.pusherSpeaksFor(id):
		j.refuse(u.Name, refusal(flow.RulePrincipal, "git liza principal list", "%s is for the principal of %s", u.Name, id))
		return nil
	case new(board.Generation).UnmarshalText([]byte(generation)) != nil || generation.Spawned():
		j.refuse(u.Name, refusal(RuleRef, "git liza session list", "%s names no registration of %s", u.Name, id))
		return nil
	}
	refused, err := j.checkSessions(ctx, u)
	if refused != nil {
		j.refuse(u.Name, refused)
	}
	return err
}

// checkSessions checks each commit that the push adds to the ref: it is a session, and
// the first one follows the old value.
func (j *judge) checkSessions(ctx context.Context, u Update) (*flow.Refusal, error) {
	objects := j.store.Repo.Objects(ctx)
	for at := u.New; at != u.Old; j.sessions++ {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case at == "":
			return refusal(RuleRef, "git liza session list", "%s only grows: %s does not follow from %s", u.Name, u.New.Short(), u.Old.Short()), nil
		case j.sessions == maxSessions:
			return refusal(flow.RuleLimit, "git push REMOTE COMMIT:"+u.Name, "a push brings at most %d sessions: push in parts", maxSessions), nil
		}
		before, err := gitstore.CheckSession(objects, at)
		if err != nil {
			return refusal(RuleRef, "git liza session list", "%v", err), nil
		}
		at = before
	}
	return nil, nil
}
