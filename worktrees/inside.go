package worktrees

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A checkout has two faces. Outside it is an entry among the clone's worktrees, with
// which this program's git works. Inside, its .git is a repository of its own that borrows
// the clone's objects: whatever an agent types there changes nothing else. What is written
// inside may be anything: it is read by this package alone, and decides nothing.

// insides makes and renews the repositories inside checkouts.
type insides struct {
	repo      *git.Repo
	registry  *registry
	isolation *isolation
	scratch   *scratch
	isFree    func(ctx context.Context, branch string) bool // whether work moves a task's branch

	integration func(context.Context) string // the name of that branch, "" if there is none
}

// inside is the git directory inside a checkout.
func (r record) inside() string { return filepath.Join(r.path, ".git") }

// stateDir is where git keeps what a rebase or a bisection has begun there.
func (r record) stateDir() string {
	if r.own {
		return r.inside()
	}
	return r.gitDir
}

// isInside reports whether a folder has a repository inside that this package made for the
// clone with a git directory. One that lies outside of the clone names where the clone was, after
// that was moved, and the clone there, if any, does not know it.
func isInside(dir, common string) bool {
	dotGit := filepath.Join(dir, ".git")
	clone := git.CloneOf(dotGit)
	if clone == common || clone == "" {
		return clone != ""
	}
	_, err := git.EntryOf(common, dotGit)
	_, oldErr := git.EntryOf(clone, dotGit)
	return err == nil && oldErr != nil
}

// Missing reports whether the folder of a checkout is missing, or what makes it one is, is so
// ruined that git takes it for no repository, or is another repository.
func Missing(dir string) bool { return isRuined(dir) || git.CloneOf(filepath.Join(dir, ".git")) == "" }

// isRuined reports whether git finds no repository in a folder, and the clone around it instead.
func isRuined(dir string) bool {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Lstat(dotGit)
	return err != nil || info.Mode().IsRegular() && info.Size() == 0 || info.IsDir() && !git.IsRepository(dotGit)
}

// make makes the repository inside the checkout. Its folder is there, and its entry.
func (i *insides) make(ctx context.Context, r record) error {
	refs, text, err := i.give(ctx, true)
	if err != nil {
		return err
	}
	local := i.localBranches(ctx, refs)
	files := map[string]string{"packed-refs": withRemotes(text, refs, local), "HEAD": "ref: refs/heads/.invalid\n",
		"objects/info/alternates": i.alternates(r, filepath.Join(r.inside(), "objects"), i.registry.common)}
	if len(local) > 0 {
		files["refs/remotes/origin/HEAD"] = "ref: refs/remotes/origin/" + local[0] + "\n"
	}
	inside := r.inside()
	for _, name := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "refs/remotes/origin", "info", "hooks"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(inside, filepath.FromSlash(name)), 0o777))
	}
	for name, text := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(inside, filepath.FromSlash(name)), []byte(text), 0o666))
	}
	for _, name := range []string{"info/exclude", "info/attributes", "info/sparse-checkout"} {
		err = errors.Join(err, copyIfThere(filepath.Join(inside, filepath.FromSlash(name)), filepath.Join(i.registry.common, filepath.FromSlash(name))))
	}
	config, configErr := i.config(ctx, r) // what it includes may depend on the rest
	err = errors.Join(err, configErr, os.WriteFile(filepath.Join(inside, "config"), []byte(config), 0o666))
	root, openErr := os.OpenRoot(inside)
	if err = errors.Join(err, openErr); err != nil {
		return r.fault(err)
	}
	defer root.Close()
	return r.fault(cmp.Or(i.passHooks(ctx, root), renewShallow(ctx, i.repo, root)))
}

// hookNames are the hooks of work in a checkout. Those that judge refs are the clone's.
var hookNames = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
	"commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "post-rewrite", "pre-auto-gc"}

// refusePush keeps an agent from sending its work elsewhere than through a review.
const refusePush = "[ -z \"$LIZA_AGENT_ID\" ] || { echo \"nothing is pushed from a worktree: git liza submit $LIZA_TASK\" >&2; exit 1; }\n"

