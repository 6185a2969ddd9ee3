package flow

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
)

// maxPrincipals bounds the document, because every move is checked against it.
const maxPrincipals = 1000

// Principals is the document principals.yaml. If it lists any, only they make
// moves.
type Principals struct {
	List []Principal `yaml:"principals"`
}

// Find is the principal of that name, nil if there is none.
func (p *Principals) Find(name string) *Principal {
	return p.first(func(one *Principal) bool { return one.Name == name })
}

// User is the principal that a server knows by that name; nil if there is none,
// or for "".
func (p *Principals) User(user string) *Principal {
	return p.first(func(one *Principal) bool { return user != "" && slices.Contains(one.Users, user) })
}

func (p *Principals) first(is func(*Principal) bool) *Principal {
	return lists.Find(p.List, func(one Principal) bool { return is(&one) })
}

// Account is the principal that has an account of a code host; nil if nobody has it.
func (p *Principals) Account(name string) *Principal {
	return p.first(func(one *Principal) bool {
		return slices.ContainsFunc(one.Accounts, func(account string) bool { return strings.EqualFold(account, name) })
	})
}

// May reports whether the named principal has a right: admin, merge or vouch.
func (p *Principals) May(name, right string) bool {
	one := p.Find(name)
	return one != nil && slices.Contains(one.Rights, right)
}

// anybody reports whether any principal has the right.
func (p *Principals) anybody(right string) bool {
	return p.first(func(one *Principal) bool { return slices.Contains(one.Rights, right) }) != nil
}

// shared is the first name (ignoring case, because it names a file of keys),
// key, user or account that two principals share, "" if there is none. A shared
// one would not tell which of them signed, pushed or judged.
func (p *Principals) shared() string {
	seen := map[string]bool{}
	for _, one := range p.List {
		marks := slices.Concat([]string{"name " + strings.ToLower(one.Name)},
			lists.Of(one.Keys, func(key string) string { return "key " + key }),
			lists.Of(one.Users, func(user string) string { return "user " + user }),
			lists.Of(one.Accounts, func(account string) string { return "account " + strings.ToLower(account) }))
		for _, mark := range marks {
			if seen[mark] {
				return mark
			}
			seen[mark] = true
		}
	}
	return ""
}

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
	Principal Principal `yaml:"account"`
	Remove    bool      `yaml:"remove"`
}

func (a *PrincipalMove) subject() string { return a.Principal.Name }

func (a *PrincipalMove) check(p *play) *Refusal {
	if a.Remove && p.board.Principals().Find(a.Principal.Name) == nil {
		return refuse(RuleNotFound, "git liza principal list", "there is no principal %s", clip(a.Principal.Name))
	}
	for _, role := range a.Principal.Roles {
		if p.board.Role(role) == nil && !a.Remove {
			return refuse(RuleNotFound, "git liza role list", "the board has no role %s", clip(string(role)))
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
func (p *play) checkGovernment(after *Principals, entered *Principal) *Refusal {
	hint := "git liza help principal"
	if entered != nil {
		if r := entered.check(); r != nil {
			return r
		}
	}
	admins := slices.DeleteFunc(slices.Clone(after.List), func(one Principal) bool { return !slices.Contains(one.Rights, "admin") })
	switch twice := after.shared(); {
	case twice != "":
		return refuse(RuleExists, "git liza principal list", "the %s belongs to a principal already", clip(twice))
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
func (a *PrincipalMove) after(b *Board) *Principals {
	next := Principals{List: lists.Where(b.Principals().List, func(one Principal) bool { return one.Name != a.Principal.Name })}
	if !a.Remove {
		next.List = append(next.List, a.Principal.bare())
	}
	return &next
}

func (a *PrincipalMove) already(p *play) bool {
	known := p.board.Principals().Find(a.Principal.Name)
	return !a.Remove && known != nil && known.equal(a.Principal.bare())
}

func (a *PrincipalMove) apply(p *effect) { p.put(Key{Folder: PrincipalsDoc}, a.after(p.board)) }
