package gitstore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A summaryCache keeps what was derived of the folders of tasks, in memory and on disk.
// All of it is safe to delete: what is not there, or is not as this program writes it, is
// derived anew.
type summaryCache struct {
	dir  string // "" if nothing is kept on disk
	all  *extract
	work *extract // tasks in work alone

	stored map[shardName]git.ID // the trees of the file of all
}

func newSummaryCache(dir string) *summaryCache { return &summaryCache{dir: dir} }

// The files of a cache. Between two readings few folders change: those are in a small file
// beside the large one, until it grows.
const (
	allFile   = "summaries"
	laterFile = "summaries-later" // takes the place of some folders of the other one
	workFile  = "work"
)

const (
	// smallBoard is how many tasks need no small file.
	smallBoard = 500
	// laterShare is the part of all tasks that the small file has at most.
	laterShare = 8
	// manyFolders is how many folders of tasks in work are not derived one by one.
	manyFolders = 16
)

// read is the extract in a file, an empty one if there is none.
func (c *summaryCache) read(name, which string) *extract {
	if c.dir == "" {
		return &extract{}
	}
	x, err := readExtract(which, filepath.Join(c.dir, name))
	if err != nil {
		return &extract{}
	}
	return x
}

// write writes the file of an extract. A failure costs time only.
func (c *summaryCache) write(name, which string, x *extract) error {
	return git.ReplaceFile(filepath.Join(c.dir, name), x.encode(which))
}

// summaries are the summaries of all tasks in the folders of a state.
func (c *summaryCache) summaries(s snapshot, folders []git.Entry) ([]*board.Summary, error) {
	if c.all == nil {
		x, later := c.read(allFile, everyTask), c.read(laterFile, everyTask)
		c.all, c.stored = x.with(later.trees, later.rows), x.trees
	}
	changed := c.all.differing(folders)
	if len(changed) == 0 {
		return slices.Clip(c.all.rows), nil
	}
	x, err := s.derive(c.all, changed, nil)
	if err != nil {
		return nil, err
	}
	c.all = x
	if c.dir != "" {
		c.save()
	}
	return slices.Clip(x.rows), nil
}

// save writes the summaries of all tasks, or of what differs from the file of all.
func (c *summaryCache) save() {
	stored := extract{trees: c.stored}
	changed := stored.differing(c.all.folders())
	later := c.all.part(changed)
	if len(c.all.rows) >= smallBoard && len(later.rows) <= len(c.all.rows)/laterShare {
		_ = c.write(laterFile, everyTask, later)
		return
	}
	if c.write(allFile, everyTask, c.all) == nil {
		c.stored = c.all.trees
		c.prune()
	}
}

// prune removes what nobody reads: the small file once the large one has all, what earlier
// versions kept, and what a killed process left.
func (c *summaryCache) prune() {
	_ = os.Remove(filepath.Join(c.dir, laterFile))
	list, _ := os.ReadDir(c.dir)
	for _, e := range list {
		name, _, temporary := strings.Cut(e.Name(), ".")
		switch ours := name == allFile || name == laterFile || name == workFile; {
		case len(name) == len(shardName{}):
		case !ours || !temporary:
			continue
		default:
			if info, err := e.Info(); err != nil || time.Since(info.ModTime()) < time.Hour {
				continue // it is being written
			}
		}
		_ = os.Remove(filepath.Join(c.dir, e.Name()))
	}
}

// inWork are the summaries of the tasks in work in the folders of a state.
func (c *summaryCache) inWork(s snapshot, folders []git.Entry) ([]*board.Summary, error) {
	if c.work == nil {
		c.work = c.read(workFile, inWork)
	}
	changed := c.work.differing(folders)
	if len(changed) == 0 {
		return slices.Clip(c.work.rows), nil
	}
	var x *extract
	var err error
	if len(changed) > manyFolders {
		_, err = c.summaries(s, folders)
		x = c.all.matching((*board.Summary).IsInWork)
	} else {
		x, err = s.derive(c.work, changed, (*board.Summary).IsInWork)
	}
	if err != nil {
		return nil, err
	}
	c.work = x
	if c.dir != "" {
		_ = c.write(workFile, inWork, x)
	}
	return slices.Clip(x.rows), nil
}
