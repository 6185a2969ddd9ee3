package worktrees

import (
	"fmt"

	"github.com/git-liza/git-liza/gitstore/git"
)

// An Obstacle is a folder, a branch or a lock in the way that this package did not
// make. Nothing was changed. Path or Branch says which one, Hint is a command to type,
// or "".
type Obstacle struct {
	Path, Branch string
	Reason       string
	Hint         string
}

// Error says what is in the way and why.
func (o *Obstacle) Error() string {
	if o.Path == "" {
		return fmt.Sprintf("branch %s %s", o.Branch, o.Reason)
	}
	return fmt.Sprintf("%s %s", git.Visible(o.Path), o.Reason)
}

// A Dirty is a work tree with local changes that keep it from following its branch.
// Paths are relative to it; Hint is a command to type.
type Dirty struct {
	Path  string
	Paths []string
	Hint  string
}

// Error names the work tree and the first of its paths.
func (d *Dirty) Error() string {
	return fmt.Sprintf("%s has local changes: %s", d.Path, git.VisibleList(d.Paths, 5))
}

// A CheckoutError says that git could not write the files of a checkout, because of the
// commit or the disk. Nothing of the checkout is left.
type CheckoutError struct {
	Path   string
	Commit ID
	Err    error
}

// Error names the commit and git's error.
func (e *CheckoutError) Error() string {
	return fmt.Sprintf("%s cannot be checked out: %v", git.ShortOrNone(e.Commit), e.Err)
}

// Unwrap returns git's error.
func (e *CheckoutError) Unwrap() error { return e.Err }

// A HookError says that the user's post-checkout hook failed in a checkout that is
// itself complete and usable.
type HookError struct {
	Path string
	Err  error
}

// Error names the checkout and the hook's error.
func (e *HookError) Error() string {
	return fmt.Sprintf("post-checkout hook in %s: %v", e.Path, e.Err)
}

// Unwrap returns git's error.
func (e *HookError) Unwrap() error { return e.Err }

// A Kept says that what was found in the place of a checkout, or of the repository inside, is
// under a name that stays. The checkout is made again and complete.
type Kept struct{ From, To string }

// Error names both.
func (k *Kept) Error() string { return fmt.Sprintf("%s was replaced and is kept in %s", k.From, k.To) }
