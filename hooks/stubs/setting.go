package stubs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A setting is a value that Install set for a key in a file of git's configuration.
// Before and After are the lines that it replaced and wrote: restoring Before leaves
// everything else in the file as it is.
type setting struct {
	File, Key     string // the file relative to the shared git directory
	Value         string
	Had           string // the value in force before, "" if none
	Before, After string
}

const hooksPath = "core.hooksPath"

// configValues returns all values of a key in a file of git's configuration, the one in force
// last.
func configValues(ctx context.Context, repo *git.Repo, file, key string) ([]string, error) {
	args := []string{"config", "--file", file, "--null", "--get-all", key}
	if key == hooksPath {
		args = slices.Insert(args, 1, "--type=path")
	}
	out, err := repo.Git(ctx, args...)
	if isUnset(err) {
		return nil, nil
	}
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// isUnset reports whether `git config` found no value.
func isUnset(err error) bool {
	var failed *git.Error
	return errors.As(err, &failed) && failed.Code == 1
}

func lastValue(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// findSetting returns the record's entry of a key in a file, nil if there is none.
func (r *record) findSetting(file, key string) *setting {
	return lists.Find(r.Settings, func(s setting) bool { return s.File == file && s.Key == key })
}

// setKey sets a key and records how to restore the file. It forgets an earlier value of
// Install that was replaced since: uninstalling will restore the newer one.
func (r *record) setKey(ctx context.Context, repo *git.Repo, file, key, value string) error {
	path := r.absPath(file)
	had, err := configValues(ctx, repo, path, key)
	if err != nil {
		return err
	}
	if known := r.findSetting(file, key); known != nil {
		if len(had) == 1 && had[0] == known.Value {
			if known.Value == value {
				return nil
			}
			if err := r.restoreSetting(ctx, repo, *known); err != nil {
				return err
			}
			if had, err = configValues(ctx, repo, path, key); err != nil {
				return err
			}
		}
		r.Settings = slices.DeleteFunc(r.Settings, func(s setting) bool { return s.File == file && s.Key == key })
	}
	if len(had) == 1 && had[0] == value {
		return r.save()
	}
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	after, err := repo.Config.EditedConfig(ctx, before, "--replace-all", key, value)
	if err != nil {
		return err
	}
	s := setting{File: file, Key: key, Value: value, Had: lastValue(had)}
	s.Before, s.After = changedLines(before, after)
	r.Settings = append(r.Settings, s)
	if err := r.save(); err != nil {
		return err
	}
	return repo.Config.ReplaceConfig(ctx, path, before, after)
}

// restoreSetting restores the lines that a setting replaced. If they were edited, or keys were
// added to a section that they begin, it has git remove the value. A value that was
// changed since stays.
func (r *record) restoreSetting(ctx context.Context, repo *git.Repo, s setting) error {
	path := r.absPath(s.File)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	args := []string{"--unset-all", s.Key}
	if s.Had != "" {
		args = []string{"--replace-all", s.Key, s.Had}
	}
	if strings.Count(string(text), s.After) == 1 && !s.ownsHeader(string(text)) {
		repo.Config.NoteConfig(args...)
		return repo.Config.ReplaceConfig(ctx, path, text, []byte(strings.Replace(string(text), s.After, s.Before, 1)))
	}
	now, err := configValues(ctx, repo, path, s.Key)
	if err != nil || lastValue(now) != s.Value {
		return err
	}
	after, err := repo.Config.EditedConfig(ctx, text, args...)
	if err != nil {
		return err
	}
	return repo.Config.ReplaceConfig(ctx, path, text, after)
}

// ownsHeader reports whether other keys of the file are in a section whose header came
// with the setting: without the header they would belong to the section before.
func (s setting) ownsHeader(text string) bool {
	if !hasHeader(s.After) || hasHeader(s.Before) {
		return false
	}
	_, rest, _ := strings.Cut(text, s.After)
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line[0] != ';' {
			return line[0] != '['
		}
	}
	return false
}

func hasHeader(lines string) bool {
	for line := range strings.Lines(lines) {
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			return true
		}
	}
	return false
}
