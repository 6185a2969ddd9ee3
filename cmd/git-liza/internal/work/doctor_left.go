package work

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
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

// Unmerged says which files of the main work tree would be told to agents if integration had
// them as they are there: what a person has edited counts when it is merged.
func (d *Doctor) Unmerged(ctx context.Context, b *board.Board) []Finding {
	files, err := git.FilesAt(ctx, d.repo, b.Settings().Integration.Tip, extension.MaxFile)
	if err != nil || d.repo.MainWorkTree() == "" {
		return nil // others say what cannot be read
	}
	root, err := os.OpenRoot(d.repo.MainWorkTree())
	if err != nil {
		return nil
	}
	defer root.Close()
	tops := []string{".liza/prompts", extension.Folder}
	for _, row := range b.Roles() {
		if row.Persona != "" {
			tops = append(tops, row.Persona)
		}
	}
	var differ []string
	for _, top := range tops {
		_ = fs.WalkDir(root.FS(), top, func(name string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return nil
			}
			info, err := e.Info()
			if err != nil || info.Size() > extension.MaxFile {
				return nil
			}
			here, err := fs.ReadFile(root.FS(), name)
			if there, missing := fs.ReadFile(files, name); err == nil && (missing != nil || !bytes.Equal(here, there)) {
				differ = append(differ, name)
			}
			return nil
		})
	}
	if slices.Sort(differ); len(differ) == 0 {
		return nil
	}
	return []Finding{{"instructions", "warn", "agents see what integration has: commit and adopt " + git.VisibleList(slices.Compact(differ), 5),
		"git liza adopt HEAD --reason R"}}
}
