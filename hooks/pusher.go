package hooks

import (
	"context"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// author holds the principal that a move names against its signature and
// against who pushes. The keys are those of the board before the move; of the
// board after it where the move enters the first principal.
func (j *judge) author(r gitstore.Replay) *flow.Refusal {
	known := r.Before.Principals()
	founds := len(known.List) == 0
	if founds {
		known = r.After.Principals()
	}
	who := known.Find(r.Move.Principal)
	if founds && len(known.List) > 0 && !j.created {
		if refused := j.founded(r); refused != nil {
			return refused
		}
	}
	switch {
	case who == nil:
		return nil // there are no principals yet, or the rules have refused it
	case r.Signature != "":
		if err := j.store.Audit.CheckSignature(r, who); err != nil {
			return replayed(context.Background(), err)
		}
		j.proved[who.Name] = true
		return nil
	case founds, !j.push.Server && !j.push.Signed:
		return nil
	case j.push.Signed:
		return refusal(flow.RulePrincipal, "git liza principal key "+who.Name, "the move by %s for %s is not signed, and here every move must be", r.Move.By, who.Name)
	case j.elsewhere():
		return nil
	}
	return j.pushedBy(known, who)
}

// pushedBy refuses a move of one principal that another one pushes, or nobody.
func (j *judge) pushedBy(known *flow.Principals, who *flow.Principal) *flow.Refusal {
	if !j.push.UserKnown || j.push.User == "" {
		return refusal(flow.RulePrincipal, "git liza principal key "+who.Name, "the move is %s's, but nobody is known to push and the move is not signed", who.Name)
	}
	pusher := known.User(j.push.User)
	switch {
	case pusher == nil:
		return refusal(flow.RulePrincipal, "git liza principal list", "the move is %s's, but %q pushes, who belongs to no principal", who.Name, j.push.User)
	case pusher.Name != who.Name:
		return refusal(flow.RulePrincipal, "git config liza.principal "+pusher.Name, "the move is %s's, but %s pushes", who.Name, pusher.Name)
	}
	return nil
}

// vouched refuses moves that were made elsewhere unless an admin brings them:
// one of the board as it was, or, where the push makes the board, of it.
func (j *judge) vouched(last gitstore.Replay) *flow.Refusal {
	switch {
	case !j.push.Server || !j.elsewhere():
		return nil
	case j.created && j.push.Admin != "":
		return j.founded(last)
	}
	known := last.After.Principals()
	if !j.created {
		known = j.before.Principals()
	}
	if len(known.List) == 0 {
		return nil
	}
	admin := func(p *flow.Principal) bool { return p != nil && slices.Contains(p.Rights, "admin") }
	if j.push.UserKnown && j.push.User != "" && admin(known.User(j.push.User)) {
		return nil
	}
	if who := known.Find(last.Move.Principal); admin(who) && j.signed(last, who) {
		return nil
	}
	return refusal(flow.RuleAdmin, "git liza principal list", "moves that were made elsewhere are brought here by an admin: one must push, or have signed the last of them")
}

// founded refuses a first principal, or a first push, that is not of the
// admin whom the server was set up with.
func (j *judge) founded(r gitstore.Replay) *flow.Refusal {
	name, key := j.push.Admin, j.push.AdminKey
	if name == "" || !j.push.Server {
		return nil
	}
	known := r.After.Principals()
	if !known.May(name, "admin") {
		return refusal(flow.RuleAdmin, "git liza principal add "+name+" --key FILE",
			"this server was set up for the admin %s, whom the board does not name as one", name)
	}
	if j.push.UserKnown && j.push.User == name {
		return nil
	}
	if key != "" && j.signed(r, &flow.Principal{Name: name, Keys: []string{key}}) {
		return nil
	}
	return refusal(flow.RuleAdmin, "git liza hooks status", "this server takes its board from the admin %s, who neither pushes nor has signed the last move", name)
}

func (j *judge) signed(r gitstore.Replay, who *flow.Principal) bool {
	return r.Signature != "" && j.store.Audit.CheckSignature(r, who) == nil
}

// pusher is the principal who pushes, nil if nobody is known to.
func (j *judge) pusher() *flow.Principal {
	if !j.push.UserKnown || j.push.User == "" {
		return nil
	}
	return j.after.Principals().User(j.push.User)
}

// acts reports whether one who pushes, or who signed a move of the push,
// satisfies the test; everybody does where there are no principals.
func (j *judge) acts(test func(*flow.Principal) bool) bool {
	known := j.after.Principals()
	if len(known.List) == 0 || !j.push.Server {
		return true
	}
	if p := j.pusher(); p != nil && test(p) {
		return true
	}
	return slices.ContainsFunc(known.List, func(p flow.Principal) bool { return j.proved[p.Name] && test(&p) })
}

// admin reports whether an admin pushes.
func (j *judge) admin() bool {
	return j.acts(func(p *flow.Principal) bool { return slices.Contains(p.Rights, "admin") })
}
