package work

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Settings are what git's configuration told git liza at some moment.
type Settings struct {
	lines []git.PlacedSetting
	mark  git.ConfigMark
}

// Settings reads them as they are now.
func (c *Clone) Settings(ctx context.Context) (Settings, error) {
	mark := c.Repo.MarkConfig()
	lines, err := c.Repo.SettingsUnder(ctx, "liza.", "include.", "includeif.")
	return Settings{lines, mark}, err
}

// On reports whether a switch was on.
func (x Settings) On(key string) bool {
	value := ""
	for _, one := range x.lines {
		if one.Key == key {
			value = one.Value
		}
	}
	return on(value)
}

// A settingPlace is a key in one of git's files.
type settingPlace struct {
	key, file string
	own       bool
}

func placeOf(one git.PlacedSetting) settingPlace {
	return settingPlace{one.Key, one.Place, one.Own}
}

// at is what a place holds.
func (x Settings) at(p settingPlace) (values []string) {
	for _, one := range x.lines {
		if placeOf(one) == p {
			values = append(values, one.Value)
		}
	}
	return values
}

// A settingChange is what became of a place.
type settingChange struct {
	settingPlace
	was, now []string
}

// changed lists the places at which y differs from x.
func (x Settings) changed(y Settings) (list []settingChange) {
	seen := map[settingPlace]bool{}
	for _, one := range slices.Concat(x.lines, y.lines) {
		p := placeOf(one)
		if c := (settingChange{p, x.at(p), y.at(p)}); !seen[p] && !slices.Equal(c.was, c.now) {
			list = append(list, c)
		}
		seen[p] = true
	}
	return list
}

// with is x with a change of it.
func (x Settings) with(c settingChange) Settings {
	lines := slices.DeleteFunc(slices.Clone(x.lines), func(one git.PlacedSetting) bool { return placeOf(one) == c.settingPlace })
	for _, value := range c.now {
		lines = append(lines, git.PlacedSetting{Setting: git.Setting{Key: c.key, Value: value}, Place: c.file, Own: c.own})
	}
	return Settings{lines, x.mark}
}

// governing are the keys that decide which programs run, as whom, and whose board
// counts, with all keys below them.
var governing = []string{trustKeys, "liza.provider", "liza.coder", "liza.code-reviewer", "liza.planner", "liza.script",
	"liza.principal", "liza.agent", "liza.remote", "include", "includeif"}

const trustKeys = "liza.trust"

func (p settingPlace) governs() bool {
	return slices.ContainsFunc(governing, p.under)
}

func (p settingPlace) under(key string) bool {
	return p.key == key || strings.HasPrefix(p.key, key+".")
}

// added are the values that a place gained and that git liza did not write.
func (c settingChange) added(wrote func(string, ...string) bool) []string {
	return slices.DeleteFunc(slices.Clone(c.now), func(v string) bool { return slices.Contains(c.was, v) || wrote(c.key, v) })
}

// allowed reports whether git liza made the change itself, as by `git liza trust`,
// or only took trust away.
func (c settingChange) allowed(wrote func(string, ...string) bool) bool {
	switch {
	case len(c.added(wrote)) > 0:
		return false
	case c.under(trustKeys):
		return true
	case len(c.now) == 0:
		return wrote(c.key)
	}
	return slices.ContainsFunc(c.now, func(v string) bool { return !slices.Contains(c.was, v) })
}

// ReturnSettings puts back what has changed in the repository's own
// configuration since was and decides which programs run, as whom, and whose
// board counts, unless git liza wrote it; back are these keys. told are lines about
// what changed beside and stays. next is was with what stays.
func (c *Clone) ReturnSettings(ctx context.Context, was Settings) (next Settings, back, told []string, err error) {
	now, err := c.Settings(ctx)
	if err != nil {
		return was, nil, nil, err
	}
	wrote := c.Repo.WroteSince(was.mark)
	for _, one := range was.changed(now) {
		if one.own && one.governs() && !one.allowed(wrote) {
			if err := c.returnSetting(ctx, one, wrote); err != nil {
				return was, back, nil, err
			}
			back = append(back, one.key)
		}
	}
	if len(back) > 0 { // with an include what it included is gone
		if now, err = c.Settings(ctx); err != nil {
			return was, back, nil, err
		}
	}
	next = was
	for _, one := range was.changed(now) {
		switch {
		case one.allowed(wrote):
			next = next.with(one)
		case one.own && one.governs(): // changed since, which the next session's end finds
		default:
			next = next.with(one)
			told = append(told, fmt.Sprintf("%s was changed in %s while a session ran, and stays: git config --show-origin --get-all %s",
				one.key, one.file, shell.Quote(one.key)))
		}
	}
	return next, back, told, nil
}

// returnSetting writes a key of the repository's own configuration as it was; of
// trust it takes away what came to it.
func (c *Clone) returnSetting(ctx context.Context, one settingChange, wrote func(string, ...string) bool) error {
	if one.under(trustKeys) {
		for _, value := range one.added(wrote) {
			if err := c.Repo.WriteConfig(ctx, "--fixed-value", "--unset-all", one.key, value); err != nil {
				return err
			}
		}
		return nil
	}
	if len(one.was) == 1 {
		return c.Repo.WriteConfig(ctx, "--replace-all", one.key, one.was[0])
	}
	if len(one.now) > 0 {
		if err := c.Repo.WriteConfig(ctx, "--unset-all", one.key); err != nil {
			return err
		}
	}
	for _, value := range one.was {
		if err := c.Repo.WriteConfig(ctx, "--add", one.key, value); err != nil {
			return err
		}
	}
	return nil
}
