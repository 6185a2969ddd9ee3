package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Settings are the values of git's configuration at some moment.
type Settings struct {
	lines []git.PlacedSetting
	mark  git.ConfigMark
}

// ReadSettings reads the current settings.
func ReadSettings(ctx context.Context, repo *git.Repo) (Settings, error) {
	mark := repo.Config.MarkConfig()
	lines, err := repo.Config.SettingsUnder(ctx, "")
	lines = slices.DeleteFunc(lines, func(one git.PlacedSetting) bool {
		p := placeOf(one)
		return !p.governs() && !p.isPersons()
	})
	return Settings{lines, mark}, err
}

// On reports whether a switch was on.
func (x Settings) On(key string) bool {
	on := false
	for _, one := range x.lines {
		if one.Key == key {
			on = git.IsTrue(one.Value)
		}
	}
	return on
}

// A settingPlace is a key in one of git's files.
type settingPlace struct {
	key, file string
	own       bool
}

func placeOf(one git.PlacedSetting) settingPlace {
	return settingPlace{one.Key, one.Place, one.Own}
}

// values are those of each place.
func (x Settings) values() map[settingPlace][]string {
	values := map[settingPlace][]string{}
	for _, one := range x.lines {
		values[placeOf(one)] = append(values[placeOf(one)], one.Value)
	}
	return values
}

// A settingChange is the change of a place.
type settingChange struct {
	settingPlace
	was, now []string
}

// changed lists the places at which y differs from x.
func (x Settings) changed(y Settings) (list []settingChange) {
	was, now := x.values(), y.values()
	for _, one := range slices.Concat(x.lines, y.lines) {
		p := placeOf(one)
		if !slices.Equal(was[p], now[p]) {
			list = append(list, settingChange{p, was[p], now[p]})
		}
		delete(was, p)
		delete(now, p)
	}
	return list
}

// with returns x with a change applied.
func (x Settings) with(c settingChange) Settings {
	lines := slices.DeleteFunc(slices.Clone(x.lines), func(one git.PlacedSetting) bool { return placeOf(one) == c.settingPlace })
	now := lists.Of(c.now, func(value string) git.PlacedSetting {
		return git.PlacedSetting{Setting: git.Setting{Key: c.key, Value: value}, Place: c.file, Own: c.own}
	})
	return Settings{append(lines, now...), x.mark}
}

// governing are the keys that decide which programs run, as which actor and
// principal, and which remote holds the board, with all keys below them.
var governing = []string{trustKeys, "liza.provider", "liza.coder", "liza.code-reviewer", "liza.planner", "liza.script", "liza.launcher", "liza.container",
	"liza.principal", "liza.agent", "liza.remote", layout.WorktreesKey, "include", "includeif"}

const trustKeys = "liza.trust"

func (p settingPlace) governs() bool {
	return slices.ContainsFunc(governing, p.under) || steers(p.key)
}

// isPersons reports whether a key that governs nothing is compared: who the user is, and what is
// in the repository's own file but the notes of other programs, which have a hyphen, and of Git LFS.
func (p settingPlace) isPersons() bool {
	section, rest, _ := strings.Cut(p.key, ".")
	variable := rest[strings.LastIndexByte(rest, '.')+1:]
	ofLFS := section == "lfs" && slices.Contains([]string{"access", "locksverify", "repositoryformatversion"}, variable)
	return slices.Contains([]string{"liza", "user", "safe"}, section) || p.own && !ofLFS && !strings.Contains(variable, "-")
}

func (p settingPlace) under(key string) bool {
	return p.key == key || strings.HasPrefix(p.key, key+".")
}

// added returns the values that a place gained and that git liza did not
// write.
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

// undoing is the command that undoes the change by hand: an editor where none is short.
func (c settingChange) undoing() string {
	command, key := "git config --file "+shell.Quote(c.file)+" ", shell.Quote(c.key)
	added := slices.DeleteFunc(slices.Clone(c.now), func(v string) bool { return slices.Contains(c.was, v) })
	switch {
	case len(c.was) == 0:
		return command + "--unset-all " + key
	case len(c.now) == len(c.was)+1 && len(added) == 1:
		return command + "--fixed-value --unset-all " + key + " " + shell.Quote(added[0])
	case len(c.was) == 1 && len(c.now) < 2:
		return command + "--replace-all " + key + " " + shell.Quote(c.was[0])
	}
	return command + "--edit"
}

// PutBack restores the governing keys of the repository's own configuration that
// have changed since x was read, unless git liza wrote them; back are these keys. told are
// other keys that have changed, and stay. named are what stays of governing keys and this
// process has not written, with the commands that undo it: a session can also write that
// git liza wrote it. next is x with the changes that stay.
func (x Settings) PutBack(ctx context.Context, repo *git.Repo) (next Settings, back, told, named []string, err error) {
	now, err := ReadSettings(ctx, repo)
	if err != nil {
		return x, nil, nil, nil, err
	}
	wrote := repo.Config.WroteSince(x.mark)
	var failed []error
	for _, one := range x.changed(now) {
		if !one.own || !one.governs() || one.allowed(wrote) {
			continue
		}
		if err := one.undo(ctx, repo, wrote); err != nil {
			failed = append(failed, err) // the others are put back nevertheless
			continue
		}
		back = append(back, git.Visible(one.key))
	}
	if len(failed) > 0 {
		return x, back, nil, nil, errors.Join(failed...)
	}
	if len(back) > 0 { // removing an include also removes the keys that it included
		if now, err = ReadSettings(ctx, repo); err != nil {
			return x, back, nil, nil, err
		}
	}
	next = x
	for _, one := range x.changed(now) {
		mine, key, file := one.allowed(wrote), git.Visible(one.key), git.Visible(one.file)
		if !mine && one.own && one.governs() {
			continue // it changed meanwhile: the end of the next session finds it
		}
		next = next.with(one)
		switch {
		case one.governs() && !one.allowed(repo.Config.WroteHere):
			named = append(named, fmt.Sprintf("%s in %s came or changed (to undo it: %s)", key, file, one.undoing()))
		case !mine:
			told = append(told, one.key)
		}
	}
	return next, back, told, named, nil
}

// undo restores a key of the repository's own configuration. From trust it
// removes only the added values.
func (c settingChange) undo(ctx context.Context, repo *git.Repo, wrote func(string, ...string) bool) error {
	if c.under(trustKeys) {
		for _, value := range c.added(wrote) {
			if err := repo.Config.WriteConfig(ctx, "--fixed-value", "--unset-all", c.key, value); err != nil {
				return err
			}
		}
		return nil
	}
	if len(c.was) == 1 {
		return repo.Config.WriteConfig(ctx, "--replace-all", c.key, c.was[0])
	}
	if len(c.now) > 0 {
		if err := repo.Config.WriteConfig(ctx, "--unset-all", c.key); err != nil {
			return err
		}
	}
	for _, value := range c.was {
		if err := repo.Config.WriteConfig(ctx, "--add", c.key, value); err != nil {
			return err
		}
	}
	return nil
}
