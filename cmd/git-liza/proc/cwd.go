package proc

import (
	"path/filepath"
	"slices"
	"strings"
)

// WorksIn reports whether the working folder of a process is a folder or below it. Of other
// processes it knows what the system and their owners let this user see.
func WorksIn(folder string) bool {
	folder, err := filepath.EvalSymlinks(folder)
	return err == nil && slices.ContainsFunc(workingFolders(), func(at string) bool {
		return at == folder || strings.HasPrefix(at, folder+string(filepath.Separator))
	})
}
