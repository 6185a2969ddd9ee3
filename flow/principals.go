package flow

import (
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// maxPrincipals bounds the document, because every move is checked against it.
const maxPrincipals = 1000

// admin lets only admins change how the board is governed, if the board has
// principals.
func admin(p *play) *Refusal {
	who := p.board.Principals()
	if len(who.List) > 0 && !who.May(p.move.Principal, "admin") {
		return refuse(RuleAdmin, "git liza principal list", "%s is for principals with the right admin, not for %s", p.move.Act, p.move.Principal)
	}
	return nil
}

// PrincipalMove adds, replaces or removes an account that may act for agents
// and humans.
type PrincipalMove struct {
	Principal board.Principal `yaml:"account"`
	Remove    bool            `yaml:"remove"`
}

func (a *PrincipalMove) subject() string { return a.Principal.Name }

func (a *PrincipalMove) check(p *play) *Refusal {
	if a.Remove && p.board.Principals().Find(a.Principal.Name) == nil {
		return refuse(RuleNotFound, "git liza principal list", "there is no principal %s", board.Clip(a.Principal.Name))
	}
	for _, role := range a.Principal.Roles {
		if p.board.Role(role) == nil && !a.Remove {
			return refuse(RuleNotFound, "git liza role list", "the board has no role %s", board.Clip(string(role)))
		}
	}
	after := a.after(p.board)
	if a.Remove {
		return p.checkGovernment(after, nil)
	}
	return p.checkGovernment(after, &a.Principal)
}

// checkGovernment refuses principals without an admin, or principals that share a
// name, key, user or account. entered is the principal that the move adds.
func (p *play) checkGovernment(after *board.Principals, entered *board.Principal) *Refusal {
	hint := "git liza help principal"
	if entered != nil {
		if r := checkPrincipalForm(entered); r != nil {
			return r
		}
	}
	admins := slices.DeleteFunc(slices.Clone(after.List), func(one board.Principal) bool { return !slices.Contains(one.Rights, "admin") })
	switch twice := after.Shared(); {
	case twice != "":
		return refuse(RuleExists, "git liza principal list", "the %s belongs to a principal already", board.Clip(twice))
	case len(after.List) > maxPrincipals:
		return refuse(RuleLimit, "git liza principal list", "a board has at most %d principals", maxPrincipals)
	case len(admins) == 0:
		return refuse(RuleAdmin, hint, "a board with principals has at least one with the right admin")
	case entered != nil && len(admins) == 1 && admins[0].Name == entered.Name && !entered.MayAct(p.move.By):
		return refuse(RulePrincipal, hint, "%s would be the only admin and does not act as %s", entered.Name, p.move.By)
	}
	return nil
}

// after are the principals of the board after the move.
func (a *PrincipalMove) after(b *board.Board) *board.Principals {
	next := board.Principals{List: lists.Where(b.Principals().List, func(one board.Principal) bool { return one.Name != a.Principal.Name })}
	if !a.Remove {
		next.List = append(next.List, a.Principal.Bare())
	}
	return &next
}

func (a *PrincipalMove) already(p *play) bool {
	known := p.board.Principals().Find(a.Principal.Name)
	return !a.Remove && known != nil && known.Equal(a.Principal.Bare())
}

func (a *PrincipalMove) apply(p *effect) {
	p.put(board.Key{Folder: board.PrincipalsDoc}, a.after(p.board))
}
