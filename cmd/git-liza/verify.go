package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
)

type verifyCommand struct {
	Range  string `arg:"" optional:"" placeholder:"OLD..NEW" help:"The moves after OLD up to NEW; default: all of them, and integration."`
	Signed bool   `help:"Every move of a board with principals must be signed."`
}

// A verdict is the report on one refused commit or ref.
type verdict struct {
	What   string `json:"what"`
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	Hint   string `json:"hint"`
}

func (c *verifyCommand) Run(inv *invocation, on reader) error {
	from, to, err := c.ends(inv, on.clone.Store)
	if err != nil {
		return err
	}
	v, err := hooks.Verify(inv.ctx, on.clone.Store, from, to, c.Signed)
	for _, w := range v.Warnings {
		inv.progress("warning: %s %s", w.What, w.Reason)
	}
	data := map[string]any{"from": from, "to": to, "moves": v.Moves, "warnings": verdicts(v.Warnings), "refused": []verdict{}}
	if rejection, is := errors.AsType[*hooks.Rejection](err); inv.json && is {
		first := rejection.Refused[0]
		data["refused"] = verdicts(rejection.Refused)
		return &partial{failure{code: exitRefused, outcome: "refused", rule: first.Rule, reason: first.Reason, hint: first.Hint}, data}
	}
	if err != nil {
		return err
	}
	return inv.answer("", data, fmt.Sprintf("%s: every move is what a server would have taken (%s)", to.Short(), view.Count(v.Moves, "move")))
}

// ends parses OLD..NEW. Either may be missing.
func (c *verifyCommand) ends(inv *invocation, store *gitstore.Store) (from, to git.ID, err error) {
	old, name, ranged := strings.Cut(c.Range, "..")
	if !ranged && c.Range != "" {
		return "", "", usagef("git liza help verify", "%q is no range OLD..NEW", c.Range)
	}
	if name == "" {
		to, err = store.Tip(inv.ctx)
	} else {
		to, err = store.Rev(inv.ctx, name)
	}
	if err == nil && old != "" {
		from, err = store.Rev(inv.ctx, old)
	}
	return from, to, err
}

func verdicts(list []hooks.Refused) []verdict {
	return append([]verdict{}, lists.Of(list, func(r hooks.Refused) verdict { return verdict{r.What, string(r.Rule), r.Reason, r.Hint} })...)
}
