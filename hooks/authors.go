package hooks

import (
	"context"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// authors are those who made the moves of a push, and whoever pushes.
type authors struct {
	state  *pushState
	proved map[string]bool // principals who signed a move of the push
}

// author holds the principal that a move names against its signature and
// against who pushes. The keys are those of the board before the move; of the
// board after it where the move enters the first principal.
func (a *authors) author(r gitstore.Replay) *flow.Refusal {
	known := r.Before.Principals()
	founds := len(known.List) == 0
	if founds {
		known = r.After.Principals()
	}
	who := known.Find(r.Move.Principal)
	if founds && len(known.List) > 0 && !a.state.created {
		if refused := a.founded(r); refused != nil {
			return refused
		}
	}
	switch {
	case who == nil:
		return nil // there are no principals yet, or the rules have refused it
	case r.Signature != "":
		if err := a.state.store.Audit.CheckSignature(r, who); err != nil {
			return replayed(context.Background(), err)
		}
		a.proved[who.Name] = true
		return nil
	case founds, !a.state.push.Server && !a.state.push.Signed:
		return nil
	case a.state.push.Signed:
		return refusal(flow.RulePrincipal, "git liza principal key "+who.Name, "the move by %s for %s is not signed, and here every move must be", r.Move.By, who.Name)
	case a.state.elsewhere():
		return nil
	}
	return a.pushedBy(known, who)
}

// pushedBy refuses a move of one principal that another one pushes, or nobody.
func (a *authors) pushedBy(known *flow.Principals, who *flow.Principal) *flow.Refusal {
	if !a.state.push.UserKnown || a.state.push.User == "" {
		return refusal(flow.RulePrincipal, "git liza principal key "+who.Name, "the move is %s's, but nobody is known to push and the move is not signed", who.Name)
	}
	pusher := known.User(a.state.push.User)
	switch {
	case pusher == nil:
		return refusal(flow.RulePrincipal, "git liza principal list", "the move is %s's, but %q pushes, who belongs to no principal", who.Name, a.state.push.User)
	case pusher.Name != who.Name:
		return refusal(flow.RulePrincipal, "git config liza.principal "+pusher.Name, "the move is %s's, but %s pushes", who.Name, pusher.Name)
	}
	return nil
}

// vouched refuses moves that were made elsewhere unless an admin brings them:
// one of the board as it was, or, where the push makes the board, of it.
func (a *authors) vouched(last gitstore.Replay) *flow.Refusal {
	switch {
	case !a.state.push.Server || !a.state.elsewhere():
		return nil
	case a.state.created && a.state.push.Admin != "":
		return a.founded(last)
	}
	known := last.After.Principals()
	if !a.state.created {
		known = a.state.before.Principals()
	}
	if len(known.List) == 0 {
		return nil
	}
	admin := func(p *flow.Principal) bool { return p != nil && slices.Contains(p.Rights, "admin") }
	if a.state.push.UserKnown && a.state.push.User != "" && admin(known.User(a.state.push.User)) {
		return nil
	}
	if who := known.Find(last.Move.Principal); admin(who) && a.signed(last, who) {
		return nil
	}
	return refusal(flow.RuleAdmin, "git liza principal list", "moves that were made elsewhere are brought here by an admin: one must push, or have signed the last of them")
}

// founded refuses a first principal, or a first push, that is not of the
// admin whom the server was set up with.
func (a *authors) founded(r gitstore.Replay) *flow.Refusal {
	name, key := a.state.push.Admin, a.state.push.AdminKey
	if name == "" || !a.state.push.Server {
		return nil
	}
	known := r.After.Principals()
	if !known.May(name, "admin") {
		return refusal(flow.RuleAdmin, "git liza principal add "+name+" --key FILE",
			"this server was set up for the admin %s, whom the board does not name as one", name)
	}
	if a.state.push.UserKnown && a.state.push.User == name {
		return nil
	}
	if key != "" && a.signed(r, &flow.Principal{Name: name, Keys: []string{key}}) {
		return nil
	}
	return refusal(flow.RuleAdmin, "git liza hooks status", "this server takes its board from the admin %s, who neither pushes nor has signed the last move", name)
}

func (a *authors) signed(r gitstore.Replay, who *flow.Principal) bool {
	return r.Signature != "" && a.state.store.Audit.CheckSignature(r, who) == nil
}

// pusher is the principal who pushes, nil if nobody is known to.
func (a *authors) pusher() *flow.Principal {
	if !a.state.push.UserKnown || a.state.push.User == "" {
		return nil
	}
	return a.state.after.Principals().User(a.state.push.User)
}

// acts reports whether one who pushes, or who signed a move of the push,
// satisfies the test; everybody does where there are no principals.
func (a *authors) acts(test func(*flow.Principal) bool) bool {
	known := a.state.after.Principals()
	if len(known.List) == 0 || !a.state.push.Server {
		return true
	}
	if p := a.pusher(); p != nil && test(p) {
		return true
	}
	return slices.ContainsFunc(known.List, func(p flow.Principal) bool { return a.proved[p.Name] && test(&p) })
}

// admin reports whether an admin pushes.
func (a *authors) admin() bool {
	return a.acts(func(p *flow.Principal) bool { return slices.Contains(p.Rights, "admin") })
}
