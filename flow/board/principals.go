package board

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
)

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

// Anybody reports whether any principal has the right.
func (p *Principals) Anybody(right string) bool {
	return p.first(func(one *Principal) bool { return slices.Contains(one.Rights, right) }) != nil
}

// Shared is the first name (ignoring case, because it names a file of keys),
// key, user or account that two principals share, "" if there is none. A shared
// one would not tell which of them signed, pushed or judged.
func (p *Principals) Shared() string {
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
