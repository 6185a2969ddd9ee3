package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// ErrTooOld is wrapped by Open when git lacks `merge-tree --write-tree`.
// The command line tests it to tell the user to upgrade.
var ErrTooOld = errors.New("git is too old, 2.38 or newer is needed")

// versionEvent is what git's trace2 (its format is documented and stable)
// says first about the git that runs.
var versionEvent = pattern.Late(`"event":"version".*"exe":"([^"]+)"`)

// runVersioned runs git and learns its version on the way, which saves every
// command the process that `git version` would be. version is "" where git
// does not tell.
func (p *process) runVersioned() (out []byte, version string, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	p.ExtraFiles = []*os.File{w} // descriptor 3
	p.Env = append(p.Env, "GIT_TRACE2_EVENT=3", "GIT_TRACE2_EVENT_NESTING=0")
	out, err = p.run()
	w.Close()
	events, _ := io.ReadAll(io.LimitReader(r, 64<<10))
	if found := versionEvent().FindSubmatch(events); found != nil {
		version = string(found[1])
	}
	return out, version, err
}

// checkVersion refuses a git older than 2.38, after asking for the version if
// it is not known.
func checkVersion(ctx context.Context, version *string) error {
	if *version == "" {
		p := newProcess(ctx, gitLimit, []string{"version"})
		defer p.cancel()
		out, err := p.run()
		if err != nil {
			return err
		}
		*version = strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	}
	if !isNew(*version) {
		return fmt.Errorf("%w: this is %s", ErrTooOld, *version)
	}
	return nil
}

// isNew reports whether a version of git is 2.38 or newer.
func isNew(version string) bool {
	var major, minor int
	_, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return err == nil && (major > 2 || major == 2 && minor >= 38)
}
