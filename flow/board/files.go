package board

import (
	"slices"

	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
)

// Files are the paths that the work on a task creates, changes and reads, relative to
// the repository. They are no patterns; a slash at the end means a folder.
type Files struct {
	Create []string `yaml:"create"`
	Modify []string `yaml:"modify"`
	Read   []string `yaml:"read"`
}

// A Step is one step of the work on a task, as its plan has it.
type Step struct {
	Step   int    `yaml:"step"` // its number
	Action string `yaml:"action"`
	Run    string `yaml:"run"`    // a command
	Expect string `yaml:"expect"` // what it prints or makes
}

// Written are the paths that the work creates or changes; none of nil.
func (f *Files) Written() []string {
	if f == nil {
		return nil
	}
	return slices.Concat(f.Create, f.Modify)
}

// owned are the globs of the paths that the work creates or changes.
func (f *Files) owned() []string {
	return lists.Of(f.Written(), glob.Quote)
}
