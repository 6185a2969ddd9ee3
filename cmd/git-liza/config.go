package main

import (
	"encoding"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/config"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

type configCommand struct {
	Key   string   `arg:"" optional:"" help:"Such as limits.iterations, budgets.task.tokens, lease, allow_self_review or gates.NAME.command; also a group such as limits, or a key of git's configuration such as liza.idle."`
	Value []string `arg:"" optional:"" help:"What to set it to; tests and never take several."`
	Unset bool     `help:"Remove the gate that the key gates.NAME names, or go back to the usual value of a key of alarms."`

	Explain bool `help:"Say what the key means, its unit and default, what reads it, and where its value comes from."`
}

func (c *configCommand) Run(inv *invocation) error {
	switch {
	case c.Explain:
		return c.explain(inv)
	case c.Key == "" || len(c.Value) == 0 && !c.Unset:
		return c.show(inv)
	case strings.HasPrefix(c.Key, "liza."):
		return c.refuseGit(inv)
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	// This comes before the move, so that the clone that sets a gate already trusts
	// it.
	if c.namesCommand() {
		if err := clone.Trust.AllowOwn(inv.ctx, c.Value[0]); err != nil {
			return err
		}
	}
	r, err := clone.Move(inv.ctx, board.ActConfig, "", func(b *board.Board) (flow.Detail, error) {
		board := b.Settings().Config
		board.Gates, board.Tests, board.Never = slices.Clone(board.Gates), slices.Clone(board.Tests), slices.Clone(board.Never)
		err := c.change(&board)
		return &flow.ConfigMove{Config: board}, err
	})
	if err != nil {
		return err
	}
	after := withAlarms(r.After.Settings().Config)
	rows := matching(config.Values(&after), c.Key)
	if len(rows) == 0 {
		return inv.result(r, map[string]any{"key": c.Key}, "%s removed", c.Key)
	}
	return inv.result(r, settingValues(rows, c.Key), "%s", listing(rows))
}

// namesCommand reports whether the value is a command that this machine will run.
func (c *configCommand) namesCommand() bool {
	name, field := gateKey(c.Key)
	return !c.Unset && (c.Key == "post_worktree" || name != "" && field == "command")
}

// gateKey splits gates.NAME.FIELD. A gate's name may hold dots.
func gateKey(key string) (name, field string) {
	rest, ok := strings.CutPrefix(key, "gates.")
	i := strings.LastIndexByte(rest, '.')
	if !ok || i < 0 {
		return "", ""
	}
	return rest[:i], rest[i+1:]
}

// change sets the value in a configuration that shares no slices with others.
func (c *configCommand) change(b *board.Config) error {
	if c.Unset {
		return c.unset(b)
	}
	if name, field := gateKey(c.Key); name != "" && field == "command" {
		if _, known := b.Gate(name); !known {
			b.Gates = append(b.Gates, board.Gate{Name: name, Required: true, Timeout: config.DefaultGateTimeout})
		}
	}
	for _, known := range config.Values(b) {
		if known.Key == c.Key {
			return c.set(known.Pointer)
		}
	}
	return c.unknown()
}

func (c *configCommand) unset(b *board.Config) error {
	name, ok := strings.CutPrefix(c.Key, "gates.")
	if strings.HasPrefix(c.Key, "alarms.") && len(c.Value) == 0 {
		return c.unsetAlarm(b)
	}
	if !ok || len(c.Value) > 0 {
		return usagef("git liza help config", "--unset takes the key of a gate, gates.NAME, or one of alarms, and no value")
	}
	before := len(b.Gates)
	b.Gates = slices.DeleteFunc(b.Gates, func(g board.Gate) bool { return g.Name == name })
	if len(b.Gates) == before {
		return noGate(name)
	}
	return nil
}

// unsetAlarm goes back to the usual threshold of an alarm.
func (c *configCommand) unsetAlarm(b *board.Config) error {
	for _, known := range config.Values(b) {
		if known.Key != c.Key {
			continue
		}
		switch p := known.Pointer.(type) {
		case *board.Duration:
			*p = 0
		case *int:
			*p = 0
		case *[]string:
			*p = nil
		}
		return nil
	}
	return c.unknown()
}

func noGate(name string) error {
	return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no gate " + board.Excerpt(name, 80), Hint: "git liza config gates.NAME.command CMD"}
}

// unknown returns the error for a gate that does not exist, or for a key that
// cannot exist.
func (c *configCommand) unknown() error {
	known, ok := config.Find(c.Key)
	switch {
	case ok && strings.HasPrefix(known.Name, "gates."):
		name, _ := gateKey(c.Key)
		return noGate(name)
	case c.Key == "gates":
		return usagef("git liza board edit config", "%s is a list: edit it in place", c.Key)
	}
	return unknownKey(c.Key)
}

// unknownKey returns the error for a key that does not exist, with the key that was
// probably meant.
func unknownKey(key string) error {
	if like := config.Nearest(key); like != "" {
		return usagef("git liza config --explain "+shell.Quote(like), "there is no key %s; did you mean %s?", board.Excerpt(key, 80), like)
	}
	return usagef("git liza config", "there is no key %s", board.Excerpt(key, 80))
}

// set parses the words of the command line into the value that the pointer points
// to.
func (c *configCommand) set(pointer any) error {
	if list, ok := pointer.(*[]string); ok {
		*list = c.Value
		return nil
	}
	if len(c.Value) != 1 {
		return usagef("git liza help config", "%s takes one value", c.Key)
	}
	var err error
	switch word := c.Value[0]; p := pointer.(type) {
	case *int:
		*p, err = strconv.Atoi(word)
	case *int64:
		*p, err = strconv.ParseInt(word, 10, 64)
	case *bool:
		*p, err = strconv.ParseBool(word)
	case encoding.TextUnmarshaler:
		err = p.UnmarshalText([]byte(word))
	case *string:
		*p = word
	}
	if err != nil {
		if errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange) {
			err = fmt.Errorf("takes %s, not %s", kindOf(pointer), board.Excerpt(c.Value[0], 80))
		}
		return usagef("git liza config --explain "+shell.Quote(c.Key), "%s: %v", c.Key, err)
	}
	return nil
}

// kindOf says what values of a number or a switch are.
func kindOf(pointer any) string {
	if _, ok := pointer.(*bool); ok {
		return "true or false"
	}
	return "a whole number"
}

// show prints one value, a group or everything.
func (c *configCommand) show(inv *invocation) error {
	if c.Key == "" {
		return withLook(inv, c.list)
	}
	if g, _ := config.FindGroup(c.Key); g.Place == config.Git {
		return c.showGitGroup(inv, g)
	}
	if strings.HasPrefix(c.Key, "liza.") {
		return c.showGit(inv)
	}
	l, err := inv.look()
	if err != nil {
		return err
	}
	board := l.reading.Board.Settings().Config
	board = withAlarms(board)
	rows := matching(config.Values(&board), c.Key)
	if len(rows) == 0 && slices.ContainsFunc(config.Keys(), func(k config.Key) bool { return strings.HasPrefix(k.Name, c.Key+".") }) {
		return inv.answer("", map[string]any{"config": map[string]any{}}, "")
	}
	if len(rows) == 0 {
		return c.unknown()
	}
	if rows[0].Key == c.Key {
		return inv.answer("", settingValues(rows, c.Key), plaintext.Line(rows[0].String()))
	}
	return inv.answer("", settingValues(rows, c.Key), listing(rows))
}

// matching returns the values with the key, or of the group that the key names.
func matching(list []config.Value, key string) []config.Value {
	group, _ := config.FindGroup(key)
	return slices.DeleteFunc(list, func(v config.Value) bool {
		member := slices.ContainsFunc(group.Keys, func(k config.Key) bool { return k.Matches(v.Key) })
		return !member && v.Key != key && !strings.HasPrefix(v.Key, key+".")
	})
}

// settingValues returns the values for JSON: that of the key, or a map.
func settingValues(rows []config.Value, key string) map[string]any {
	if rows[0].Key == key {
		return map[string]any{"key": key, "value": rows[0].JSON()}
	}
	values := map[string]any{}
	for _, row := range rows {
		values[row.Key] = row.JSON()
	}
	return map[string]any{"config": values}
}

func listing(rows []config.Value) string {
	var text strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&text, "%s = %s\n", row.Key, plaintext.Line(row.String()))
	}
	return text.String()
}

// withAlarms returns a configuration with the usual thresholds of alarms where it sets none.
func withAlarms(c board.Config) board.Config {
	c.Alarms = c.Alarms.Filled()
	c.Alarms.Off = append([]string{}, c.Alarms.Off...)
	return c
}

// isUsual reports whether a value of the board is one of alarms that it does not set.
func isUsual(v config.Value) bool {
	return strings.HasPrefix(v.Key, "alarms.") && slices.Contains([]string{"", "0", "0s"}, v.String())
}
