package git

import (
	"context"
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
	value, err := c.Config(ctx, "core.sharedRepository")
	if err != nil {
		return err
	}
	if open := sharedMode(value); open != 0 {
		syscall.Umask(syscall.Umask(0o022) &^ int(open))
	}
	return nil
}

// ShareOld gives the files of this user in the folder liza the permissions that
// ShareFiles gives to new ones.
func (c *RepoConfiguration) ShareOld(ctx context.Context) error {
	value, err := c.Config(ctx, "core.sharedRepository")
	open := sharedMode(value)
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

// sharedMode are the permissions that a value of core.sharedRepository opens,
// those of a folder; none where git leaves it to the umask.
func sharedMode(value string) fs.FileMode {
	var mode uint64
	switch strings.ToLower(value) {
	case "", "umask", "false", "no", "off", "0":
	case "group", "true", "yes", "on", "1":
		mode = 0o660
	case "all", "world", "everybody", "2":
		mode = 0o664
	default:
		var err error
		if mode, err = strconv.ParseUint(value, 8, 9); err != nil {
			return 0
		}
	}
	return fs.FileMode(mode|mode&0o444>>2) & 0o777
}
