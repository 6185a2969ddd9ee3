package work

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Unmerged says which files of the main work tree would be told to agents if integration had
// them as they are there: what a person has edited counts when it is merged.
func (d *Doctor) Unmerged(ctx context.Context, b *flow.Board) []Finding {
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
