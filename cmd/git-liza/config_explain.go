package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/config"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
	"github.com/git-liza/git-liza/hooks"
)

// A presentValue is the value that a setting has now.
type presentValue struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source string `json:"source"`

	text string // for people, on one line unless it is a list
}

// refuseGit refuses to change a key of git's configuration, for which git has a command.
func (c *configCommand) refuseGit(inv *invocation) error {
	if _, ok := inv.findKey(c.Key); !ok {
		return unknownKey(c.Key)
	}
	hint := "git config --unset-all " + shell.Quote(c.Key)
	if !c.Unset {
		hint = "git config " + shell.Quote(c.Key) + " " + shell.Quote(strings.Join(c.Value, " "))
	}
	return usagef(hint, "%s is in git's configuration, not on the board", c.Key)
}

// showGit prints the value of a key of git's configuration, or those of a pattern.
func (c *configCommand) showGit(inv *invocation) error {
	key, ok := inv.findKey(c.Key)
	if !ok {
		return unknownKey(c.Key)
	}
	lines, err := readSettingLines(inv)
	if err != nil {
		return err
	}
	set := gitValues(inv, lines, key, c.Key)
	text := lists.Of(set, func(v presentValue) string { return v.text })
	if len(set) == 0 {
		text = append(text, config.Plain(key.Default))
	}
	return inv.answer("", map[string]any{"key": c.Key, "values": set}, strings.Join(text, "\n"))
}

// showGitGroup prints the values of a group of git's configuration.
func (c *configCommand) showGitGroup(inv *invocation, g config.Group) error {
	lines, err := readSettingLines(inv)
	if err != nil {
		return err
	}
	set := []presentValue{}
	var text strings.Builder
	for _, key := range g.Keys {
		values := gitValues(inv, lines, key, key.Name)
		set = append(set, values...)
		text.WriteString(keyLines(key, values))
	}
	return inv.answer("", groupView{g.Name, g.Place.String(), set}, text.String())
}

// readSettingLines is settingLines of the repository of an invocation.
func readSettingLines(inv *invocation) ([]git.PlacedSetting, error) {
	clone, err := inv.reader()
	if err != nil {
		return nil, err
	}
	return settingLines(inv, clone)
}

// settingLines reads the lines of git's configuration that begin with liza.
func settingLines(inv *invocation, clone *work.Clone) ([]git.PlacedSetting, error) {
	return clone.Repo.Config.SettingsUnder(inv.ctx, "liza.")
}

// gitValues returns the values of a key of git's configuration that are set, or of all keys
// that follow a pattern. Of a key that takes one value it is the last one, as with git.
func gitValues(inv *invocation, lines []git.PlacedSetting, key config.Key, name string) []presentValue {
	list := []presentValue{}
	mask := secret.New(inv.environ)
	wanted := key
	if name != key.Name {
		wanted.Name = name
	}
	at := map[string]int{}
	for _, line := range lines {
		if !wanted.Matches(line.Key) {
			continue
		}
		value := mask.String(line.Value)
		v := presentValue{line.Key, value, sourceOf(line), plaintext.Line(value)}
		if i, again := at[line.Key]; again && !key.IsList() {
			list[i] = v
			continue
		}
		at[line.Key] = len(list)
		list = append(list, v)
	}
	return list
}

// sourceOf names the place of a line of git's configuration.
func sourceOf(line git.PlacedSetting) string {
	switch {
	case line.Own:
		return "git config of this clone"
	case strings.HasPrefix(line.Place, "command line:"):
		return "git config of the command line or the environment"
	}
	return "git config, " + git.Visible(line.Place)
}

// boardValues returns the values of a key of the board, or of all keys that follow a
// pattern.
func boardValues(board *board.Config, key config.Key, name string) []presentValue {
	list := []presentValue{}
	for _, v := range config.Values(board) {
		if !isUsual(v) && (v.Key == name || name == key.Name && key.Matches(v.Key)) {
			list = append(list, presentValue{v.Key, v.JSON(), "board", plaintext.Line(v.String())})
		}
	}
	return list
}

