package hooks

import (
	"context"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// authors are the principals that made the moves of a push, and the pusher.
type authors struct {
	state  *pushState
	proved map[string]bool // the principals that signed a move of the push
}

// checkPrincipal refuses a move whose principal neither signed nor pushes it, as far
// as the server requires that. Keys and users are those of the board before the move,
// or of the board after it if the move enters the first principal.
func (a *authors) checkPrincipal(r gitstore.Replay) *flow.Refusal {
	known := r.Before.Principals()
	founds := len(known.List) == 0
	if founds {
		known = r.After.Principals()
	}
	who := known.Find(r.Move.Principal)
	if founds && len(known.List) > 0 && !a.state.created {
		if refused := a.checkFounder(r); refused != nil {
			return refused
		}
	}
	switch {
	case who == nil:
		return nil // there are no principals yet, or the replay has refused the move
	case r.Signature != "":
		if err := a.state.store.Audit.CheckSignature(r, who); err != nil {
			return replayRefusal(context.Background(), err)
		}
		a.proved[who.Name] = true
		return nil
	case founds, !a.state.push.Server && !a.state.push.Signed:
		return nil
	case a.state.push.Signed:
		return refusal(flow.RulePrincipal, "git liza principal key "+who.Name, "the move by %s for %s is not signed, and here every move must be", r.Move.By, who.Name)
	case a.state.publishesMoves():
		return nil
	}
	return a.checkPusher(known, who)
}

// checkPusher refuses a move whose principal is not the pusher.
func (a *authors) checkPusher(known *board.Principals, who *board.Principal) *flow.Refusal {
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

// checkPublisher refuses to publish moves unless an admin pushes them or has signed
// the last of them. The admin is one of the board before the push or, if the push
// brings the board, of that board.
func (a *authors) checkPublisher(last gitstore.Replay) *flow.Refusal {
	switch {
	case !a.state.push.Server || !a.state.publishesMoves():
		return nil
	case a.state.created && a.state.push.Admin != "":
		return a.checkFounder(last)
	}
	known := last.After.Principals()
	if !a.state.created {
		known = a.state.before.Principals()
	}
	if len(known.List) == 0 {
		return nil
	}
	admin := func(p *board.Principal) bool { return p != nil && slices.Contains(p.Rights, "admin") }
	if a.state.push.UserKnown && a.state.push.User != "" && admin(known.User(a.state.push.User)) {
		return nil
	}
	if who := known.Find(last.Move.Principal); admin(who) && a.isSignedBy(last, who) {
		return nil
	}
	return refusal(flow.RuleAdmin, "git liza principal list", "moves that were made elsewhere are brought here by an admin: one must push, or have signed the last of them")
}

// checkFounder refuses a first principal, or a first push, of anybody but the admin in
// the server's settings.
func (a *authors) checkFounder(r gitstore.Replay) *flow.Refusal {
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
	if key != "" && a.isSignedBy(r, &board.Principal{Name: name, Keys: []string{key}}) {
		return nil
	}
	return refusal(flow.RuleAdmin, "git liza doctor", "this server takes its board from the admin %s, who neither pushes nor has signed the last move", name)
}

// isSignedBy reports whether a move has a signature by a key of the principal.
func (a *authors) isSignedBy(r gitstore.Replay, who *board.Principal) bool {
	return r.Signature != "" && a.state.store.Audit.CheckSignature(r, who) == nil
}

// pusher is the principal of the user who pushes, nil if there is none.
func (a *authors) pusher() *board.Principal {
	if !a.state.push.UserKnown || a.state.push.User == "" {
		return nil
	}
	return a.state.after.Principals().User(a.state.push.User)
}

// anySatisfies reports whether the pusher, or a principal who signed a move of
// the push, satisfies the test. It is true on a clone and on a board without principals.
func (a *authors) anySatisfies(test func(*board.Principal) bool) bool {
	known := a.state.after.Principals()
	if len(known.List) == 0 || !a.state.push.Server {
		return true
	}
	if p := a.pusher(); p != nil && test(p) {
		return true
	}
	return slices.ContainsFunc(known.List, func(p board.Principal) bool { return a.proved[p.Name] && test(&p) })
}

// includeAdmin reports whether the pusher or a signer of a move is an admin.
func (a *authors) includeAdmin() bool {
	return a.anySatisfies(func(p *board.Principal) bool { return slices.Contains(p.Rights, "admin") })
}
