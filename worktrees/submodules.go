package worktrees

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// fillSubmodules fills the submodules of a checkout, or of a submodule in one, that the main work
// tree has, without a remote: they borrow what that has. One that cannot be filled so stays empty,
// and is named. in runs git there, and has the repository that it is a checkout of.
func (i *insides) fillSubmodules(ctx context.Context, in *isolation, r record, inside string) error {
	if !fileExists(filepath.Join(in.repo.CommonDir(), "modules")) {
		return nil
	}
	listed, err := in.run(ctx, r, git.Cmd{Args: []string{"ls-files", "--stage", "-z"}, Limit: slow})
	for line := range strings.SplitSeq(string(listed), "\x00") {
		fields, path, _ := strings.Cut(line, "\t")
		id, isLink := strings.CutPrefix(fields, link+" ")
		folder := filepath.Join(r.path, filepath.FromSlash(path))
		if entries, err := os.ReadDir(folder); !isLink || err != nil || len(entries) > 0 {
			continue
		}
		repo, name := openSubmodule(ctx, in.repo, path)
		if repo == nil {
			continue
		}
		sub := record{name: r.name, path: folder, gitDir: filepath.Join(inside, "modules", name), head: ID(strings.Fields(id)[0])}
		if err := i.fillSubmodule(ctx, repo, sub); err != nil {
			_ = errors.Join(removeAll(sub.gitDir), removeAll(folder), os.Mkdir(folder, 0o777))
			if i.repo.Notice != nil {
				i.repo.Notice(fmt.Sprintf("%s: the submodule %s stays empty at %s: %v", r.name, git.Visible(path), git.ShortOrNone(sub.head), err))
			}
		}
		_ = repo.Close()
	}
	return errors.Join(err, ctx.Err())
}

// openSubmodule opens a submodule of a repository as the main work tree has it; nil if it is not
// there. Its name is that of its git directory below modules/.
func openSubmodule(ctx context.Context, above *git.Repo, path string) (repo *git.Repo, name string) {
	repo, err := git.Open(ctx, filepath.Join(above.MainWorkTree(), filepath.FromSlash(path)))
	if err == nil {
		if name, is := strings.CutPrefix(repo.CommonDir(), filepath.Join(above.CommonDir(), "modules")+string(filepath.Separator)); is {
			return repo, name
		}
	}
	return nil, ""
}

// keptKeys are what a submodule's configuration in the clone says that names no program, without the
// names of remotes and submodules.
var keptKeys = []string{"core.repositoryformatversion", "core.autocrlf", "core.eol", "core.filemode", "core.ignorecase", "core.precomposeunicode", "core.symlinks",
	"extensions.objectformat", "remote.url", "remote.pushurl", "remote.fetch", "submodule.url", "submodule.active"}