// passHooks has the hooks inside run those of the clone that are there. What is there inside
// already is somebody's own, or runs the same.
func (i *insides) passHooks(ctx context.Context, root *os.Root) error {
	folder, err := i.repo.Config.HooksOfUser(ctx)
	if err != nil {
		return err
	}
	for _, name := range hookNames {
		hook, there := filepath.Join(folder, name), "hooks/"+name
		before := map[string]string{"pre-push": refusePush}[name]
		if _, err := root.Lstat(there); err == nil || before == "" && !fileExists(hook) {
			continue
		}
		text := "#!/bin/sh\n" + before + "[ ! -x " + shell.Quote(hook) + " ] || exec " + shell.Quote(hook) + " \"$@\"\n"
		if err := writeIn(root, there, []byte(text), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// relative is a path as it is named inside, seen from a folder there: relative where the checkout
// lies below the main work tree, so that a clone can be moved with all that is below it.
func (i *insides) relative(r record, from, path string) string {
	main := resolveLinks(i.registry.main)
	if !isBelow(main, r.path) || !isBelow(main, path) {
		return path
	}
	rel, _ := filepath.Rel(from, path) // both are absolute
	return rel
}

// isBelow is false for the folder "", as for each path that is not clean.
func isBelow(dir, path string) bool {
	return dir != "" && strings.HasPrefix(path, dir+string(filepath.Separator))
}

// alternates names the folders of objects of a repository in the clone, and those that it
// borrows from, one in a line, for a folder of objects in a checkout.
func (i *insides) alternates(r record, objects, common string) (text string) {
	stores, _ := git.Stores(filepath.Join(common, "objects")) // git says what it cannot read
	for _, store := range stores {
		text += i.relative(r, objects, store) + "\n"
	}
	return text
}

// leftOut are the keys, or what they begin with, of the clone's configuration that are
// about places, pushing, signing with the user's key, secrets or this program. The hooks inside
// run those of its folder.
var leftOut = []string{"core.worktree", "core.bare", "core.fsmonitor", "core.splitindex", "core.repositoryformatversion", "remote.", "branch.", "http.", "url.",
	"core.hookspath", "credential.", "include.", "includeif.", "lfs.storage", "liza.", "extensions.", "gc.", "commit.gpgsign", "tag.gpgsign",
	"sendemail.", "imap.", "github.", "gitlab.", "gitea."}

// config is the configuration inside: the clone's own, and what that includes, without what is left
// out.
func (i *insides) config(ctx context.Context, r record) (string, error) {
	own, err := i.repo.Config.SettingsFor(ctx, filepath.Join(i.registry.common, "config"), r.inside())
	sparse, sparseErr := i.isolation.sparse(ctx)
	if err := cmp.Or(err, sparseErr); err != nil {
		return "", err
	}
	own = append(own, sparse...)
	// A relative folder is looked for in each work tree by git itself.
	version, hooks := "0", ".git/hooks"
	if set, err := i.repo.Config.Config(ctx, "core.hooksPath"); err == nil && set != "" && set[0] != '~' && !filepath.IsAbs(set) {
		hooks = set
	}
	settings := slices.DeleteFunc(slices.Clone(own), func(s git.Setting) bool {
		if s.Key == "extensions.objectformat" {
			version = "1"
			return false
		}
		return s.IsAmong(leftOut) || s.NamesSecret()
	})
	for n := range settings {
		if !settings[n].IsAmong([]string{"filter.", "diff.", "merge."}) { // whose commands may be about addresses
			settings[n].Value = git.WithoutUser(settings[n].Value)
		}
	}
	settings = append(settings, git.Setting{Key: "core.repositoryformatversion", Value: version}, git.Setting{Key: "core.bare", Value: "false"},
		git.Setting{Key: "gc.auto", Value: "0"}, git.Setting{Key: "maintenance.auto", Value: "false"}, git.Setting{Key: "gc.writeCommitGraph", Value: "false"}, git.Setting{Key: "fetch.writeCommitGraph", Value: "false"},
		git.Setting{Key: "core.hooksPath", Value: hooks}, git.Setting{Key: "submodule.alternateErrorStrategy", Value: "info"},
		git.Setting{Key: "remote.origin.url", Value: i.relative(r, r.path, i.scratch.path(originName))},
		git.Setting{Key: "remote.origin.fetch", Value: "+refs/heads/*:refs/remotes/origin/*"},
		git.Setting{Key: "remote.origin.pushurl", Value: noPush}, git.Setting{Key: git.CloneKey, Value: i.relative(r, r.inside(), i.registry.common)})
	return git.RenderConfig(append(settings, promisor(own)...)), nil
}

// noPush is the address to which a checkout pushes.
const noPush = "nothing is pushed from a worktree, git liza submit TASK"

// promisor is the remote from which git fetches the objects that a partial clone lacks, under a
// name of its own and for nothing else.
func promisor(own []git.Setting) (settings []git.Setting) {
	for _, s := range own {
		remote, is := strings.CutSuffix(s.Key, ".promisor")
		if !is || !strings.HasPrefix(remote, "remote.") || !git.IsTrue(s.Value) {
			continue
		}
		settings = append(settings, git.Setting{Key: "remote.promisor.skipFetchAll", Value: "true"}, git.Setting{Key: "remote.promisor.pushurl", Value: noPush})
		for _, s := range own {
			if kind := strings.TrimPrefix(s.Key, remote+"."); kind == "url" || kind == "promisor" || kind == "partialclonefilter" {
				settings = append(settings, git.Setting{Key: "remote.promisor." + kind, Value: s.Value})
			}
		}
	}
	return settings
}

const packedHeader = "# pack-refs with: sorted \n"

// packed is the text of packed-refs.
func packed(refs map[string]ID) string {
	var text strings.Builder
	text.WriteString(packedHeader)
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		text.WriteString(string(refs[name]) + " " + name + "\n")
	}
	return text.String()
}

// withRemotes has each branch of a text of packed-refs as the remote has it, and the local ones.
func withRemotes(text string, refs map[string]ID, local []string) string {
	own := map[string]ID{}
	for _, branch := range local {
		own["refs/heads/"+branch] = refs["refs/heads/"+branch]
	}
	return packed(own) + strings.ReplaceAll(strings.TrimPrefix(text, packedHeader), " refs/heads/", " refs/remotes/origin/")
}

// localBranches are those of the clone's branches that a checkout has as its own: the default
// one, that of origin or of the main work tree, and integration.
func (i *insides) localBranches(ctx context.Context, refs map[string]ID) []string {
	ref, _ := i.repo.Refs.SymbolicRef(ctx, "refs/remotes/origin/HEAD")
	main := record{gitDir: i.registry.common}
	_ = i.registry.readHead(ctx, &main) // a checkout can do without
	local := []string{cmp.Or(strings.TrimPrefix(ref, "refs/remotes/origin/"), main.branch), i.integration(ctx)}
	return slices.DeleteFunc(local, func(name string) bool { return refs["refs/heads/"+name] == "" })
}

// SetAuthor has what is committed in the checkout called name be somebody's, unless the
// author is given.
func (t *Trees) SetAuthor(name, author, email string) error {
	root, err := os.OpenRoot(filepath.Join(t.Path(name), ".git"))
	if err != nil {
		return fmt.Errorf("worktree %s: %w", name, err)
	}
	defer root.Close()
	config, err := root.ReadFile("config")
	own := git.RenderConfig([]git.Setting{{Key: "author.name", Value: author}, {Key: "author.email", Value: email}})
	if err != nil || strings.HasSuffix(string(config), own) {
		return err
	}
	return writeIn(root, "config", append(config, own...), 0o666)
}

// handDown makes HEAD, its branch and the index inside those of the entry, where this
// program has changed them. What a sparse checkout leaves out inside stays out.
func (i *insides) handDown(ctx context.Context, r record) error {
	index, err := os.ReadFile(filepath.Join(r.gitDir, "index"))
	if err != nil && !isAbsent(err) {
		return r.fault(err)
	}
	if fileExists(filepath.Join(r.inside(), "index")) && fileExists(filepath.Join(r.inside(), "info", "sparse-checkout")) {
		if _, own, err := i.runOnInner(ctx, r, "read-tree", "-m", "-i", string(r.head)); err == nil {
			index = own
		}
	}
	if err := i.handDownHead(r, index); err != nil {
		return err
	}
	return i.noteTaken(r)
}

// handDownHead is handDown for HEAD, and for an index that is not nil.
func (i *insides) handDownHead(r record, index []byte) error {
	root, err := os.OpenRoot(r.inside())
	head := string(r.head)
	if err == nil {
		defer root.Close()
		if r.branch != "" {
			head = "ref: refs/heads/" + r.branch
		}
		if r.branch != "" && r.head != "" {
			err = writeIn(root, "refs/heads/"+r.branch, []byte(r.head+"\n"), 0o666)
		}
	}
	if err == nil {
		err = writeIn(root, "HEAD", []byte(head+"\n"), 0o666)
	}
	if err == nil && index != nil {
		err = writeIn(root, "index", index, 0o666)
	}
	return r.fault(err)
}

// writeIn replaces a file below a folder that somebody else may have filled: no link there
// leads out of it.
func writeIn(root *os.Root, name string, content []byte, mode fs.FileMode) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	beside := path.Join(path.Dir(name), "liza-"+rand.Text())
	err := root.WriteFile(beside, content, mode)
	if err == nil {
		err = root.Rename(beside, name)
	}
	if err != nil {
		_ = root.Remove(beside)
	}
	return err
}

// renew has the repository inside, and the remote of all checkouts, know the clone's
// branches as they are. A branch that was moved inside stays, and so does one that is checked out.
func (i *insides) renew(ctx context.Context, r *record) error {
	refs, _, err := i.give(ctx, false)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(r.inside())
	if err != nil {
		return r.fault(err)
	}
	defer root.Close()
	inner := i.innerRefs(root)
	err = cmp.Or(i.passHooks(ctx, root), renewShallow(ctx, i.repo, root), i.dropLost(ctx, *r, root, inner, refs))
	for name, id := range refs {
		branch, is := strings.CutPrefix(name, "refs/heads/")
		there := "refs/remotes/origin/" + branch
		was := inner[there]
		if !is || was == id || err != nil {
			continue
		}
		err = writeIn(root, there, []byte(id+"\n"), 0o666)
		if err == nil && was != "" && inner[name] == was && !isCheckedOut(root, name) {
			err = writeIn(root, name, []byte(id+"\n"), 0o666)
		}
	}
	return r.fault(err)
}

// isCheckedOut reports whether a ref inside is that of HEAD, also in a worktree that was added
// there: its files would differ from it.
func isCheckedOut(root *os.Root, ref string) bool {
	heads, _ := fs.Glob(root.FS(), "worktrees/*/HEAD")
	return slices.ContainsFunc(append(heads, "HEAD"), func(name string) bool {
		text, _ := readIn(root, name)
		return text == "ref: "+ref
	})
}

// originName is the repository below liza/ that is the remote of all checkouts: the clone's
// branches and tags, and none of its settings.
const originName = "origin"

// writeOrigin writes the remote of the checkouts.
func (i *insides) writeOrigin(ctx context.Context, refs string) error {
	dir := i.scratch.path(originName)
	// From there Git LFS copies what it lacks inside: it takes relative alternates from the folder in which it runs.
	version, extension := "0", git.RenderConfig([]git.Setting{{Key: "lfs.storage", Value: i.repo.Config.ContentStore(ctx)}})
	if i.repo.HashLen() == 64 {
		version, extension = "1", extension+"[extensions]\n\tobjectFormat = sha256\n"
	}
	borrowed := i.alternates(record{path: dir}, filepath.Join(dir, "objects"), i.registry.common)
	files := map[string]string{"objects/info/alternates": borrowed, "config": "[core]\n\tbare = true\n\trepositoryFormatVersion = " + version + "\n" + extension,
		"HEAD": "ref: refs/heads/.invalid\n", "packed-refs": refs}
	for _, name := range []string{"objects/info/alternates", "config", "packed-refs", "HEAD"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if text, err := git.ReadSmall(path); err == nil && string(text) == files[name] {
			continue
		}
		if err := cmp.Or(os.MkdirAll(filepath.Dir(path), 0o777), i.scratch.replaceFile(path, files[name])); err != nil {
			return fmt.Errorf("worktrees: %w", err)
		}
	}
	return os.MkdirAll(filepath.Join(dir, "refs"), 0o777)
}

// takenName is the file of the entry that has the commit which its index is for.
const takenName = "taken"

// agreed is that commit, "" if there is none.
func (i *insides) agreed(r record) ID {
	text, _ := git.ReadSmall(filepath.Join(r.gitDir, takenName))
	return ID(strings.TrimSpace(string(text)))
}

func (i *insides) noteTaken(r record) error {
	return i.scratch.replaceFile(filepath.Join(r.gitDir, takenName), string(r.head)+"\n")
}
