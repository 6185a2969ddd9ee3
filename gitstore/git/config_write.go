package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

// WriteConfig changes the repository's own configuration: args are what
// follows `git config --local`, for example a key and its value.
func (c *RepoConfiguration) WriteConfig(ctx context.Context, args ...string) error {
	c.NoteConfig(args...)
	left := Leftovers{Files: []string{filepath.Join(c.repo.commonDir, "config.lock")}}
	err := c.repo.Journal.RunUnlocked(ctx, left, func() error {
		_, err := c.repo.Run(ctx, Cmd{Args: append([]string{"config", "--local"}, args...), Leaves: left})
		return err
	})
	c.Renew()
	return err
}

// AddValues adds values, of letters and digits, to a key with several. It starts git once,
// which finds the place for the first; the others follow it.
func (c *RepoConfiguration) AddValues(ctx context.Context, key string, values ...string) error {
	if len(values) == 0 {
		return nil
	}
	if err := c.WriteConfig(ctx, "--add", key, values[0]); err != nil || len(values) == 1 {
		return err
	}
	for _, value := range values[1:] {
		c.NoteConfig(key, value)
	}
	path := filepath.Join(c.repo.commonDir, "config")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name := key[strings.LastIndexByte(key, '.')+1:]
	line := "\t" + name + " = "
	first := line + values[0] + "\n"
	at := strings.LastIndex(string(text), first)
	if at < 0 {
		return fmt.Errorf("%s does not have %s as git writes it", path, key)
	}
	at += len(first)
	more := line + strings.Join(values[1:], "\n"+line) + "\n"
	return c.ReplaceConfig(ctx, path, text, slices.Concat(text[:at], []byte(more), text[at:]))
}

// EditedConfig is the text of a configuration file as `git config ARGS` would
// change it. It is for the holder of the queue.
func (c *RepoConfiguration) EditedConfig(ctx context.Context, text []byte, args ...string) ([]byte, error) {
	c.NoteConfig(args...)
	draft := filepath.Join(c.repo.commonDir, layout.Private, "config.draft")
	if err := os.MkdirAll(filepath.Dir(draft), 0o777); err != nil {
		return nil, err
	}
	defer os.Remove(draft)
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return nil, err
	}
	left := Leftovers{Files: []string{draft + ".lock"}}
	err := c.repo.Journal.RunUnlocked(ctx, left, func() error {
		_, err := c.repo.Run(ctx, Cmd{Args: append([]string{"config", "--file", draft}, args...), Leaves: left})
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(draft)
}

// ReplaceConfig replaces a file of git's configuration, at an absolute path, as
// a whole, under git's own lock on it. The error is a *Locked where that lock
// stays, and another where the file is not as before any more: it is left alone.
func (c *RepoConfiguration) ReplaceConfig(ctx context.Context, path string, before, after []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	left := Leftovers{Files: []string{path + ".lock"}}
	err := c.repo.Journal.RunUnlocked(ctx, left, func() (err error) {
		if err := c.repo.Journal.Recover(ctx); err != nil {
			return err
		}
		entry, err := c.repo.Journal.open(ctx, left)
		if err != nil {
			return err
		}
		defer func() { entry.close(err) }()
		return replaceLocked(path, before, after)
	})
	c.Renew()
	return err
}

// replaceLocked writes the lock, which is then the new file.
func replaceLocked(path string, before, after []byte) error {
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
	case !bytes.Equal(now, before):
		err = fmt.Errorf("%s was changed meanwhile: type the command again", path)
	default:
		_, err = lock.Write(after)
	}
	if err = errors.Join(err, lock.Close()); err == nil {
		err = os.Rename(lock.Name(), path)
	}
	if err != nil {
		os.Remove(lock.Name())
	}
	return err
}
