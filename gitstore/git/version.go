package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// oldest is the oldest git 2.x that is promised: that of Debian 12.
const oldest = 39

// ErrTooOld is wrapped by Open when git is too old. The command line tests it, as
// ErrTooOldHere, to tell the user to upgrade.
var ErrTooOld = errors.New("git is too old, 2.39 or newer is needed")

// ErrTooOldHere is wrapped when git is too old for the form of this repository.
var ErrTooOldHere = errors.New("git is too old for this repository")

// extensions are those of a repository's form that git learned after the oldest, with the
// version that did.
var extensions = map[string]int{"refstorage": 45, "compatobjectformat": 45, "relativeworktrees": 48, "submodulepathconfig": 54}

// judgeForm returns ErrTooOldHere if git refuses the repository of a folder because it is too
// old for its form, else err.
func judgeForm(dir, version string, err error) error {
	gitDir := cmp.Or(os.Getenv("GIT_DIR"), gitDirAbove(dir))
	text, _ := ReadSmall(filepath.Join(commonDirOf(gitDir), "config"))
	lines, _ := parseConfigText(text)
	for _, line := range lines {
		if need := extensions[strings.TrimPrefix(line.key, "extensions.")]; !isNew(version, need) {
			return fmt.Errorf("%w: %s = %s needs 2.%d or newer, and this is %s", ErrTooOldHere, line.key, line.value, need, version)
		}
	}
	return err
}

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

// checkVersion refuses a git older than the oldest, after asking for the version if
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
	if !isNew(*version, oldest) {
		return fmt.Errorf("%w: this is %s", ErrTooOld, *version)
	}
	return nil
}

// isNew reports whether a version of git is 2.least or newer.
func isNew(version string, least int) bool {
	var major, minor int
	_, err := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return err == nil && (major > 2 || major == 2 && minor >= least)
}
