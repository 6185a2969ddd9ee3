package demo

import (
	"embed"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// product is the content of the repository before any agent works: a spec, the runner
// of the tests, and the playbook.
//
//go:embed product
var product embed.FS

// unpack writes the product's files below dir.
func unpack(dir string) error {
	return fs.WalkDir(product, "product", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("product", name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		if entry.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		data, err := product.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o666)
	})
}

// keepTasks removes from the playbook the tasks that are not kept.
func keepTasks(dir string, keep func(board.TaskInput) bool) error {
	file := filepath.Join(dir, filepath.FromSlash(playbook.DefaultPath))
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p, err := playbook.Parse(playbook.DefaultPath, data)
	if err != nil {
		return err
	}
	gone := map[board.TaskID]bool{}
	p.Plan = slices.DeleteFunc(p.Plan, func(t board.TaskInput) bool {
		gone[t.ID] = !keep(t)
		return gone[t.ID]
	})
	if !slices.Contains(slices.Collect(maps.Values(gone)), true) {
		return nil
	}
	p.Work = slices.DeleteFunc(p.Work, func(w playbook.Work) bool { return gone[w.Task] })
	text, err := document.Encode(p)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}
