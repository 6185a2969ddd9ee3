package main

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

type extensionGatesCommand struct {
	Name    string `arg:"" help:"As git liza extension list names it."`
	Replace bool   `help:"In place of gates of the board with the same names."`
}

func (c *extensionGatesCommand) Run(inv *invocation) error {
	e, err := c.find(inv)
	if err != nil {
		return err
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	commands := lists.Of(e.Gates, func(g board.Gate) string { return g.Command })
	// This comes before the move, so that the clone that sets a gate already trusts it.
	if err := clone.Trust.AllowOwn(inv.ctx, commands...); err != nil {
		return err
	}
	r, err := clone.Move(inv.ctx, board.ActConfig, "", func(b *board.Board) (flow.Detail, error) {
		config := b.Settings().Config
		config.Gates = slices.Clone(config.Gates)
		for _, g := range e.Gates {
			i := slices.IndexFunc(config.Gates, func(o board.Gate) bool { return o.Name == g.Name })
			switch {
			case i < 0:
				config.Gates = append(config.Gates, g)
			case equalGates(config.Gates[i], g):
			case c.Replace:
				config.Gates[i] = g
			default:
				return nil, &flow.Refusal{Rule: flow.RuleExists, Reason: "the board has another gate " + g.Name, Hint: "git liza extension gates --replace " + c.Name}
			}
		}
		return &flow.ConfigMove{Config: config}, nil
	})
	if err != nil {
		return err
	}
	names := lists.Of(e.Gates, func(g board.Gate) string { return g.Name })
	return inv.result(r, map[string]any{"extension": c.Name, "gates": names}, "%s: %s", view.Count(len(names), "gate"), strings.Join(names, ", "))
}

// find finds an extension with gates, of which nothing is wrong.
func (c *extensionGatesCommand) find(inv *invocation) (*extension.Installed, error) {
	list, _, err := readExtensions(inv)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(e extension.Installed) bool { return e.Name == c.Name })
	switch {
	case i < 0:
		return nil, noExtension(c.Name)
	case len(list[i].Wrong) > 0:
		return nil, &flow.Refusal{Rule: flow.RuleContent, Reason: "something is wrong with the extension " + c.Name, Hint: "git liza check"}
	case len(list[i].Gates) == 0:
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Reason: "the extension " + c.Name + " has no gates", Hint: "git liza extension list"}
	}
	return &list[i], nil
}

func equalGates(a, b board.Gate) bool {
	return a.Command == b.Command && a.Required == b.Required && a.Timeout == b.Timeout && a.Stage() == b.Stage() && slices.Equal(a.Paths, b.Paths)
}

func noExtension(name string) error {
	return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no extension " + name, Hint: "git liza extension list"}
}

// checkGatesUnused refuses to remove an extension whose gates the board has.
func checkGatesUnused(b *board.Board, e extension.Installed) error {
	for _, g := range e.Gates {
		if has, ok := b.Settings().Config.Gate(g.Name); ok && has.Command == g.Command {
			return &flow.Refusal{Rule: flow.RuleHeld, Reason: "the gate " + g.Name + " of the board is of it", Hint: "git liza config --unset gates." + g.Name}
		}
	}
	return nil
}