// fillSubmodule makes the git directory of a submodule inside, which borrows from that of the
// clone, and its files. Nothing is asked of a remote: that could run what a configuration names.
func (i *insides) fillSubmodule(ctx context.Context, repo *git.Repo, sub record) error {
	common, objects := repo.CommonDir(), filepath.Join(sub.gitDir, "objects")
	settings, err := repo.Config.SettingsIn(ctx, filepath.Join(common, "config"))
	refs, refsErr := repo.Refs.List(ctx, "refs/heads/", "refs/remotes/", "refs/tags/")
	workTree, _ := filepath.Rel(sub.gitDir, sub.path) // both are absolute
	gitDir, _ := filepath.Rel(sub.path, sub.gitDir)
	settings = append(slices.DeleteFunc(settings, func(s git.Setting) bool {
		return !slices.Contains(keptKeys, s.Key[:strings.IndexByte(s.Key, '.')]+s.Key[strings.LastIndexByte(s.Key, '.'):])
	}), git.Setting{Key: "core.bare", Value: "false"}, git.Setting{Key: "core.worktree", Value: workTree}, git.Setting{Key: "gc.auto", Value: "0"})
	err = errors.Join(err, refsErr, os.MkdirAll(filepath.Join(sub.gitDir, "refs"), 0o777))
	for path, text := range map[string]string{
		filepath.Join(sub.gitDir, "config"):          git.RenderConfig(settings),
		filepath.Join(sub.gitDir, "packed-refs"):     packed(refs),
		filepath.Join(sub.gitDir, "HEAD"):            string(sub.head) + "\n",
		filepath.Join(objects, "info", "alternates"): i.alternates(sub, objects, common),
		filepath.Join(sub.path, ".git"):              "gitdir: " + gitDir + "\n",
	} {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666))
	}
	if err := errors.Join(err, copyIfThere(filepath.Join(sub.gitDir, "shallow"), filepath.Join(common, "shallow"))); err != nil {
		return err
	}
	in := &isolation{repo: repo, common: sub.gitDir}
	if _, err := in.run(ctx, sub, git.Cmd{Args: []string{"read-tree", "--reset", "-u", "--no-recurse-submodules", "HEAD"}, Limit: slow,
		Env: []string{"GIT_INDEX_FILE=" + filepath.Join(sub.gitDir, "index"), "GIT_NO_LAZY_FETCH=1"}}); err != nil {
		return err
	}
	return i.fillSubmodules(ctx, in, sub, sub.gitDir)
}

// saveSubmodules takes those submodules inside out of a list of paths that are in no commit which
// have nothing that neither the clone nor, as far as it knows, a remote has. What is committed
// there is the clone's then. Those that have more are added.
func (i *insides) saveSubmodules(ctx context.Context, r record, left []string) []string {
	removeBlocking(r)
	saved := map[string]bool{} // their folders
	_ = filepath.WalkDir(filepath.Join(r.inside(), "modules"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "objects" && !i.saveSubmodule(ctx, r, filepath.Dir(path), saved) {
			left = append(left, path)
		}
		return nil // modules of its own come before objects
	})
	return slices.DeleteFunc(left, func(name string) bool { return saved[filepath.Join(r.path, name)] })
}

