//go:build !linux

package proc

import (
	"os"
	"path/filepath"
	"strings"
)

// WorksIn reports whether the working folder of this process is a folder or below it. This
// system does not tell those of other processes.
func WorksIn(folder string) bool {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	at, err := os.Getwd()
	if err == nil {
		at, err = filepath.EvalSymlinks(at)
	}
	return err == nil && (at == folder || strings.HasPrefix(at, folder+string(filepath.Separator)))
}
