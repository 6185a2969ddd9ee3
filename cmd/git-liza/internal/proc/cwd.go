package proc

import (
	"path/filepath"
	"slices"
	"strings"
)

// WorksIn reports whether the working folder of a process is a folder or below it. Of other
// processes it knows what the system and their owners let this user see.
func WorksIn(folder string) bool {
	return slices.ContainsFunc(workingFolders(), func(at string) bool { return isBelow(folder, at) })
}

// isBelow reports whether a folder without links is another folder or below it.
func isBelow(folder, at string) bool {
	folder, err := filepath.EvalSymlinks(folder)
	return err == nil && (at == folder || strings.HasPrefix(at, folder+string(filepath.Separator)))
}
