package stubs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
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
	// Integration is the branch that the board guards. It is "" as long as there is no
	// board: then the hooks ask about every branch until [SetIntegration] sets it.
	Integration string
	// Admin and AdminKey, on a server, are the principal that has to make the first
	// push, and its public key; "" leaves them as they are.
	Admin, AdminKey string `json:"-"`
	// Fsync is liza.fsync of a server. Install reads it.
	Fsync string `json:",omitempty"`
}

// Install puts the hooks into the repository, beside existing hooks. If they are
// installed already, it updates them to the options. The error is a *Refusal, or one of
// git or of the file system: Install completes, and Uninstall undoes, what was done
// until then.
func Install(ctx context.Context, repo *git.Repo, o Options) error {
	if err := checkRepository(repo, o); err != nil {
		return err
	}
	release, err := repo.Turns.Queue(ctx)
	if err != nil {
		return err
	}
	defer release()
	r, err := readRecord(repo)
	if err != nil {
		return err
	}
	if r == nil {
		r = &record{common: repo.CommonDir()}
	} else if r.Options.Server != o.Server {
		return &Refusal{Rule: RuleInstalled, Hint: "git liza hooks uninstall", Reason: "other hooks of git liza are installed here"}
	}
	return r.install(ctx, repo, o)
}

// checkRepository refuses the hooks of a server in a clone, and the other way round.
func checkRepository(repo *git.Repo, o Options) error {
	bare := repo.MainWorkTree() == ""
	switch {
	case o.Server && !bare:
		return &Refusal{Rule: RuleNotBare, Hint: "git clone --bare " + shell.Quote(repo.MainWorkTree()) + " SERVER.git",
			Reason: "a server is a bare repository, and this one has a work tree"}
	case !o.Server && bare:
		return &Refusal{Rule: RuleBare, Hint: "git liza hooks install --server",
			Reason: "a bare repository is for pushing to: it needs the hooks of a server"}
	}
	return nil
}

func (r *record) install(ctx context.Context, repo *git.Repo, o Options) error {
	sites, err := r.findSites(ctx, repo)
	if err != nil {
		return err
	}
	if o.Server {
		if o.Fsync, err = repo.Config.Config(ctx, "liza.fsync"); err != nil {
			return err
		}
	}
	r.Options, r.Version = o, stubVersion
	wanted := r.wantedStubs(sites, o)
	if err := r.dropUnwanted(wanted); err != nil {
		return err
	}
	for _, w := range wanted {
		if err := r.putStub(w); err != nil {
			return fmt.Errorf("hook %s: %w", w.path, err)
		}
	}
	for _, s := range sites {
		if s.file == "" {
			continue
		}
		if err := r.setKey(ctx, repo, s.file, hooksPath, s.dir); err != nil {
			return err
		}
	}
	if err := r.checkEffective(ctx, repo, sites); err != nil {
		_, undone := r.uninstall(ctx, repo)
		return errors.Join(err, undone)
	}
	for _, s := range serverSettings(o) {
		if err := r.setKey(ctx, repo, "config", s[0], s[1]); err != nil {
			return err
		}
	}
	if err := r.save(); err != nil {
		return err
	}
	// An empty hook, as a power cut may leave it, would let everything pass.
	return repo.Flusher.SyncFiles(ctx, r.writtenFiles()...)
}

// checksObjects is the setting that has git refuse malformed objects. Without it a
// server could accept objects that clones which check them could not fetch.
const checksObjects = "receive.fsckObjects"

// serverSettings returns the settings that the hooks of a server rely on: reflogs for
// repairs, push options, objects and refs synced to disk before they count, well-formed
// objects, and the first admin.
func serverSettings(o Options) [][2]string {
	if !o.Server {
		return nil
	}
	list := [][2]string{{"core.logAllRefUpdates", "always"}, {"receive.advertisePushOptions", "true"}, {checksObjects, "true"}}
	if o.syncs() { // loose objects are pre-receive's
		list = append(list, [2]string{"core.fsync", "pack,pack-metadata,reference"}, [2]string{"core.fsyncMethod", "batch"})
	}
	if o.Admin != "" {
		list = append(list, [2]string{"liza.server.admin", o.Admin}, [2]string{"liza.server.adminKey", o.AdminKey})
	}
	return list
}

// syncs reports whether a server has on the disk what it answers.
func (o Options) syncs() bool { return o.Fsync != "none" }

