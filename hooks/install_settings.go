package hooks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore"
)

// A setting is a value that Install gave a key in a file of git's
// configuration. Before and After are the lines that it replaced and put
// there: bringing them back leaves everything else in the file as it is.
type setting struct {
	File, Key     string // the file relative to the shared git directory
	Value         string
	Had           string // the value that counted before, "" if none
	Before, After string
}

const hooksPath = "core.hooksPath"

// values are all values that a file of git's configuration has for a key,
// the one that counts last.
func values(ctx context.Context, repo *gitstore.Repo, file, key string) ([]string, error) {
	args := []string{"config", "--file", file, "--null", "--get-all", key}
	if key == hooksPath {
		args = slices.Insert(args, 1, "--type=path")
	}
	out, err := repo.Git(ctx, args...)
	if unset(err) {
		return nil, nil
	}
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// unset tells whether `git config` found no value.
func unset(err error) bool {
	var git *gitstore.GitError
	return errors.As(err, &git) && git.Code == 1
}

func last(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// setting is the record's entry of a key in a file, nil if there is none.
func (r *record) setting(file, key string) *setting {
	for i := range r.Settings {
		if r.Settings[i].File == file && r.Settings[i].Key == key {
			return &r.Settings[i]
		}
	}
	return nil
}

// set gives a key a value and remembers what it takes to bring the file back.
// A value of ours that was replaced since is forgotten: uninstalling will bring
// back the newer one.
func (r *record) set(ctx context.Context, repo *gitstore.Repo, file, key, value string) error {
	path := r.abs(file)
	had, err := values(ctx, repo, path, key)
	if err != nil {
		return err
	}
	if known := r.setting(file, key); known != nil {
		if len(had) == 1 && had[0] == known.Value {
			if known.Value == value {
				return nil
			}
			if err := r.unset(ctx, repo, *known); err != nil {
				return err
			}
			if had, err = values(ctx, repo, path, key); err != nil {
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
	after, err := r.edited(ctx, repo, before, "--replace-all", key, value)
	if err != nil {
		return err
	}
	s := setting{File: file, Key: key, Value: value, Had: last(had)}
	s.Before, s.After = changedLines(before, after)
	r.Settings = append(r.Settings, s)
	if err := r.save(); err != nil {
		return err
	}
	return rewrite(path, before, after)
}

// edited is a configuration file as `git config` would change it.
func (r *record) edited(ctx context.Context, repo *gitstore.Repo, text []byte, args ...string) ([]byte, error) {
	draft := filepath.Join(r.common, "liza", "config"+newSuffix)
	defer os.Remove(draft)
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return nil, err
	}
	if _, err := repo.Git(ctx, append([]string{"config", "--file", draft}, args...)...); err != nil {
		return nil, err
	}
	return os.ReadFile(draft)
}

// rewrite changes a configuration file under git's own lock, if it still is as
// it was read.
func rewrite(path string, before, after []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	now, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if string(now) != string(before) {
		return fmt.Errorf("%s was changed meanwhile: type the command again", path)
	}
	return swap(path+".lock", path, after, mode)
}

// unset brings back the lines that a setting replaced. Where somebody has
// edited them, git's own way is taken; where the value is not ours any more, it
// stays.
func (r *record) unset(ctx context.Context, repo *gitstore.Repo, s setting) error {
	path := r.abs(s.File)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if strings.Count(string(text), s.After) == 1 {
		return rewrite(path, text, []byte(strings.Replace(string(text), s.After, s.Before, 1)))
	}
	now, err := values(ctx, repo, path, s.Key)
	if err != nil || last(now) != s.Value {
		return err
	}
	args := []string{"--unset-all", s.Key}
	if s.Had != "" {
		args = []string{"--replace-all", s.Key, s.Had}
	}
	after, err := r.edited(ctx, repo, text, args...)
	if err != nil {
		return err
	}
	return rewrite(path, text, after)
}
