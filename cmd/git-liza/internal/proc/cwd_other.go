//go:build !linux

package proc

import (
	"os"
	"path/filepath"
)

// workingFolders returns that of this process: this system does not tell those of others.
func workingFolders() []string {
	at, _ := os.Getwd()
	at, _ = filepath.EvalSymlinks(at)
	return []string{at} // "" is below no folder
}
