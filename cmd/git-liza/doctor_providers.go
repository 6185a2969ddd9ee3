package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// examineProviders returns the findings about the configured providers. It
// runs no program if none is configured: then rush gets its provider from the
// command line.
func (c *doctorCommand) examineProviders(inv *invocation, conf *git.Configuration) ([]work.Finding, error) {
	choice := providerChoice{inv, conf}
	known, err := choice.catalogue()
	var bad *usageError
	if errors.As(err, &bad) {
		return []work.Finding{{Check: "provider", State: "fail", Text: bad.Error(), Hint: bad.hint}}, nil
	}
	if err != nil {
		return nil, err
	}
	chosen, err := choice.perRole()
	if err != nil {
		return nil, err
	}
	var found []work.Finding
	var used provider.Catalogue
	roles := map[string][]flow.Role{}
	for _, c := range chosen {
		if c.text == "" {
			continue
		}
		p, err := c.find(known, "git-liza")
		if err != nil {
			found = append(found, work.Finding{Check: "provider", State: "fail", Text: c.place + ": " + err.Error(), Hint: "git config " + c.key + " NAME"})
			continue
		}
		if reason := p.UnfitReason(c.row); reason != "" && c.row.Capacity != 0 { // without a board the row is only a name
			found = append(found, work.Finding{Check: "provider", State: "fail", Text: reason, Hint: fmt.Sprintf("git config liza.%s.provider NAME", c.row.Name)})
		}
		if used.FindRow(p.Name) == nil {
			used = append(used, p.Row)
		}
		roles[p.Name] = append(roles[p.Name], c.row.Name)
	}
	for _, f := range used.Detect(inv.ctx, inv.environ) {
		found = append(found, c.examineProvider(inv, f, roles[f.Name]))
	}
	unbound, err := c.examineBudgets(inv, conf, used)
	if err != nil {
		return nil, err
	}
	found = append(found, unbound...)
	if len(found) == 0 {
		found = []work.Finding{{Check: "provider", State: "ok", Text: "none is configured"}}
	}
	return slices.CompactFunc(found, func(a, b work.Finding) bool { return a == b }), nil
}

// examineBudgets returns the findings about budgets that the configured providers
// cannot be held to. Without a board there are no budgets.
func (c *doctorCommand) examineBudgets(inv *invocation, conf *git.Configuration, used provider.Catalogue) (found []work.Finding, err error) {
	l, err := inv.look()
	if err != nil {
		return nil, nil //nolint:nilerr // another check says what is wrong with the board
	}
	bounds, err := readBounds(inv.ctx, conf)
	var bad *usageError
	if errors.As(err, &bad) {
		return []work.Finding{{Check: "budgets", State: "fail", Text: bad.Error(), Hint: bad.hint}}, nil
	}
	if err != nil {
		return nil, err
	}
	var slots []supervise.Slot
	for _, row := range used {
		slots = append(slots, supervise.Slot{Provider: provider.Provider{Row: row}})
	}
	for _, line := range supervise.UnboundLines(l.Board, bounds, slots) {
		found = append(found, work.Finding{Check: "budgets", State: "warn", Text: line, Hint: "git config liza.task.sessions N"})
	}
	return found, nil
}

// examineProvider returns the most serious finding about one provider.
func (c *doctorCommand) examineProvider(inv *invocation, f provider.Found, roles []flow.Role) work.Finding {
	who := fmt.Sprintf("%s (%s): ", f.Name, view.JoinRoles(roles))
	warn := func(hint, format string, args ...any) work.Finding {
		return work.Finding{Check: "provider", State: "warn", Text: who + fmt.Sprintf(format, args...), Hint: hint}
	}
	in, told := f.LoggedIn(inv.environ)
	switch {
	case f.Old:
		return warn(f.Install, "too old: %s, known to be right from %s on", f.Reported, f.Minimum)
	case f.Problem == "missing":
		return warn(f.Install, "%s is not in PATH", f.Binary)
	case f.Problem != "":
		return warn(f.Path+" "+strings.Join(f.Version, " "), "%s %s", f.Path, f.Problem)
	case told && !in:
		return warn(f.LoginCommand(), "%s", noLogin(f.Row))
	case f.Contract == provider.Partial:
		return warn(reviewerCommand, "%s; it keeps the contracts only in part: let another provider review its work", f.Reported)
	case f.NamesNoProgram():
		return work.Finding{Check: "provider", State: "ok", Text: who + f.About}
	case f.Contract == provider.Unknown:
		return warn(reviewerCommand, "%s; how well it keeps the contracts is not known: let another provider review its work", f.Reported)
	}
	return work.Finding{Check: "provider", State: "ok", Text: who + f.Reported}
}

// noLogin reports that a provider has neither a key nor a login.
func noLogin(r provider.Row) string {
	return fmt.Sprintf("no key (%s) and nobody logged in was found", strings.Join(r.Keys[:min(len(r.Keys), 3)], ", "))
}

// another is the command that sets another provider for reviews, for work of a
// provider that is not known to keep the contracts.
const reviewerCommand = "git config liza.code-reviewer.provider NAME"
