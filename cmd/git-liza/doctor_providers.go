package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// examineProviders returns the findings about the providers that a rush would take. That it
// finds none is a warning: people may work alone, or name one on the command line.
func (c *doctorCommand) examineProviders(inv *invocation, conf *git.Configuration) ([]work.Finding, error) {
	choice := providerChoice{inv, conf}
	known, err := choice.catalogue()
	if bad, is := errors.AsType[*usageError](err); is {
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
	roles := map[string][]board.Role{}
	for _, c := range chosen {
		if c.text == "" && len(found) > 0 {
			continue
		} else if c.text == "" {
			if c.text, err = choice.onlyInstalled(known); err != nil {
				none := hints{inv}.explain(err)
				found = append(found, work.Finding{Check: "provider", State: "warn", Text: none.reason, Hint: none.hint})
				continue
			}
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
	found = append(found, lists.Of(used.Detect(inv.ctx, inv.environ), func(f provider.Found) work.Finding { return c.examineProvider(inv, f, roles[f.Name]) })...)
	unbound, err := c.examineBudgets(inv, conf, used)
	if err != nil {
		return nil, err
	}
	found = append(found, unbound...)
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
	if bad, is := errors.AsType[*usageError](err); is {
		return []work.Finding{{Check: "budgets", State: "fail", Text: bad.Error(), Hint: bad.hint}}, nil
	}
	if err != nil {
		return nil, err
	}
	slots := lists.Of(used, func(row provider.Row) supervise.Slot { return supervise.Slot{Provider: provider.Provider{Row: row}} })
	return append(found, lists.Of(supervise.UnboundLines(l.reading.Board, bounds, slots), func(line string) work.Finding {
		return work.Finding{Check: "budgets", State: "warn", Text: line, Hint: "git config liza.task.sessions N"}
	})...), nil
}

// examineProvider returns the most serious finding about one provider.
func (c *doctorCommand) examineProvider(inv *invocation, f provider.Found, roles []board.Role) work.Finding {
	is, well := programFinding(f, roles, inv.environ)
	switch {
	case !well:
	case f.Contract == provider.Partial:
		is.State, is.Hint = "warn", reviewerCommand
		is.Text += f.Reported + "; it keeps the contracts only in part: let another provider review its work"
	case f.NamesNoProgram():
		is.Text += f.About
	case f.Contract == provider.Unknown:
		is.State, is.Hint = "warn", reviewerCommand
		is.Text += f.Reported + "; how well it keeps the contracts is not known: let another provider review its work"
	default:
		is.Text += f.Reported
	}
	return is
}

// programFinding says what is wrong with a provider's program, and with the login to it.
// If nothing is, well is true, and the text of the finding only names the provider.
func programFinding(f provider.Found, roles []board.Role, environ []string) (is work.Finding, well bool) {
	is = work.Finding{Check: "provider", State: "warn", Text: fmt.Sprintf("%s (%s): ", f.Name, view.JoinIDs(roles))}
	in, told := f.LoggedIn(environ)
	switch {
	case f.Old:
		is.Text, is.Hint = is.Text+fmt.Sprintf("too old: %s, known to be right from %s on", f.Reported, f.Minimum), f.Install
	case f.Problem == "missing":
		is.Text, is.Hint = is.Text+f.Binary+" is not in PATH", f.Install
	case f.Problem != "":
		is.Text, is.Hint = is.Text+f.Path+" "+f.Problem, f.Path+" "+strings.Join(f.Version, " ")
	case told && !in:
		is.Text += fmt.Sprintf("no key (%s) and nobody logged in was found", strings.Join(f.Row.Keys[:min(len(f.Row.Keys), 3)], ", "))
		is.Hint = f.LoginCommand()
	default:
		is.State = "ok"
		return is, true
	}
	return is, false
}

// another is the command that sets another provider for reviews, for work of a
// provider that is not known to keep the contracts.
const reviewerCommand = "git config liza.code-reviewer.provider NAME"
