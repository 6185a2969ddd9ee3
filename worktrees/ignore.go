package worktrees

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ignoreLine is the line that has git ignore the checkouts, whose folder may be a link.
func (t *Trees) ignoreLine() string {
	line := t.Below() + "/"
	if t.set != "" {
		line = "/" + line
	}
	if info, err := os.Lstat(t.root); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		line = strings.TrimSuffix(line, "/")
	}
	return line
}

// Below is the path of the folder of the checkouts below the main work tree, with slashes, ""
// where it lies elsewhere.
func (g *registry) Below() string {
	if !isBelow(g.main, g.root) {
		return ""
	}
	return filepath.ToSlash(g.root[len(g.main)+1:])
}

// Ignore has git ignore the folder of the checkouts in this clone, through info/exclude of the
// shared git directory. Repeating it changes nothing.
func (t *Trees) Ignore() error {
	if t.Below() == "" {
		return nil
	}
	line := t.ignoreLine()
	if err := appendLine(filepath.Join(t.common, "info", "exclude"), line); err != nil {
		return fmt.Errorf("ignoring %s: %w", line, err)
	}
	return nil
}

// appendLine appends a line to a file that lacks it, and does not replace the file: it may be a
// symbolic link of the user's.
func appendLine(path, line string) error {
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || slices.Contains(strings.Split(strings.ReplaceAll(string(content), "\r", ""), "\n"), line) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if len(content) > 0 && content[len(content)-1] != '\n' {
		line = "\n" + line
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Close())
}
