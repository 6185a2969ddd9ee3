package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Principals are the principals of the board, with their keys in this clone.
type Principals struct {
	repo  *git.Repo
	store *gitstore.Store
	mover *mover
}

// principalKey is the key that names the principal of a clone's moves.
const principalKey = "liza.principal"

// PrincipalOf returns the principal of a clone's moves for an actor, "" if
// there is none: liza.agent.ID.principal for an agent, else liza.principal.
func PrincipalOf(ctx context.Context, repo *git.Repo, by board.Actor) (string, error) {
	if id := by.Agent(); id != "" {
		if own, err := repo.Config.Config(ctx, "liza.agent."+string(id)+".principal"); err != nil || own != "" {
			return own, err
		}
	}
	return repo.Config.Config(ctx, principalKey)
}

// Admitted is the result of entering a principal.
type Admitted struct {
	Principal  board.Principal
	First      bool // it is the first of the board, and its admin
	Configured bool // this clone makes its moves as this principal from now on
}

// errKnown reports that the board already has the principal in the wanted
// form.
var errKnown = errors.New("the principal is on the board already")

// Admit enters a principal. It changes an existing one only with replace, and
// keeps the fields that are nil in want. The first principal of a board gets
// the right admin, and the clone that makes it acts as that principal from
// then on.
func (p *Principals) Admit(ctx context.Context, want board.Principal, replace bool) (Admitted, gitstore.Result, error) {
	var got Admitted
	var known *board.Board // the board that already has it
	r, err := p.store.Do(ctx, func(b *board.Board, _ time.Time) (flow.Move, []git.RefUpdate, error) {
		who := b.Principals()
		got = Admitted{Principal: want, First: len(who.List) == 0}
		old := who.Find(want.Name)
		m := p.mover.Caller.Move(board.ActPrincipal, "", nil)
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

// firstAdmin completes the first principal of a board, which must be able to
// enter the second.
func firstAdmin(want board.Principal, by board.Actor) board.Principal {
	want.Kind = cmp.Or(want.Kind, "human")
	if !slices.Contains(want.Rights, "admin") {
		want.Rights = append(slices.Clone(want.Rights), "admin")
	}
	if want.Kind == "human" && len(want.Agents) == 0 {
		want.Agents = []string{string(by)}
	}
	return want
}

// revisedPrincipal returns a principal with the fields that the other one
// sets.
func revisedPrincipal(known, want board.Principal) board.Principal {
	known.Kind = cmp.Or(want.Kind, known.Kind)
	for _, list := range []struct{ to, from *[]string }{{&known.Keys, &want.Keys}, {&known.Users, &want.Users},
		{&known.Agents, &want.Agents}, {&known.Rights, &want.Rights}, {&known.Accounts, &want.Accounts}} {
		if *list.from != nil {
			*list.to = *list.from
		}
	}
	if want.Roles != nil {
		known.Roles = want.Roles
	}
	return known
}

func otherFirstAdmin(me, name string) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleAdmin, Hint: "git config " + principalKey + " " + name,
		Reason: "this clone acts as " + me + ", and only that principal can be the first one of the board"}
}

// actAs makes the clone act as a principal, if it has no principal yet and
// this one was made here. It reports whether it did.
func (p *Principals) actAs(ctx context.Context, name string, made bool) (bool, error) {
	now, err := p.repo.Config.Config(ctx, principalKey)
	if err != nil || now != "" {
		return false, err
	}
	if !made {
		// If an earlier run died before this step, the key still shows that
		// the first admin was made here.
		key, err := gitstore.PublicKey(ctx, p.repo, name)
		if err != nil || key == "" {
			return false, err
		}
	}
	err = p.repo.Config.WriteConfig(ctx, principalKey, name)
	return err == nil, err
}

// Key returns the public key that signs a principal's moves in this clone.
// made reports whether it was just generated.
func (p *Principals) Key(ctx context.Context, name string) (public string, made bool, err error) {
	if public, err = gitstore.PublicKey(ctx, p.repo, name); err != nil || public != "" {
		return public, false, err
	}
	public, err = gitstore.NewKey(ctx, p.repo, name)
	return public, err == nil, err
}

// Dismiss removes a principal from the board. Its keys in this clone stay.
func (p *Principals) Dismiss(ctx context.Context, name string) (gitstore.Result, error) {
	return p.mover.Make(ctx, board.ActPrincipal, "", &flow.PrincipalMove{Principal: board.Principal{Name: name}, Remove: true})
}

// NameAdmin makes the root move of a board name its first admin, with a key
// of this clone.
func (p *Principals) NameAdmin(ctx context.Context, d *flow.InitMove, name string) error {
	if p.mover.Principal != "" && p.mover.Principal != name {
		return otherFirstAdmin(p.mover.Principal, name)
	}
	key, _, err := p.Key(ctx, name)
	if err != nil {
		return err
	}
	admin := firstAdmin(board.Principal{Name: name, Keys: []string{key}}, p.mover.By)
	d.Admin, p.mover.Principal = &admin, name
	return nil
}

// Govern makes the clone act as the admin that a board was made with. It
// refuses if the board has another admin.
func (p *Principals) Govern(ctx context.Context, b *board.Board, name string) error {
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

func sameAccount(x, y board.Principal) bool {
	return x.Kind == y.Kind && slices.Equal(x.Keys, y.Keys) && slices.Equal(x.Users, y.Users) && slices.Equal(x.Agents, y.Agents) &&
		slices.Equal(x.Roles, y.Roles) && slices.Equal(x.Rights, y.Rights) && slices.Equal(x.Accounts, y.Accounts)
}

// PersonKey is the setting that names the person of a clone, where git's user.name gives the
// id of somebody else.
const PersonKey = "liza.person"

// CheckPerson refuses that two people make moves as one: the board's last move by this human
// was made under another name and another address. Whom it let pass it asks again when name
// or address change.
func CheckPerson(ctx context.Context, c *Clone, by board.Actor) error {
	named, err := c.Repo.Config.Config(ctx, PersonKey)
	if named != "" || err != nil {
		return err // who says so is somebody
	}
	name, email, err := c.Repo.Config.Identity(ctx)
	if err != nil {
		return err
	}
	path, mark := filepath.Join(c.Repo.CommonDir(), layout.Private, "person"), fmt.Sprintf("%s %s <%s>\n", by, name, email)
	known, _ := git.ReadSmall(path)
	tip, err := c.Store.Tip(ctx)
	if string(known) == mark || errors.Is(err, gitstore.ErrNoBoard) {
		return nil
	} else if err != nil {
		return err
	}
	author := strings.TrimPrefix(string(by), "human:")
	out, err := c.Repo.Git(ctx, "log", "-1", "-F", "--author="+author+" <"+author+"@liza.invalid>", "--format=%cn%x00%ce", string(tip), "--")
	if err != nil {
		return err
	}
	was, address, found := strings.Cut(strings.TrimSpace(string(out)), "\x00")
	if found && !strings.EqualFold(was, name) && !strings.EqualFold(address, email) {
		return &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git config " + PersonKey + " " + string(board.Human(name+" "+email)),
			Reason: fmt.Sprintf("%s is %s <%s> on this board, and you are %s <%s>: the hint gives you an id of your own, and git config %s %s says that you are the same person",
				by, board.Excerpt(was, 80), board.Excerpt(address, 80), name, email, PersonKey, by)}
	}
	_ = git.ReplaceFile(path, []byte(mark)) // else it is asked again
	return nil
}
