package work

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
)

// earlierFiles are what earlier programs kept in git liza's folder of the git directory. No
// command reads it any more.
var earlierFiles = []string{
	"recall-*.db", "recall-*.db-*", "recall.lock", // the index of recall
	"removed",   // extensions that were removed here
	"merge.git", // where merges were computed
}

// earlier names what is left over from earlier programs.
func (d *Doctor) earlier() []Finding {
	folder := filepath.Join(d.repo.CommonDir(), layout.Private)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return []Finding{bad("leftovers", "ls -l "+shell.Quote(folder), "%v", err)}
	}
	var left []string
	for _, e := range entries {
		if slices.ContainsFunc(earlierFiles, func(pattern string) bool { ok, _ := filepath.Match(pattern, e.Name()); return ok }) {
			left = append(left, shell.Quote(filepath.Join(folder, e.Name())))
		}
	}
	if len(left) == 0 {
		return nil
	}
	return []Finding{{"leftovers", "warn", "earlier programs have left what no command reads: " + someOf(left), "rm -r " + strings.Join(left, " ")}}
}
