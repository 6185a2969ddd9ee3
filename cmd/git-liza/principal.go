package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

type principalCommands struct {
	List   principalListCommand   `cmd:"" default:"1" help:"Who may act as whom, and as which principal this clone acts; the default."`
	Add    principalAddCommand    `cmd:"" help:"Enter a principal; the first one is the board's admin."`
	Remove principalRemoveCommand `cmd:"" help:"Take a principal off the board."`
	Key    principalKeyCommand    `cmd:"" help:"Print the public key that this clone signs with, after making one if there is none."`
}

type principalAddCommand struct {
	Name    string       `arg:"" help:"Such as ann or build-host."`
	Kind    string       `enum:"human,machine," default:"" placeholder:"K" help:"human or machine; default human for the first principal."`
	Key     []string     `sep:"none" placeholder:"FILE|TEXT" help:"An SSH public key that signs its moves; repeatable."`
	NewKey  bool         `help:"Also the key of this clone, which is made if there is none."`
	User    []string     `sep:"none" placeholder:"U" help:"A user name that the server knows it by; repeatable."`
	Agent   []string     `sep:"none" placeholder:"GLOB" help:"Whom it may act as: ids such as coder-*, or human:NAME; repeatable."`
	Role    []board.Role `placeholder:"R" help:"Whose agents it may act as, such as coder; repeatable."`
	Right   []string     `placeholder:"R" help:"admin, merge or vouch; repeatable."`
	Account []string     `sep:"none" placeholder:"HOST/NAME" help:"An account on a code host, such as github.com/ann; repeatable."`
	Replace bool         `help:"Change an existing principal to what the flags say; an empty value clears a list."`
}

func (c *principalAddCommand) Run(inv *invocation, clone *work.Clone) error {
	want := board.Principal{Name: c.Name, Kind: c.Kind, Users: given(c.User), Agents: given(c.Agent), Roles: c.Role, Rights: given(c.Right), Accounts: given(c.Account)}
	var err error
	if want.Keys, err = c.readKeys(inv, c.Key); err != nil {
		return err
	}
	if c.NewKey {
		key, _, err := clone.Principals.Key(inv.ctx, c.Name)
		if err != nil {
			return err
		}
		want.Keys = append(want.Keys, key)
	}
	got, r, err := clone.Principals.Admit(inv.ctx, want, c.Replace)
	if err != nil {
		return err
	}
	p := r.After.Principals().Find(c.Name)
	line := fmt.Sprintf("%s is a %s principal: %s", p.Name, p.Kind, view.PrincipalText(*p))
	if got.First {
		line += "\nit is the first, and so the board's admin"
	}
	if got.Configured {
		line += "\nthis clone acts as " + p.Name + " from now on (git config liza.principal)"
	}
	return inv.result(r, view.Principal(*p).With("first", got.First).With("configured", got.Configured), "%s", line)
}

// given returns the list of a flag: nil if the flag is absent, empty if its
// only value is empty.
func given(list []string) []string {
	if list == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return one == "" })
}

// maxKeyFile bounds the file of a public key, in bytes.
const maxKeyFile = 64 << 10

// readKeys reads public keys, each a text or the name of a file, without comments.
func (c *principalAddCommand) readKeys(inv *invocation, list []string) ([]string, error) {
	if list == nil {
		return nil, nil
	}
	keys := []string{}
	for _, text := range given(list) {
		if !beginsKey(text) && !strings.Contains(text, "\n") && !strings.Contains(text, "PRIVATE KEY") {
			path := pathFrom(inv.dir, text)
			info, err := os.Stat(path)
			if err != nil {
				return nil, err
			}
			if !info.Mode().IsRegular() || info.Size() > maxKeyFile {
				return nil, usagef("git liza help principal add", "%s is not the file of a public key", path)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			text = string(content)
		}
		if strings.Contains(text, "PRIVATE KEY") {
			return nil, usagef("git liza help principal add", "that is a private key; name the public one, which ends in .pub")
		}
		for line := range strings.Lines(text) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0][0] == '#' {
				continue
			}
			keys = append(keys, strings.Join(words[:min(len(words), 2)], " "))
		}
	}
	return keys, nil
}

type principalListCommand struct{}

func (c *principalListCommand) Run(inv *invocation, l look) error {
	known := l.reading.Board.Principals()
	list, rows := view.Principals(known.List, l.reading.Principal)
	text := rows.Text(inv.width())
	switch {
	case len(list) == 0:
		text = "no principals: identities are not enforced; the first one: git liza principal add NAME --new-key"
	case known.Find(l.reading.Principal) == nil:
		text += view.UnknownPrincipal(l.reading.Principal)
	}
	return l.answer(inv, map[string]any{"principals": list, "principal": l.reading.Principal, "enforced": len(list) > 0}, text)
}

type principalRemoveCommand struct {
	Name string `arg:""`
}

func (c *principalRemoveCommand) Run(inv *invocation, clone *work.Clone) error {
	r, err := clone.Principals.Dismiss(inv.ctx, c.Name)
	if err != nil {
		return err
	}
	return inv.result(r, map[string]any{"principal": c.Name}, "%s is no principal any more", c.Name)
}

type principalKeyCommand struct {
	Name string `arg:"" help:"Of the principal that this clone signs as."`
}

func (c *principalKeyCommand) Run(inv *invocation, on reader) error {
	public, made, err := on.clone.Principals.Key(inv.ctx, c.Name)
	if err != nil {
		return err
	}
	return inv.answer(madeOutcome(!made), map[string]any{"principal": c.Name, "key": public, "fingerprint": view.Fingerprint(public)}, public)
}
