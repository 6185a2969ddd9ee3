package proc

import (
	"os"
	"path/filepath"
	"strings"
)

// WorksIn reports whether the working folder of a process, as far as this user may see it,
// is a folder or below it.
func WorksIn(folder string) bool {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		at, err := os.Readlink(link)
		if err == nil && (at == folder || strings.HasPrefix(at, folder+"/")) {
			return true
		}
	}
	return false
}
