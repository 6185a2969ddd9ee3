package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
)

type configCommand struct {
	Key   string   `arg:"" optional:"" help:"Such as limits.iterations, budgets.task.tokens, lease, allow_self_review or gates.NAME.command; also a group such as limits."`
	Value []string `arg:"" optional:"" help:"What to set it to; tests takes several."`
	Unset bool     `help:"Remove the gate that the key gates.NAME names."`
}

// A setting is one value of a configuration under its dotted key. Its pointer
// points into that configuration.
type setting struct {
	key     string
	pointer any
}

// settings returns all settings of a configuration, with those of its gates.
func settings(c *flow.Config) []setting {
	list := []setting{
		{"lease", &c.Lease}, {"review_lease", &c.ReviewLease}, {"grace", &c.Grace},
		{"limits.iterations", &c.Limits.Iterations}, {"limits.review_cycles", &c.Limits.Cycles},
		{"limits.integration_failures", &c.Limits.MergeFails}, {"limits.no_verdicts", &c.Limits.NoVerdicts},
		{"limits.failed_coders", &c.Limits.FailedCoders}, {"limits.failures", &c.Limits.Failures},
		{"supersede_depth", &c.SupersedeDepth}, {"text_limit", &c.TextLimit}, {"blob_limit", &c.BlobLimit},
		{"allow_self_review", &c.AllowSelfReview}, {"drift_alarm", &c.DriftAlarm}, {"tests", &c.Tests},
		{"post_worktree", &c.PostWorktree},
		{"budgets.task.tokens", &c.Budgets.Task.Tokens}, {"budgets.task.cost", &c.Budgets.Task.Cost},
		{"budgets.sprint.tokens", &c.Budgets.Sprint.Tokens}, {"budgets.sprint.cost", &c.Budgets.Sprint.Cost},
		{"budgets.goal.tokens", &c.Budgets.Goal.Tokens}, {"budgets.goal.cost", &c.Budgets.Goal.Cost},
	}
	for i := range c.Gates {
		g := &c.Gates[i]
		list = append(list, setting{"gates." + g.Name + ".command", &g.Command},
			setting{"gates." + g.Name + ".required", &g.Required}, setting{"gates." + g.Name + ".timeout", &g.Timeout})
	}
	return list
}

func (c *configCommand) Run(inv *invocation) error {
	if c.Key == "" || len(c.Value) == 0 && !c.Unset {
		return c.show(inv)
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
	r, err := clone.Move(inv.ctx, flow.ActConfig, "", func(b *flow.Board) (flow.Detail, error) {
		config := b.Settings().Config
		config.Gates, config.Tests = slices.Clone(config.Gates), slices.Clone(config.Tests)
		err := c.change(&config)
		return &flow.ConfigMove{Config: config}, err
	})
	if err != nil {
		return err
	}
	after := r.After.Settings().Config
	rows := matching(settings(&after), c.Key)
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
func (c *configCommand) change(config *flow.Config) error {
	if c.Unset {
		return c.unset(config)
	}
	if name, field := gateKey(c.Key); name != "" && field == "command" {
		if _, known := config.Gate(name); !known {
			config.Gates = append(config.Gates, flow.Gate{Name: name, Required: true, Timeout: defaultGateTimeout})
		}
	}
	for _, known := range settings(config) {
		if known.key == c.Key {
			return c.set(known.pointer)
		}
	}
	return c.unknown()
}

func (c *configCommand) unset(config *flow.Config) error {
	name, ok := strings.CutPrefix(c.Key, "gates.")
	if !ok || len(c.Value) > 0 {
		return usagef("git liza help config", "--unset takes the key of a gate, gates.NAME, and no value")
	}
	before := len(config.Gates)
	config.Gates = slices.DeleteFunc(config.Gates, func(g flow.Gate) bool { return g.Name == name })
	if len(config.Gates) == before {
		return noGate(name)
	}
	return nil
}

func noGate(name string) error {
	return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no gate " + flow.Excerpt(name, 80), Hint: "git liza config gates.NAME.command CMD"}
}

// unknown returns the error for a gate that does not exist, or for a key that
// cannot exist.
func (c *configCommand) unknown() error {
	if name, field := gateKey(c.Key); slices.Contains([]string{"command", "required", "timeout"}, field) {
		return noGate(name)
	}
	if c.Key == "role_paths" || c.Key == "gates" {
		return usagef("git liza edit config", "%s is a list: edit it in place", c.Key)
	}
	return usagef("git liza config", "there is no key %s", flow.Excerpt(c.Key, 80))
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
		return usagef("git liza help config", "%s: %v", c.Key, err)
	}
	return nil
}

// show prints one value, a group or everything.
func (c *configCommand) show(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	config := l.Board.Settings().Config
	rows := matching(settings(&config), c.Key)
	if len(rows) == 0 {
		return c.unknown()
	}
	if rows[0].key == c.Key {
		return inv.answer("", settingValues(rows, c.Key), formatValue(rows[0].pointer))
	}
	text := listing(rows)
	if c.Key == "" {
		text += rolePaths(config.RolePaths)
	}
	return inv.answer("", settingValues(rows, c.Key), text)
}

// matching returns the settings with the key, or of the group that the key
// names.
func matching(list []setting, key string) []setting {
	return slices.DeleteFunc(list, func(known setting) bool {
		return key != "" && known.key != key && !strings.HasPrefix(known.key, key+".")
	})
}

// settingValues returns the settings for JSON: the value of the one that the key names,
// or a map.
func settingValues(rows []setting, key string) map[string]any {
	if rows[0].key == key {
		return map[string]any{"key": key, "value": rows[0].pointer}
	}
	values := map[string]any{}
	for _, row := range rows {
		values[row.key] = row.pointer
	}
	return map[string]any{"config": values}
}

func listing(rows []setting) string {
	var text strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&text, "%s = %s\n", row.key, formatValue(row.pointer))
	}
	return text.String()
}

// formatValue formats a value for people.
func formatValue(pointer any) string {
	switch p := pointer.(type) {
	case *[]string:
		return strings.Join(*p, " ")
	case fmt.Stringer:
		return p.String()
	case *string:
		return *p
	}
	// Numbers and booleans are written as in JSON.
	text, _ := json.Marshal(pointer)
	return string(text)
}

// rolePaths formats the role paths, which only `edit config` changes.
func rolePaths(list []flow.RolePath) string {
	var text strings.Builder
	for _, p := range list {
		fmt.Fprintf(&text, "role_paths: %s may not change %s", p.Role, p.Deny)
		for i, kind := range p.Except {
			lead := ", except in tasks of the kind "
			if i > 0 {
				lead = ", "
			}
			text.WriteString(lead + kind.String())
		}
		text.WriteString("\n")
	}
	return text.String()
}

// defaultGateTimeout is the time limit of a gate that sets none.
const defaultGateTimeout = flow.Duration(10 * time.Minute)
