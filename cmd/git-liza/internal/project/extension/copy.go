package extension

import (
	"io/fs"
	"os"
	"path/filepath"
)

// CopyTo puts the files of the extension into a folder, in place of all that is there. It
// copies them beside that folder first, so that no half of an extension is ever there.
func (i *Installed) CopyTo(folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(folder), Half)
	if err != nil {
		return err
	}
	defer os.RemoveAll(half)
	if err := os.Chmod(half, 0o755); err != nil {
		return err
	}
	for _, name := range i.Files {
		if err := copyFile(i.FS, name, half); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.Rename(half, folder)
}

// copyFile copies a file below a folder. Only that it can be executed is kept of its mode.
func copyFile(from fs.FS, name, folder string) error {
	text, err := fs.ReadFile(from, name)
	if err != nil {
		return err
	}
	info, err := fs.Stat(from, name)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	to := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, mode)
}
