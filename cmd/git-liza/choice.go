package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A providerChoice finds the provider of each role.
type providerChoice struct {
	*invocation
	conf *git.Configuration
}

// catalogue returns the built-in providers with the user's configuration.
func (p providerChoice) catalogue() (provider.Catalogue, error) {
	settings, err := p.conf.ConfigUnder(p.ctx, provider.Prefix)
	if err != nil {
		return nil, err
	}
	rows, err := readTrusted(p, extension.ProvidersFile, provider.ReadRows, func(r provider.Row) string { return r.Name })
	if err != nil {
		return nil, err
	}
	c, err := provider.Load(settings, rows...)
	if bad, is := errors.AsType[*provider.ConfigError](err); is {
		return nil, usagef(bad.Hint, "%v", bad)
	}
	return c, err
}

// A choice is the provider and the model that are chosen for a role. key is the
// key of git's configuration that names the provider, or would name another one
// than the role's row; it is "" for the command line. place says where the
// provider is named.
type choice struct{ text, key, model, place string }

// forRole returns the choice for a role: the command line's, else
// liza.ROLE.provider, else that of the board's row, else liza.provider. A model
// belongs to the provider that is named beside it: liza.ROLE.model to the
// configured provider of the role, the row's to the row's.
func (p providerChoice) forRole(row *board.RoleRow, asked string) (choice, error) {
	own := "liza." + row.Name.String()
	values := map[string]string{}
	for _, key := range []string{own + ".provider", own + ".model", "liza.provider"} {
		value, err := p.conf.Config(p.ctx, key)
		if err != nil {
			return choice{}, err
		}
		values[key] = value
	}
	c := choice{text: values[own+".provider"], key: own + ".provider", model: values[own+".model"], place: own + ".provider"}
	switch {
	case c.text != "":
	case row.Provider != "":
		c.text, c.model, c.place = row.Provider, cmp.Or(c.model, row.Model), "the role "+row.Name.String()
	default:
		c.text, c.key, c.model, c.place = values["liza.provider"], "liza.provider", cmp.Or(c.model, row.Model), "liza.provider"
	}
	if asked != "" {
		if providerName(asked) != providerName(c.text) {
			c.model = "" // it belongs to another provider
		}
		c.text, c.key, c.place = asked, "", ""
	}
	return c, nil
}

// rows are the roles for which this machine may need a provider: those with which a
// board begins, and those that the board asks for a verdict, that have an agent here or
// that the configuration names. Without a board they are only names.
func (p providerChoice) rows() []*board.RoleRow {
	l, err := p.look()
	if err != nil {
		return lists.Of(board.FirstRoles(), func(name board.Role) *board.RoleRow { return &board.RoleRow{Name: name} })
	}
	return lists.Where(l.reading.Board.Roles(), func(row *board.RoleRow) bool {
		return slices.Contains(board.FirstRoles(), row.Name) || p.uses(l.reading.Board, row.Name)
	})
}

func (p providerChoice) uses(b *board.Board, role board.Role) bool {
	own, _ := p.conf.ConfigUnder(p.ctx, "liza."+role.String()+".")
	return len(own) > 0 || slices.ContainsFunc(b.ReviewRules(), func(r board.ReviewRule) bool { return r.Role == role }) ||
		slices.ContainsFunc(b.IDs(board.Agents), func(id string) bool { return board.AgentID(id).Role() == role })
}

// A roleChoice is a role with its choice.
type roleChoice struct {
	row *board.RoleRow
	choice
}

// perRole returns the configured choice of each role that agents have here.
func (p providerChoice) perRole() ([]roleChoice, error) {
	var chosen []roleChoice
	for _, row := range p.rows() {
		c, err := p.forRole(row, "")
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, roleChoice{row, c})
	}
	return chosen, nil
}

// providerName returns the part of NAME:MODEL before the colon.
func providerName(text string) string {
	name, _, _ := strings.Cut(text, ":")
	return name
}

// provider returns the provider that runs agents of a role.
func (p providerChoice) provider(self string, row *board.RoleRow, asked string) (provider.Provider, error) {
	known, err := p.catalogue()
	if err != nil {
		return provider.Provider{}, err
	}
	c, err := p.forRole(row, asked)
	if err != nil {
		return provider.Provider{}, err
	}
	if c.text == "" {
		if c.text, err = p.onlyInstalled(known); err != nil {
			return provider.Provider{}, err
		}
	}
	found, err := c.find(known, self)
	if err != nil {
		hint := "git liza providers list"
		if c.key != "" {
			hint = "git config " + c.key + " NAME"
		}
		if why, command := p.lacking(extension.ProvidersFile); why != "" {
			return found, usagef(command, "%v; %s", err, why)
		}
		return found, usagef(hint, "%v", err)
	}
	found.Launcher, err = p.launcher(row.Name)
	return found.For(row), err
}

func (c choice) find(known provider.Catalogue, self string) (provider.Provider, error) {
	p, err := known.Find(c.text, self)
	if err == nil && c.model != "" && !strings.Contains(c.text, ":") {
		return p.With(c.model)
	}
	return p, err
}

// onlyInstalled returns the installed provider if there is exactly one, and prints that
// choice once. Otherwise the error lists the installed providers.
func (p providerChoice) onlyInstalled(known provider.Catalogue) (string, error) {
	if p.sole != "" {
		return p.sole, nil
	}
	var ready []string
	for _, found := range known.Detect(p.ctx, p.environ) {
		if found.Path != "" && !found.Old && !found.NamesNoProgram() { // a provider that is slow to print its version counts as installed
			ready = append(ready, found.Name)
		}
	}
	switch len(ready) {
	case 0:
		first := known[0]
		return "", usagef("git liza providers", "no provider: none of the known agents is installed; for example %s: %s", first.Name, first.Install)
	case 1:
		p.sole = ready[0]
		if !p.json {
			_ = p.answer("", nil, p.sole+" does the work: no other provider is installed, and none is chosen (git config liza.provider "+p.sole+")")
		}
		return p.sole, nil
	}
	return "", usagef("git config liza.provider "+ready[0],
		"no provider: choose one of those that are installed, here or with --provider; installed: %s", strings.Join(ready, ", "))
}