// explain prints what is known of a key.
func (c *configCommand) explain(inv *invocation) error {
	key, ok := inv.findKey(c.Key)
	if !ok {
		return unknownKey(c.Key)
	}
	if len(c.Value) > 0 || c.Unset {
		return usagef("git liza help config", "--explain changes nothing: it takes a key and no value")
	}
	var values []presentValue
	if key.Place == config.Board {
		l, err := inv.look()
		if err != nil {
			return err
		}
		board := l.reading.Board.Settings().Config
		values = boardValues(&board, key, c.Key)
	} else {
		lines, err := readSettingLines(inv)
		if err != nil {
			return err
		}
		values = gitValues(inv, lines, key, c.Key)
	}
	var text strings.Builder
	for _, v := range values {
		fmt.Fprintf(&text, "%s = %s\n  from: %s\n", v.Key, strings.ReplaceAll(v.text, "\n", "\n  "), v.Source)
	}
	if len(values) == 0 {
		fmt.Fprintf(&text, "%s is not set\n", c.Key)
	}
	plain := map[string]string{"meaning": config.Plain(key.Meaning), "unit": config.Plain(key.Unit), "default": config.Plain(key.Default), "read_by": config.Plain(key.Readers)}
	data := map[string]any{"key": c.Key, "place": key.Place.String(), "values": values}
	for _, name := range []string{"meaning", "unit", "default", "read_by"} {
		data[name] = plain[name]
		fmt.Fprintf(&text, "  %s: %s\n", strings.ReplaceAll(name, "_", " "), plain[name])
	}
	return inv.answer("", data, text.String())
}

// A groupView is a group of settings with their values.
type groupView struct {
	Name   string         `json:"group"`
	Place  string         `json:"place"`
	Values []presentValue `json:"values"`
}

// list prints all settings in their groups. It fails if git's configuration has keys
// that do not exist, or values that cannot be understood.
func (c *configCommand) list(inv *invocation, l look) error {
	lines, err := settingLines(inv, l.clone)
	if err != nil {
		return err
	}
	board := l.reading.Board.Settings().Config
	var text strings.Builder
	var groups []groupView
	for _, g := range config.Groups() {
		shown := groupView{g.Name, g.Place.String(), []presentValue{}}
		text.WriteString(g.Heading() + "\n")
		for _, key := range g.Keys {
			values := gitValues(inv, lines, key, key.Name)
			if g.Place == config.Board {
				values = boardValues(&board, key, key.Name)
			}
			shown.Values = append(shown.Values, values...)
			text.WriteString(keyLines(key, values))
		}
		groups = append(groups, shown)
	}
	board = withAlarms(board)
	data := settingValues(config.Values(&board), "")
	data["groups"] = groups
	problem := checkSettings(inv, l.clone, lines)
	if problem == nil {
		return inv.answer("", data, text.String())
	}
	return inv.partly(classify(problem), data, text.String())
}

// keyLines formats the values of a key in the list of all.
func keyLines(key config.Key, values []presentValue) string {
	if len(values) == 0 {
		return fmt.Sprintf("%s: %s (default)\n", key.Name, config.Plain(key.Default))
	}
	var text strings.Builder
	for _, v := range values {
		switch {
		case v.Source == "board":
			fmt.Fprintf(&text, "%s = %s\n", v.Key, v.text)
		default:
			fmt.Fprintf(&text, "%s = %s (%s)\n", v.Key, v.text, v.Source)
		}
	}
	return text.String()
}

// findKey returns the key with a name, or the pattern that the name follows. A role in
// the name is one of the board.
func (inv *invocation) findKey(name string) (config.Key, bool) {
	key, ok := config.Find(name)
	if role := key.RoleOf(name); ok && role != "" {
		l, err := inv.look()
		ok = err == nil && l.reading.Board.Role(role) != nil
	}
	return key, ok
}

