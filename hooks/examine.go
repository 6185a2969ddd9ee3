package hooks

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/gitstore"
)

// The states of a hook.
const (
	Present  = "installed"
	Missing  = "missing"  // removed since
	Changed  = "changed"  // by somebody else since
	Disabled = "disabled" // left out on request
	Bypassed = "bypassed" // git looks for its hooks elsewhere by now
)

// A Hook is one of ours in a repository, in one of the states above.
type Hook struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	State string `json:"state"`
	First string `json:"first,omitempty"` // the hook that ours calls first
}

// Installed is what Install left in a repository, as it is now. Hooks is empty
// where nothing is installed.
type Installed struct {
	Server      bool   `json:"server"`
	Integration string `json:"integration"` // "" while it is not known
	Binary      string `json:"binary"`      // "" if it is looked for on PATH
	BinaryFound bool   `json:"binary_found"`
	Hooks       []Hook `json:"hooks"`
}

// Whole tells whether all hooks are in place that were asked for.
func (i Installed) Whole() bool {
	for _, h := range i.Hooks {
		if h.State != Present && h.State != Disabled {
			return false
		}
	}
	return len(i.Hooks) > 0 && i.BinaryFound
}

// Examine tells which hooks are in the repository.
func Examine(ctx context.Context, repo *gitstore.Repo) (Installed, error) {
	return Installed{}, errors.ErrUnsupported
}
