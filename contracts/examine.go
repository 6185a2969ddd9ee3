package contracts

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/git-liza/git-liza/flow/lists"
)

// A State compares a file of a project with what Install would write.
type State string

// The states of files. Only Current means that the file is what this program
// would write.
const (
	Current  State = "current"
	Outdated State = "outdated" // as an older version of git liza wrote it
	Newer    State = "newer"    // as a newer version of git liza wrote it
	Changed  State = "changed"  // changed by hand since it was installed
	Missing  State = "missing"  // the file, or the block in an entry file, is missing
	Foreign  State = "foreign"  // a file or block of that name that Install did not write
	Barred   State = "barred"   // cannot be read or written, see the reason
	Obsolete State = "obsolete" // as it was installed, and no longer wanted
)

// An Entry is a file of a project and what was done with it.
type Entry struct {
	Path   string `json:"path"`
	State  State  `json:"state"`            // as it was found
	Done   Deed   `json:"done,omitempty"`   // what became of it
	Reason string `json:"reason,omitempty"` // why it is barred
	Copy   string `json:"copy,omitempty"`   // the copy of the previous file
}

// A Deed is what an installation did with a file.
type Deed string

// The deeds. A file without a deed was right and did not change.
const (
	Written Deed = "written"
	Removed Deed = "removed"
	Kept    Deed = "kept" // not changed, although it should have been
)

// A Report lists the files of an installation, sorted by path.
type Report struct {
	Installed bool // contracts are installed
	Target    Target
	Entries   []Entry
}

// Kept returns the entries that stayed although they should have changed.
func (r Report) Kept() []Entry {
	return slices.DeleteFunc(slices.Clone(r.Entries), func(e Entry) bool { return e.Done != Kept })
}

// Changed reports whether anything was written or removed.
func (r Report) Changed() bool {
	return slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.Done == Written || e.Done == Removed })
}

// Examine looks at the project in a folder and changes nothing. skills are those of
// [Target]. The error is an *Unreadable if the manifest cannot be read.
func Examine(dir string, skills map[string]string) (Report, error) {
	p, err := openProject(dir)
	if err != nil {
		return Report{}, err
	}
	defer p.root.Close()
	target := p.target(Target{Skills: skills})
	return Report{Installed: p.installed, Target: target, Entries: lists.Of(p.items(target), (*item).entry)}, nil
}

// examine reads the file and finds its state.
func (p *project) examine(it *item) {
	if it.state == Barred {
		return
	}
	ours := p.was.files[it.path]
	if it.block {
		ours = p.was.blocks[it.path]
	}
	part, err := p.read(it)
	switch {
	case err != nil:
		it.state, it.reason = Barred, err.Error()
		return
	case part == nil:
		it.state = Missing
	case it.text != nil && digest(part) == digest(it.text):
		it.state = Current
		return
	case slices.Contains(ours, digest(part)):
		it.state = Outdated
	case len(ours) > 0:
		it.state = Changed
	default:
		it.state = Foreign
	}
	if it.text == nil && it.state == Outdated {
		it.state = Obsolete
	}
	if it.found != nil && it.mode&0o200 == 0 && (it.text != nil || it.state != Missing) {
		it.state, it.reason = Barred, "it is read-only"
	}
}

// read returns the text to compare: the whole file or its block, nil if there
// is none.
func (p *project) read(it *item) ([]byte, error) {
	var err error
	if it.lacking, err = p.lacking(path.Dir(it.path)); err != nil {
		return nil, err
	}
	info, err := p.root.Lstat(it.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, CauseOf(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("it is a symbolic link")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	}
	it.mode = info.Mode().Perm()
	if it.found, err = p.root.ReadFile(it.path); err != nil {
		return nil, CauseOf(err)
	}
	if !it.block {
		return it.found, nil
	}
	_, block, _, err := split(it.found)
	return block, err
}
