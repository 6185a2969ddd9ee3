package stubs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// The states of a hook.
const (
	Present  = "installed"
	Missing  = "missing"  // removed since
	Changed  = "changed"  // by another program or a user since
	Damaged  = "damaged"  // empty, cut off or not executable: git runs nothing of it
	Disabled = "disabled" // left out on request
	Bypassed = "bypassed" // git looks for its hooks in another folder by now
	Outdated = "outdated" // from an earlier program, or for another one or another branch
)

// A Hook is a hook of git liza in a repository, in one of the states above.
type Hook struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	State string `json:"state"`
	First string `json:"first,omitempty"` // the hook that ours calls first
}

// Installed is the present state of what Install left in a repository. Hooks is empty
// if nothing is installed.
type Installed struct {
	Server      bool   `json:"server"`
	Integration string `json:"integration"` // "" if it is not known yet
	Binary      string `json:"binary"`      // "" if PATH is searched
	BinaryFound bool   `json:"binary_found"`
	Fsck        bool   `json:"fsck_objects"` // of a server: git refuses malformed objects
	Hooks       []Hook `json:"hooks"`
}

// Whole reports whether all hooks that were asked for are in place.
func (i Installed) Whole() bool {
	lacks := func(h Hook) bool { return h.State != Present && h.State != Disabled }
	return len(i.Hooks) > 0 && i.BinaryFound && !slices.ContainsFunc(i.Hooks, lacks)
}

// Guards reports whether a hook judges every ref transaction.
func (i Installed) Guards() bool {
	return slices.ContainsFunc(i.Hooks, func(h Hook) bool { return h.Name == transaction && h.State == Present })
}

// Examine returns which hooks are in the repository. It starts no process if the
// configuration has been read before.
func Examine(ctx context.Context, repo *git.Repo) (Installed, error) {
	r, err := readRecord(repo)
	if err != nil || r == nil {
		return Installed{Hooks: []Hook{}}, err
	}
	i := Installed{Server: r.Options.Server, Integration: r.Options.Integration, Binary: r.Options.Binary, Hooks: []Hook{}}
	i.BinaryFound = r.Options.findsProgram()
	checks, err := repo.Config.Config(ctx, checksObjects)
	if err != nil {
		return i, err
	}
	i.Fsck = git.IsTrue(checks)
	bypassed, err := r.isBypassed(ctx, repo)
	if err != nil {
		return i, err
	}
	judges := r.Options.judgingHooks()
	for _, f := range r.Files {
		judge := slices.Contains(judges, f.Name)
		h := Hook{Name: f.Name, Path: r.absPath(f.Path), State: r.stateOf(f)}
		if f.Kept != "" {
			h.First = r.absPath(f.Kept)
		}
		if judge && h.State == Present {
			switch {
			case bypassed:
				h.State = Bypassed
			case r.Version < stubVersion:
				h.State = Outdated
			}
		}
		if judge || h.State != Present {
			i.Hooks = append(i.Hooks, h)
		}
	}
	for _, name := range judges {
		if !slices.ContainsFunc(r.Files, func(f file) bool { return f.Name == name }) {
			i.Hooks = append(i.Hooks, Hook{Name: name, Path: filepath.Join(r.common, "hooks", name), State: Missing})
		}
	}
	if r.Options.NoReferenceTransaction && !r.Options.Server {
		i.Hooks = append(i.Hooks, Hook{Name: transaction, State: Disabled})
	}
	return i, nil
}

// isBypassed reports whether git, here or in another work tree, looks for its hooks in a
// folder without stubs.
func (r *record) isBypassed(ctx context.Context, repo *git.Repo) (bool, error) {
	folder, err := repo.Config.Config(ctx, hooksPath)
	if err != nil {
		return false, err
	}
	switch {
	case folder == "":
		folder = filepath.Join(r.common, "hooks")
	case !filepath.IsAbs(folder):
		out, err := repo.Git(ctx, "rev-parse", "--path-format=absolute", "--git-path", "hooks")
		if err != nil {
			return false, err
		}
		folder = strings.TrimSuffix(string(out), "\n")
	}
	if !r.installedIn(folder) {
		return true, nil
	}
	enabled, err := repo.Config.Config(ctx, "extensions.worktreeConfig")
	if err != nil || !git.IsTrue(enabled) {
		return false, err
	}
	files, err := worktreeConfigs(ctx, repo)
	if err != nil {
		return false, err
	}
	for _, path := range files {
		own, err := configValues(ctx, repo, path, hooksPath)
		if err != nil || len(own) > 0 && !r.installedIn(lastValue(own)) {
			return true, err
		}
	}
	return false, nil
}

// installedIn reports whether a folder holds stubs of this package.
func (r *record) installedIn(folder string) bool {
	return slices.ContainsFunc(r.Files, func(f file) bool { return filepath.Dir(r.absPath(f.Path)) == filepath.Clean(folder) })
}

// findsProgram reports whether the stubs would find git-liza.
func (o Options) findsProgram() bool {
	return isExecutable(o.Binary) || slices.ContainsFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, "git-liza"))
		return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
	})
}

func (r *record) stateOf(f file) string {
	switch {
	case !exists(r.absPath(f.Path)):
		return Missing
	case r.isChanged(f):
		return Changed
	case r.isTorn(f):
		return Damaged
	case !r.isOurs(f):
		return Missing // an installation was interrupted
	case !isExecutable(r.absPath(f.Path)):
		return Damaged
	case !r.isCurrent(f):
		return Outdated
	}
	return Present
}
