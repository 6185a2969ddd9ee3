package worktrees

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

// ignoreLine is the line that has git ignore the checkouts, whose folder may be a link.
func (t *Trees) ignoreLine() string {
	if info, err := os.Lstat(t.root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return layout.Worktrees
	}
	return layout.Worktrees + "/"
}

// Ignore has git ignore .worktrees/ in this clone, through info/exclude of the shared
// git directory. Repeating it changes nothing.
func (t *Trees) Ignore() error {
	path, ignoreLine := filepath.Join(t.common, "info", "exclude"), t.ignoreLine()
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ignoring %s: %w", ignoreLine, err)
	}
	for line := range strings.Lines(string(content)) {
		if strings.TrimRight(line, "\r\n") == ignoreLine {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("ignoring %s: %w", ignoreLine, err)
	}
	line := ignoreLine + "\n"
	if len(content) > 0 && content[len(content)-1] != '\n' {
		line = "\n" + line
	}
	// Append and do not replace: the file may be a symbolic link of the user's.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return fmt.Errorf("ignoring %s: %w", ignoreLine, err)
	}
	_, err = f.WriteString(line)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("ignoring %s: %w", ignoreLine, err)
	}
	return nil
}