// saveSubmodule is saveSubmodules of one, by its git directory, which git does not open. It is not
// saved where git cannot tell, and where the files are gone.
func (i *insides) saveSubmodule(ctx context.Context, r record, dir string, saved map[string]bool) bool {
	clone := i.registry.common + strings.TrimPrefix(dir, r.inside())
	refs := i.refsAt(dir)
	var revs, remote, tags []string
	rescue := "" // refs that keep what is only here, as git takes them
	for _, id := range i.refsAt(clone) {
		revs = append(revs, "^"+string(id))
	}
	for ref, id := range refs {
		switch {
		case strings.HasPrefix(ref, "refs/remotes/"):
			remote = append(remote, "^"+string(id))
		case strings.HasPrefix(ref, "refs/tags/"):
			if fileExists(filepath.Join(dir, filepath.FromSlash(ref))) { // those that came with the clone are packed
				tags = append(tags, string(id)+"^{commit}")
			}
		case !slices.Contains(revs, "^"+string(id)) && !slices.Contains(revs, string(id)+"^{commit}"):
			revs = append(revs, string(id)+"^{commit}")
			rescue += "update " + layout.RescueRefs + r.name + "/" + string(id) + " " + string(id) + "\n"
		}
	}
	at := record{name: r.name, gitDir: i.registry.common, path: r.path}
	stdin := slices.Concat(remote, revs)
	run := func(args ...string) (string, error) {
		out, err := i.isolation.run(ctx, at, git.Cmd{Args: args, Stdin: []byte(strings.Join(stdin, "\n")), Env: []string{"GIT_INDEX_FILE=" + filepath.Join(r.gitDir, "submodule"),
			"GIT_SHALLOW_FILE=" + filepath.Join(dir, "shallow"), "GIT_NO_LAZY_FETCH=1",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + filepath.Join(dir, "objects") + ":" + filepath.Join(clone, "objects")}})
		return strings.TrimSpace(string(out)), err
	}
	only, err := run("rev-list", "--count", "--stdin")
	stdin = append(stdin, tags...)
	tagged, tagErr := run("rev-list", "--count", "--stdin")
	stashed, _ := git.ReadSmall(filepath.Join(dir, "logs", "refs", "stash"))
	workTree, configErr := run("config", "--file", filepath.Join(dir, "config"), "--no-includes", "core.worktree")
	at.path = resolveLinks(git.AbsoluteIn(dir, workTree))
	info, infoErr := os.Lstat(filepath.Join(at.path, ".git"))
	if only != tagged || bytes.Count(stashed, []byte("\n")) > 1 {
		return false // tags of its own, and stashes below the last one, are not taken over
	}
	if errors.Join(err, tagErr, configErr, infoErr) != nil || !info.Mode().IsRegular() || !isBelow(r.path, at.path) {
		return false
	}
	_, err = run("-c", "core.sparseCheckout=false", "read-tree", string(refs["HEAD"]))
	changed, listErr := run("ls-files", "-z", "--modified", "--others", "--exclude-standard")
	if errors.Join(err, listErr) != nil || slices.ContainsFunc(strings.Split(changed, "\x00"), func(name string) bool { return name != "" && !saved[filepath.Join(at.path, name)] }) {
		return false
	}
	if only != "0" {
		if err = i.bring(ctx, r, dir, clone, revs); err == nil {
			_, err = (&isolation{repo: i.repo, common: clone}).run(ctx, record{name: r.name, path: r.path, gitDir: clone}, git.Cmd{Args: []string{"update-ref", "--stdin"}, Stdin: []byte(rescue)})
		}
		if err == nil && i.repo.Notice != nil {
			i.repo.Notice(fmt.Sprintf("%s: commits of a submodule that nothing else has are kept: git --git-dir=%s log --glob=%s%[1]s/", r.name, shell.Quote(clone), layout.RescueRefs))
		}
	}
	saved[at.path] = err == nil
	return err == nil
}

// refsAt are the refs of a git directory that somebody else may have written, HEAD among them, nil if
// there is none.
func (i *insides) refsAt(dir string) map[string]ID {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	refs := i.innerRefs(root)
	head, _ := readIn(root, "HEAD")
	if id := cmp.Or(refs[strings.TrimPrefix(head, "ref: ")], ID(head)); i.repo.CheckID(id) == nil {
		refs["HEAD"] = id
	}
	return refs
}

// CheckLinks returns what keeps others from getting a commit of a submodule that work on a branch
// moves it to, nil if nothing does: as far as the clone knows, no remote has it.
func (t *Trees) CheckLinks(ctx context.Context, base, commit ID, name, branch string) (*Obstacle, error) {
	changes, err := t.repo.Changes(ctx, base, commit)
	for _, c := range changes {
		if c.Mode != git.ModeSubmodule {
			continue
		}
		repo, _ := openSubmodule(ctx, t.repo, c.Path)
		if repo == nil {
			return &Obstacle{Path: c.Path, Reason: "is a submodule that is not here, so nobody knows whether others can get " + c.New.Short(),
				Hint: "git -C " + shell.Quote(t.main) + " submodule update --init -- " + shell.Pathspec(c.Path)}, nil
		}
		only, err := repo.Reachable(ctx, []ID{c.New}, []ID{c.Old}, "--not", "--remotes")
		_ = repo.Close()
		if err != nil || len(only) > 0 {
			sub := filepath.FromSlash(c.Path)
			return &Obstacle{Path: c.Path, Reason: "is a submodule at " + c.New.Short() + ", which no remote of it has, so others cannot get it",
				Hint: fmt.Sprintf("git -C %s push origin %s:refs/heads/%s && git -C %s fetch origin", shell.Quote(filepath.Join(t.Path(name), sub)), c.New, branch, shell.Quote(filepath.Join(t.main, sub)))}, nil
		}
	}
	return nil, err
}
