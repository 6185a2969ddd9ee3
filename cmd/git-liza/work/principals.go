package work

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Principals are those who may act on the board, with the keys that this clone
// has of them.
type Principals struct {
	repo  *git.Repo
	store *gitstore.Store
	mover *mover
}

// principalKey is where a clone says as which principal it makes moves.
const principalKey = "liza.principal"

// PrincipalOf is the principal whose moves a clone makes when it acts as
// somebody, "" if it is none: liza.agent.ID.principal of an agent, else
// liza.principal.
func PrincipalOf(ctx context.Context, repo *git.Repo, by flow.Actor) (string, error) {
	if id := by.Agent(); id != "" {
		if own, err := repo.Config(ctx, "liza.agent."+string(id)+".principal"); err != nil || own != "" {
			return own, err
		}
	}
	return repo.Config(ctx, principalKey)
}

// Admitted is what became of a principal.
type Admitted struct {
	Principal  flow.Principal
	First      bool // of the board: it is its admin
	Configured bool // this clone makes its moves as this principal from now on
}

// errKnown says that the board has the principal as it is wanted.
var errKnown = errors.New("the principal is on the board already")

// Admit enters a principal. What want leaves nil is kept of one that is there
// already, which only replace changes. The first of a board gets the right
// admin, and the clone that makes it acts as that one from then on.
func (p *Principals) Admit(ctx context.Context, want flow.Principal, replace bool) (Admitted, gitstore.Result, error) {
	var got Admitted
	var known *flow.Board // that says so already
	r, err := p.store.Do(ctx, func(b *flow.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		who := b.Principals()
		got = Admitted{Principal: want, First: len(who.List) == 0}
		old := who.Find(want.Name)
		m := p.mover.Caller.Move(flow.ActPrincipal, "", nil)
		switch {
		case got.First:
			if p.mover.Principal != "" && p.mover.Principal != want.Name {
				return m, nil, otherFirstAdmin(p.mover.Principal, want.Name)
			}
			got.Principal, m.Principal = firstAdmin(want, p.mover.By), want.Name
		case old != nil:
			got.Principal = revisedPrincipal(*old, want)
			if sameAccount(*old, got.Principal) {
				known = b
				return m, nil, errKnown
			}
			if !replace {
				return m, nil, &flow.Refusal{Rule: flow.RuleExists, Hint: "git liza principal list",
					Reason: "there is a principal " + want.Name + " already; --replace changes it to what the flags say"}
			}
		}
		m.Detail = &flow.PrincipalMove{Principal: got.Principal}
		return m, nil, nil
	})
	if errors.Is(err, errKnown) {
		r, err = gitstore.Result{Already: true, Before: known, After: known}, nil
	}
	if err != nil {
		return got, r, err
	}
	got.Configured, err = p.actAs(ctx, want.Name, got.First)
	return got, r, err
}

// firstAdmin completes the first principal of a board: somebody must be able
// to make the second.
func firstAdmin(want flow.Principal, by flow.Actor) flow.Principal {
	want.Kind = cmp.Or(want.Kind, "human")
	if !slices.Contains(want.Rights, "admin") {
		want.Rights = append(slices.Clone(want.Rights), "admin")
	}
	if want.Kind == "human" && len(want.Agents) == 0 {
		want.Agents = []string{string(by)}
	}
	return want
}

// revisedPrincipal is a principal with what the other one names.
func revisedPrincipal(known, want flow.Principal) flow.Principal {
	known.Kind = cmp.Or(want.Kind, known.Kind)
	for _, list := range []struct{ to, from *[]string }{{&known.Keys, &want.Keys}, {&known.Users, &want.Users},
		{&known.Agents, &want.Agents}, {&known.Rights, &want.Rights}} {
		if *list.from != nil {
			*list.to = *list.from
		}
	}
	if want.Roles != nil {
		known.Roles = want.Roles
	}
	return known
}

func sameAccount(x, y flow.Principal) bool {
	return x.Kind == y.Kind && slices.Equal(x.Keys, y.Keys) && slices.Equal(x.Users, y.Users) && slices.Equal(x.Agents, y.Agents) &&
		slices.Equal(x.Roles, y.Roles) && slices.Equal(x.Rights, y.Rights)
}

func otherFirstAdmin(me, name string) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleAdmin, Hint: "git config " + principalKey + " " + name,
		Reason: "whoever makes the first principal of a board must be that principal, and this clone acts as " + me}
}

// actAs lets the clone act as a principal from now on, if it acts as nobody
// yet and the principal was made here. It reports whether it changed that.
func (p *Principals) actAs(ctx context.Context, name string, made bool) (bool, error) {
	now, err := p.repo.Config(ctx, principalKey)
	if err != nil || now != "" {
		return false, err
	}
	if !made {
		// A first admin whose maker died before it got here is found by its key.
		key, err := gitstore.PublicKey(ctx, p.repo, name)
		if err != nil || key == "" {
			return false, err
		}
	}
	err = p.repo.WriteConfig(ctx, principalKey, name)
	return err == nil, err
}

// Key is the public key that this clone signs a principal's moves with; made
// says that it has just been generated.
func (p *Principals) Key(ctx context.Context, name string) (public string, made bool, err error) {
	if public, err = gitstore.PublicKey(ctx, p.repo, name); err != nil || public != "" {
		return public, false, err
	}
	public, err = gitstore.NewKey(ctx, p.repo, name)
	return public, err == nil, err
}

// Dismiss removes a principal from the board; keys on this clone stay.
func (p *Principals) Dismiss(ctx context.Context, name string) (gitstore.Result, error) {
	return p.mover.Make(ctx, flow.ActPrincipal, "", &flow.PrincipalMove{Principal: flow.Principal{Name: name}, Remove: true})
}

// NameAdmin lets the root move of a board name its first admin: whoever makes
// the board, with a key of this clone.
func (p *Principals) NameAdmin(ctx context.Context, d *flow.InitMove, name string) error {
	if p.mover.Principal != "" && p.mover.Principal != name {
		return otherFirstAdmin(p.mover.Principal, name)
	}
	key, _, err := p.Key(ctx, name)
	if err != nil {
		return err
	}
	admin := firstAdmin(flow.Principal{Name: name, Keys: []string{key}}, p.mover.By)
	d.Admin, p.mover.Principal = &admin, name
	return nil
}

// Govern lets the clone act as the admin that a board was made with, and
// refuses where the board has another one.
func (p *Principals) Govern(ctx context.Context, b *flow.Board, name string) error {
	if !b.Principals().May(name, "admin") {
		return &flow.Refusal{Rule: flow.RuleExists, Hint: "git liza principal add " + name + " --kind human --right admin --new-key",
			Reason: "the board is there already, and " + name + " is not an admin of it"}
	}
	_, err := p.actAs(ctx, name, true)
	return err
}

// samePublicKey compares keys without their comments.
func samePublicKey(x, y string) bool {
	a, b := strings.Fields(x), strings.Fields(y)
	return len(a) >= 2 && len(b) >= 2 && a[0] == b[0] && a[1] == b[1]
}
