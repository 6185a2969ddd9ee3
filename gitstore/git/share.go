package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/git-liza/git-liza/flow/layout"
)

// ShareFiles lets others write what this process and its children write, as far
// as core.sharedRepository of this repository says: git does so with its own
// files, whatever the umask of an account that pushes is.
func (c *RepoConfiguration) ShareFiles(ctx context.Context) error {
	open, err := c.Shared(ctx)
	if err == nil && open != 0 {
		syscall.Umask(syscall.Umask(0o022) &^ int(open))
	}
	return err
}

// ShareOld gives the files of this user in the folder liza the permissions that
// ShareFiles gives to new ones.
func (c *RepoConfiguration) ShareOld(ctx context.Context) error {
	open, err := c.Shared(ctx)
	if err != nil || open == 0 {
		return err
	}
	return filepath.WalkDir(filepath.Join(c.repo.commonDir, layout.Private), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() && !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		mode := info.Mode().Perm()
		more := open
		if mode&0o100 == 0 {
			more &= 0o666
		}
		if mode|more != mode {
			_ = os.Chmod(path, info.Mode()|more) // another user's stays as it is
		}
		return nil
	})
}

// Shared returns the permissions that core.sharedRepository opens, those of a folder; none
// where git leaves it to the umask. A value with which git writes no file is an error.
func (c *RepoConfiguration) Shared(ctx context.Context) (fs.FileMode, error) {
	value, err := c.Config(ctx, "core.sharedRepository")
	if err != nil {
		return 0, err
	}
	mode, known := sharedMode(value)
	if !known {
		return 0, fmt.Errorf("git config core.sharedRepository is %q; it can be umask, group, all, or a mode that lets the owner read and write, such as 0640", value)
	}
	return mode, nil
}

// sharedMode reads a value as git_config_perm of git's setup.c does: its own words, in small
// letters alone, an octal number, or a truth value. known is false for a text that git refuses.
func sharedMode(value string) (mode fs.FileMode, known bool) {
	const umask, group, everybody = 0, 1, 2
	n, err := strconv.ParseInt(strings.TrimLeft(value, " \t\n\v\f\r"), 8, 64)
	switch {
	case value == "umask":
		n = umask
	case value == "group":
		n = group
	case value == "all" || value == "world" || value == "everybody":
		n = everybody
	case errors.Is(err, strconv.ErrSyntax):
		is, known := ParseBool(value)
		if !known {
			return 0, false
		}
		if n = umask; is {
			n = group
		}
	}
	switch int32(n) { // git keeps it in an int
	case umask:
		return 0, true
	case group:
		mode = 0o660
	case everybody:
		mode = 0o664
	default:
		mode = fs.FileMode(n & 0o666)
	}
	return mode | mode&0o444>>2, mode&0o600 == 0o600
}