// A wantedStub is a stub that has to be at a path.
type wantedStub struct {
	name  string
	path  string
	old   string // the hook of another folder that the stub calls
	stand bool   // the stub's folder stands in for another one
}

func (r *record) wantedStubs(sites []site, o Options) []wantedStub {
	var list []wantedStub
	for _, s := range sites {
		names := o.judgingHooks()
		if s.old != "" {
			there := lists.Where(replacingHooks, func(name string) bool { return exists(filepath.Join(s.old, name)) })
			names = slices.Concat(knownHooks, there)
		}
		for _, name := range names {
			w := wantedStub{name: name, path: filepath.Join(s.dir, name), stand: s.old != ""}
			if w.stand {
				w.old = filepath.Join(s.old, name)
			}
			list = append(list, w)
		}
	}
	return list
}

// dropUnwanted removes stubs that are not wanted any more.
func (r *record) dropUnwanted(wanted []wantedStub) error {
	for _, f := range slices.Clone(r.Files) {
		if slices.ContainsFunc(wanted, func(w wantedStub) bool { return w.path == r.absPath(f.Path) }) {
			continue
		}
		if _, err := r.removeStub(f); err != nil {
			return err
		}
	}
	return nil
}

// putStub writes one stub to its path. An existing hook gets a second link before it is
// replaced, so that a hook exists at any time. A stub that was changed since stays as
// it is.
func (r *record) putStub(w wantedStub) error {
	rel, err := r.relPath(w.path)
	if err != nil {
		return err
	}
	if err := r.makeFolder(filepath.Dir(w.path)); err != nil {
		return err
	}
	if info, err := os.Stat(w.path); err == nil && info.IsDir() {
		return &Refusal{Rule: RuleHook, Hint: "ls -l " + shell.Quote(w.path), Reason: w.path + " is a folder"}
	}
	f := r.findFile(rel)
	known := f != nil
	if !known {
		f = &file{Name: w.name, Path: rel}
		if exists(w.path) {
			f.Kept = r.unusedName(rel)
		}
		r.Files = append(r.Files, *f)
		f = &r.Files[len(r.Files)-1]
	}
	f.Old = w.old
	if known && r.isChanged(*f) || r.isCurrent(*f) && isExecutable(w.path) {
		return nil
	}
	if err := r.save(); err != nil {
		return err
	}
	if f.Kept != "" && !exists(r.absPath(f.Kept)) {
		if err := keepOriginal(w.path, r.absPath(f.Kept)); err != nil {
			return err
		}
	}
	return placeFile(w.path, r.stubText(*f), 0o777)
}

// keepOriginal gives a hook a second name. On a file system without hard links it renames the
// hook.
func keepOriginal(path, kept string) error {
	err := os.Link(path, kept)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) || err == nil {
		return err
	}
	return os.Rename(path, kept)
}

// unusedName returns an unused name beside the hook at a path.
func (r *record) unusedName(path string) string {
	kept := path + ".before-liza"
	for n := 2; exists(r.absPath(kept)); n++ {
		kept = path + ".before-liza." + strconv.Itoa(n)
	}
	return kept
}

// isChanged reports whether the path of an entry holds the hook of another program or
// of a user.
func (r *record) isChanged(f file) bool { return r.isReplaced(f) && !r.isTorn(f) }

// isReplaced reports whether the path of an entry holds something else than the entry's
// whole stub. A file that an interrupted installation was about to replace does not
// count.
func (r *record) isReplaced(f file) bool {
	path := r.absPath(f.Path)
	if !exists(path) || r.isOurs(f) {
		return false
	}
	return f.Kept == "" || exists(r.absPath(f.Kept)) && !sameFile(path, r.absPath(f.Kept))
}

// isTorn reports whether the path of an entry holds only the beginning of the stub, or
// zeros, as after a power cut.
func (r *record) isTorn(f file) bool {
	path := r.absPath(f.Path)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || !r.isReplaced(f) {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && bytes.HasPrefix(r.stubText(f), bytes.TrimRight(text, "\x00"))
}

// SetIntegration sets the name of the integration branch in installed hooks, once a
// board has arrived. If no hooks are installed or the name is set, it does nothing.
// Errors are those of [Install].
func SetIntegration(ctx context.Context, repo *git.Repo, integration string) error {
	r, err := readRecord(repo)
	if err != nil || r == nil || r.Options.Integration == integration {
		return err
	}
	o := r.Options
	o.Integration = integration
	return Install(ctx, repo, o)
}