// checkKeys refuses keys of git's configuration that do not exist: a setting under a
// mistyped name would be ignored. Without a board any role may exist.
func checkKeys(b *board.Board, lines []git.PlacedSetting) error {
	for _, line := range lines {
		key, ok := config.Find(line.Key)
		if role := key.RoleOf(line.Key); ok && (role == "" || b == nil || b.Role(role) != nil) {
			continue
		}
		name := git.Visible(line.Key)
		reason := fmt.Sprintf("there is no key %s, which %s has", name, sourceOf(line))
		if like := config.Nearest(line.Key); like != "" {
			reason += "; did you mean " + like + "?"
		}
		hint := "git config --unset-all " + shell.Quote(line.Key)
		switch {
		case strings.HasPrefix(line.Place, "command line:"):
			hint = "git liza config"
		case !line.Own:
			hint = "git config --file " + shell.Quote(line.Place) + " --unset-all " + shell.Quote(line.Key)
		}
		return usagef(hint, "%s", reason)
	}
	return nil
}

// checkSettings returns what is wrong with git's configuration: a key that does not
// exist, and the values that their readers cannot understand. The hint is that of the
// first.
func checkSettings(inv *invocation, clone *work.Clone, lines []git.PlacedSetting) error {
	conf := &clone.Repo.Config.Configuration
	choice := providerChoice{inv, conf}
	var found []error
	for _, check := range []func() error{
		func() error {
			b, _, err := clone.Store.Board(inv.ctx)
			if err != nil {
				b = nil // another check says what is wrong with it
			}
			return checkKeys(b, lines)
		},
		func() error { return readLimits(inv.ctx, conf, new(supervise.Limits)) },
		func() error { _, err := readBounds(inv.ctx, conf); return err },
		func() error { _, _, err := work.ReadMachine(inv.ctx, conf); return err },
		func() error { return choice.check() },
		func() error { _, err := clone.Store.Remotes.Timeout(inv.ctx); return err },
		func() error { _, err := clone.Repo.Flusher.FsyncMode(inv.ctx); return err },
		func() error {
			if _, err := clone.Repo.Config.Shared(inv.ctx); err != nil {
				return usagef(mendShared, "%v", err)
			}
			return nil
		},
		func() error { _, err := hooks.Memory(inv.ctx, clone.Repo); return err },
		func() error {
			_, err := hooks.ReadPush(inv.ctx, clone.Repo, nil, inv.now(), func(string) string { return "" })
			return err
		},
	} {
		if err := check(); err != nil {
			found = append(found, err)
		}
	}
	if len(found) == 0 {
		return nil
	}
	var first *usageError
	hint := "git config --show-origin --get-regexp '^liza\\.'"
	if errors.As(found[0], &first) {
		hint = first.hint
	}
	return usagef(hint, "%v", errors.Join(found...))
}

// mendShared sets core.sharedRepository to what git has without it: with a value that git
// refuses, git writes no configuration either.
const mendShared = "git -c core.sharedRepository=umask config core.sharedRepository umask"

// examineSettings returns the finding about the keys of git's configuration.
func examineSettings(inv *invocation, clone *work.Clone) (work.Finding, error) {
	lines, err := settingLines(inv, clone)
	if err != nil {
		return work.Finding{}, err
	}
	var wrong *usageError
	if errors.As(checkSettings(inv, clone, lines), &wrong) {
		return work.Finding{Check: "config", State: "fail", Text: plaintext.Line(wrong.reason), Hint: wrong.hint}, nil
	}
	return work.Finding{Check: "config", State: "ok", Text: "git's configuration has no unknown key and no wrong value of git liza"}, nil
}

// check reports the first role whose provider the configuration describes wrongly.
func (p providerChoice) check() error {
	known, err := p.catalogue()
	if err != nil {
		return err
	}
	chosen, err := p.perRole()
	if err != nil {
		return err
	}
	for _, c := range chosen {
		if c.text != "" {
			if _, err := c.find(known, "git-liza"); err != nil {
				return usagef("git config "+c.key+" NAME", "%s: %v", c.place, err)
			}
		}
		if _, err := p.readLauncher(c.row.Name); err != nil {
			return err
		}
	}
	return nil
}
