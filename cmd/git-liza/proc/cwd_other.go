//go:build !linux

package proc

import (
	"os"
	"path/filepath"
)

// workingFolders returns that of this process: this system does not tell those of others.
func workingFolders() []string {
	at, err := os.Getwd()
	if err == nil {
		at, err = filepath.EvalSymlinks(at)
	}
	if err != nil {
		return nil
	}
	return []string{at}
}
