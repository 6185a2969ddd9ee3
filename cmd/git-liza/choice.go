package main

import (
	"errors"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/flow"
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
	c, err := provider.Load(settings)
	var bad *provider.ConfigError
	if errors.As(err, &bad) {
		return nil, usagef(bad.Hint, "%v", bad)
	}
	return c, err
}

// A choice is the provider and the model that the user chose for a role. key
// is the key of git's configuration that names the provider, "" for the
// command line.
type choice struct{ text, key, model string }

// forRole returns the choice for a role: the command line's, else
// liza.ROLE.provider, else liza.provider. liza.ROLE.model belongs to the
// role's provider, even if the command line names that provider.
func (p providerChoice) forRole(role flow.Role, asked string) (choice, error) {
	own := "liza." + role.String()
	values := map[string]string{}
	for _, key := range []string{own + ".provider", own + ".model", "liza.provider"} {
		value, err := p.conf.Config(p.ctx, key)
		if err != nil {
			return choice{}, err
		}
		values[key] = value
	}
	c := choice{text: values[own+".provider"], key: own + ".provider", model: values[own+".model"]}
	if c.text == "" {
		c.text, c.key = values["liza.provider"], "liza.provider"
	}
	if asked != "" {
		if providerName(asked) != providerName(c.text) {
			c.model = "" // it belongs to another provider
		}
		c.text, c.key = asked, ""
	}
	return c, nil
}

// perRole returns the configured choice of each role.
func (p providerChoice) perRole() (map[flow.Role]choice, error) {
	chosen := map[flow.Role]choice{}
	for _, role := range agentRoles {
		c, err := p.forRole(role, "")
		if err != nil {
			return nil, err
		}
		chosen[role] = c
	}
	return chosen, nil
}

// providerName returns the part of NAME:MODEL before the colon.
func providerName(text string) string {
	name, _, _ := strings.Cut(text, ":")
	return name
}

// provider returns the provider that runs agents of a role.
func (p providerChoice) provider(self string, role flow.Role, asked string) (provider.Provider, error) {
	known, err := p.catalogue()
	if err != nil {
		return provider.Provider{}, err
	}
	c, err := p.forRole(role, asked)
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
		return found, usagef(hint, "%v", err)
	}
	return found, nil
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
		return "", usagef("git config liza.provider 'exec:COMMAND'",
			"no provider: name one with --provider or git config liza.provider; none of the known providers is installed (git liza providers list)")
	case 1:
		p.sole = ready[0]
		if !p.json {
			_ = p.answer("", nil, p.sole+" does the work: no other provider is installed, and none is chosen (git config liza.provider "+p.sole+")")
		}
		return p.sole, nil
	}
	return "", usagef("git config liza.provider "+ready[0],
		"no provider: name one with --provider or git config liza.provider; installed: %s", strings.Join(ready, ", "))
}
