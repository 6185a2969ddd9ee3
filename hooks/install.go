package hooks

import (
	"context"
	"errors"

	"github.com/git-liza/git-liza/gitstore"
)

// Options say what Install installs.
type Options struct {
	// Server installs the hooks of a shared remote, which must be bare.
	Server bool
	// NoReferenceTransaction leaves out, on a clone, the hook that costs every
	// ref transaction a few milliseconds.
	NoReferenceTransaction bool
	// Binary is the absolute path of git-liza; "" finds it on PATH when a hook runs.
	Binary string
	// Integration is the branch that the board guards; "" while there is no
	// board: then every branch is asked about until [Learn] is told.
	Integration string
	// Admin and AdminKey, on a server, name the principal that the first push
	// must come from and its public key; "" leaves them as they are.
	Admin, AdminKey string
}

// Install puts the hooks into the repository, beside what is there; again, it
// brings them to the options given. Errors are *flow.Refusal or of the file
// system; what was done then is completed by Install and undone by Uninstall.
func Install(ctx context.Context, repo *gitstore.Repo, o Options) error {
	return errors.ErrUnsupported
}

// Learn tells installed hooks the name of the integration branch, once a board
// has arrived. Without hooks, or where they know it, it does nothing.
func Learn(ctx context.Context, repo *gitstore.Repo, integration string) error {
	return errors.ErrUnsupported
}

// Uninstall restores what Install found, byte for byte. Files that somebody
// changed since stay as they are and are returned.
func Uninstall(ctx context.Context, repo *gitstore.Repo) (left []string, err error) {
	return nil, errors.ErrUnsupported
}
