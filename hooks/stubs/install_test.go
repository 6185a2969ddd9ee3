package stubs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// script is a hook of somebody's that notes its name, arguments and input.
const script = "#!/bin/sh\necho \"$(basename \"$0\") $*\" >>\"$NOTES\"\ncat >>\"$NOTES\"\n"

// settings are repositories as people have them, made in the folder given.
var settings = map[string]func(t *testing.T, dir string){
	"plain":     func(t *testing.T, dir string) {},
	"no folder": func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(filepath.Join(dir, ".git/hooks"))) },
	"own hooks": func(t *testing.T, dir string) {
		hook(t, dir, ".git/hooks/pre-commit", 0o755)
		hook(t, dir, ".git/hooks/reference-transaction", 0o755)
	},
	"not executable": func(t *testing.T, dir string) { hook(t, dir, ".git/hooks/pre-commit", 0o644) },
	"linked": func(t *testing.T, dir string) {
		hook(t, dir, "ci/check", 0o755)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git/hooks"), 0o777))
		require.NoError(t, os.Symlink("../../ci/check", filepath.Join(dir, ".git/hooks/pre-commit")))
		require.NoError(t, os.Symlink("../../gone", filepath.Join(dir, ".git/hooks/reference-transaction")))
	},
	"linked folder": func(t *testing.T, dir string) {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, ".git/hooks")))
		hook(t, dir, "ci/pre-commit", 0o755)
		require.NoError(t, os.Symlink("../ci", filepath.Join(dir, ".git/hooks")))
	},
	"husky": func(t *testing.T, dir string) {
		hook(t, dir, ".husky/_/pre-commit", 0o755)
		config(t, dir, "[core]\n\thooksPath = .husky/_ ; by husky\n")
	},
	"odd configuration": func(t *testing.T, dir string) {
		config(t, dir, "# mine\n[CORE] HooksPath=\"my hooks\"  # odd\n  [a \"b\"]\n\tc = d")
	},
	"twice set":    func(t *testing.T, dir string) { config(t, dir, "[core]\n\thooksPath = one\n\thooksPath = two\n") },
	"absolute":     func(t *testing.T, dir string) { config(t, dir, "[core]\n\thooksPath = "+t.TempDir()+"\n") },
	"below":        func(t *testing.T, dir string) { config(t, dir, "[core]\n\thooksPath = "+dir+"/.git/other\n") },
	"home":         func(t *testing.T, dir string) { config(t, dir, "[core]\n\thooksPath = ~/hooks\n") },
	"switched off": func(t *testing.T, dir string) { config(t, dir, "[core]\n\thooksPath = /dev/null\n") },
	"of a work tree": func(t *testing.T, dir string) {
		gittest.Git(t, dir, "config", "extensions.worktreeConfig", "true")
		gittest.Git(t, dir, "worktree", "add", "-q", "--detach", filepath.Join(dir, "linked"))
		gittest.Git(t, dir, "config", "--worktree", "core.hooksPath", "main hooks")
		gittest.Git(t, filepath.Join(dir, "linked"), "config", "--worktree", "core.hooksPath", "its hooks")
	},
}

func hook(t *testing.T, dir, name string, mode fs.FileMode) {
	t.Helper()
	gittest.Write(t, dir, name, script)
	require.NoError(t, os.Chmod(filepath.Join(dir, name), mode))
}

func config(t *testing.T, dir, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, errors.Join(err, f.Close()))
}

// house is a repository with a commit, in a folder with blanks in its name.
func house(t *testing.T, prepare func(*testing.T, string)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a user's house")
	gittest.Git(t, ".", "init", "-q", "-b", "main", dir)
	gittest.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "first")
	prepare(t, dir)
	return dir
}

func opened(t *testing.T, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(context.Background(), dir)
	require.NoError(t, err)
	t.Cleanup(func() { r.Close() })
	return r
}

// contents are all files of a git directory, with their modes, but for the
// queue's lock and the folder of the journal, which are nobody's.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || e.Name() == "queue.lock":
			return err
		case e.IsDir() && e.Name() == "objects":
			return fs.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			text, err = os.Readlink(path)
		case !e.IsDir():
			var raw []byte
			raw, err = os.ReadFile(path)
			text = string(raw)
		}
		if rel := strings.TrimPrefix(path, dir); !e.IsDir() || rel != "/liza" && rel != "/liza/journal" {
			all[rel] = info.Mode().String() + " " + text
		}
		return err
	}))
	return all
}

var theirs = Options{Binary: "/nowhere/git-liza", Integration: "integration"}

func TestInstallAndBack(t *testing.T) {
	t.Parallel()
	for name, prepare := range settings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, ctx := house(t, prepare), context.Background()
			before := contents(t, filepath.Join(dir, ".git"))
			require.NoError(t, Install(ctx, opened(t, dir), theirs))
			installed, err := Examine(ctx, opened(t, dir))
			require.NoError(t, err)
			require.NotEmpty(t, installed.Hooks)
			for _, h := range installed.Hooks {
				require.Equal(t, Present, h.State, h.Path)
			}
			once := contents(t, filepath.Join(dir, ".git"))
			require.NoError(t, Install(ctx, opened(t, dir), theirs))
			require.Equal(t, once, contents(t, filepath.Join(dir, ".git")), "twice is once")
			left, err := Uninstall(ctx, opened(t, dir))
			require.NoError(t, err)
			require.Empty(t, left)
			require.Equal(t, before, contents(t, filepath.Join(dir, ".git")))
		})
	}
}

// A hook that was there before runs first, with the same arguments and input, also
// in a linked work tree; if git ignored it, it stays ignored.
func TestChained(t *testing.T) {
	for name, want := range map[string]string{
		"own hooks": "pre-commit", "husky": "pre-commit", "linked": "pre-commit", "linked folder": "pre-commit", "not executable": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("NOTES", os.DevNull)
			dir, ctx := house(t, settings[name]), context.Background()
			require.NoError(t, Install(ctx, opened(t, dir), theirs))
			tree := filepath.Join(t.TempDir(), "tree")
			gittest.Git(t, dir, "worktree", "add", "-q", "--detach", tree)
			for _, where := range []string{dir, tree} {
				notes := filepath.Join(t.TempDir(), "notes")
				t.Setenv("NOTES", notes)
				gittest.Git(t, where, "commit", "-q", "--allow-empty", "-m", "second")
				text, err := os.ReadFile(notes)
				if want == "" {
					require.ErrorIs(t, err, fs.ErrNotExist)
					continue
				}
				require.NoError(t, err)
				require.Contains(t, string(text), want)
				if name == "own hooks" {
					require.Contains(t, string(text), "reference-transaction.before-liza prepared\n")
					require.Contains(t, string(text), gittest.Git(t, where, "rev-parse", "HEAD")+" HEAD\n")
					require.Contains(t, string(text), "reference-transaction.before-liza committed\n")
				}
			}
		})
	}
}

// A chained hook that fails refuses.
func TestChainedRefusal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pre-commit", "reference-transaction", "commit-msg"} {
		for _, folder := range []string{".git/hooks", ".husky"} {
			dir := house(t, func(*testing.T, string) {})
			if folder == ".husky" {
				config(t, dir, "[core]\n\thooksPath = .husky\n")
			}
			require.NoError(t, Install(context.Background(), opened(t, dir), theirs))
			if folder == ".git/hooks" {
				_, err := Uninstall(context.Background(), opened(t, dir))
				require.NoError(t, err)
			}
			gittest.Write(t, dir, folder+"/"+name, "#!/bin/sh\nexit 7\n") // later, where the folder is another one
			require.NoError(t, os.Chmod(filepath.Join(dir, folder, name), 0o755))
			require.NoError(t, Install(context.Background(), opened(t, dir), theirs))
			_, err := opened(t, dir).Run(context.Background(), git.Cmd{Dir: dir, WorkTree: true, Args: []string{"commit", "--allow-empty", "-m", "x"}})
			require.Error(t, err, "%s in %s", name, folder)
		}
	}
}

// An installation that was killed after any of its files is completed by
// another one and undone by uninstalling.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, name := range []string{"own hooks", "husky", "no folder"} {
		for stop := range 4 {
			for _, complete := range []bool{true, false} {
				dir := house(t, settings[name])
				before := contents(t, filepath.Join(dir, ".git"))
				repo := opened(t, dir)
				killed(t, repo, stop)
				if complete {
					require.NoError(t, Install(ctx, repo, theirs))
					i, err := Examine(ctx, opened(t, dir))
					require.NoError(t, err)
					for _, h := range i.Hooks {
						require.Equal(t, Present, h.State, "%s, stopped at %d: %s", name, stop, h.Path)
					}
				}
				left, err := Uninstall(ctx, opened(t, dir))
				require.NoError(t, err)
				require.Empty(t, left)
				require.Equal(t, before, contents(t, filepath.Join(dir, ".git")), "%s, stopped at %d", name, stop)
			}
		}
	}
}

// killed leaves what an installation leaves that dies in its second file: with
// the record written, the old hook linked, the new one half there, or in place.
func killed(t *testing.T, repo *git.Repo, stop int) {
	t.Helper()
	r := &record{common: repo.CommonDir(), Options: theirs}
	sites, err := r.findSites(context.Background(), repo)
	require.NoError(t, err)
	wanted := r.wantedStubs(sites, theirs)
	require.NoError(t, r.putStub(wanted[0]))
	w := wanted[1]
	rel, err := r.relPath(w.path)
	require.NoError(t, err)
	f := file{Name: w.name, Path: rel}
	if exists(w.path) {
		f.Kept = r.unusedName(rel)
	}
	r.Files = append(r.Files, f)
	require.NoError(t, r.save())
	if stop > 0 && f.Kept != "" {
		require.NoError(t, os.Link(w.path, r.absPath(f.Kept)))
	}
	if stop > 1 {
		require.NoError(t, os.WriteFile(w.path+newSuffix, []byte("te"), 0o777))
	}
	if stop > 2 {
		require.NoError(t, os.WriteFile(w.path+newSuffix, r.stubText(f), 0o777))
		require.NoError(t, os.Rename(w.path+newSuffix, w.path))
	}
}

// A file that somebody has changed since is neither overwritten nor removed.
func TestChangedSince(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := house(t, settings["own hooks"])
	require.NoError(t, Install(ctx, opened(t, dir), theirs))
	path := filepath.Join(dir, ".git", "hooks", "pre-commit")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n# mine\n"), 0o755))
	require.NoError(t, Install(ctx, opened(t, dir), Options{Binary: "/elsewhere/git-liza"}))
	i, err := Examine(ctx, opened(t, dir))
	require.NoError(t, err)
	require.Equal(t, Changed, i.Hooks[slices.IndexFunc(i.Hooks, func(h Hook) bool { return h.Name == "pre-commit" })].State)
	require.False(t, i.Whole())
	left, err := Uninstall(ctx, opened(t, dir))
	require.NoError(t, err)
	require.Equal(t, []string{path}, left)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "#!/bin/sh\n# mine\n", string(text))
	require.FileExists(t, path+".before-liza")
	require.NoFileExists(t, filepath.Join(dir, ".git", "hooks", "reference-transaction.before-liza"))
}

// A stub in whose place a session wrote another text is restored, and that text kept.
func TestRestoreChangedStub(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := house(t, settings["own hooks"])
	o := theirs
	o.Binary = filepath.Join(t.TempDir(), "git-liza")
	gittest.Script(t, o.Binary, "#!/bin/sh\n")
	require.NoError(t, Install(ctx, opened(t, dir), o))
	earlier, err := Remember(ctx, opened(t, dir))
	require.NoError(t, err)
	path := filepath.Join(dir, ".git", "hooks", "reference-transaction")
	for _, name := range []string{path + ".changed", path + ".changed.2"} {
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nexit 0 # "+name+"\n"), 0o755))
		back, aside, err := earlier.Restore(ctx, opened(t, dir))
		require.NoError(t, err)
		require.True(t, back)
		require.Equal(t, []string{name}, aside)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, "#!/bin/sh\nexit 0 # "+name+"\n", string(text))
		now, err := Examine(ctx, opened(t, dir))
		require.NoError(t, err)
		require.True(t, now.Whole())
	}
}

// The pre-push hook of an earlier program goes with the next installation, and the user's
// own is back.
func TestEarlierPrePushGoes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := house(t, settings["plain"])
	o := theirs
	o.Binary = filepath.Join(t.TempDir(), "git-liza")
	gittest.Script(t, o.Binary, "#!/bin/sh\n")
	path := filepath.Join(dir, ".git", "hooks", "pre-push")
	gittest.Script(t, path, "#!/bin/sh\n# mine\n")
	require.NoError(t, Install(ctx, opened(t, dir), o))
	whole := contents(t, filepath.Join(dir, ".git"))
	r, err := readRecord(opened(t, dir))
	require.NoError(t, err)
	r.Files = append(r.Files, file{Name: "pre-push", Path: "hooks/pre-push", Kept: "hooks/pre-push.before-liza"})
	require.NoError(t, r.save())
	require.NoError(t, os.Rename(path, path+".before-liza"))
	gittest.Script(t, path, heading+"first='"+path+".before-liza'\nliza=git-liza\nprintf %s \"$all\" | \"$liza\" hook pre-push\n")
	now, err := Examine(ctx, opened(t, dir))
	require.NoError(t, err)
	require.False(t, now.Whole())
	require.True(t, slices.ContainsFunc(now.Hooks, func(h Hook) bool { return h.Name == "pre-push" && h.State == Outdated }))
	require.NoError(t, Install(ctx, opened(t, dir), o))
	require.Equal(t, whole, contents(t, filepath.Join(dir, ".git")))
}

// Whatever a session writes into the record, a stub that starts its program is not whole, and
// is put right; a hook that comes or changes is told, and one that was there is not.
func TestRecordThatLies(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := house(t, settings["own hooks"])
	o := theirs
	o.Binary = filepath.Join(t.TempDir(), "git-liza")
	gittest.Script(t, o.Binary, "#!/bin/sh\n")
	require.NoError(t, Install(ctx, opened(t, dir), o))
	earlier, err := Remember(ctx, opened(t, dir))
	require.NoError(t, err)
	require.Empty(t, earlier.Planted(ctx, opened(t, dir)))
	path := filepath.Join(dir, ".git", "hooks", transaction)
	honest := contents(t, filepath.Join(dir, ".git"))
	for name, lie := range map[string]func(r *record){
		"another program": func(r *record) { r.Options.Binary = filepath.Join(t.TempDir(), "evil") },
		"a hook before":   func(r *record) { r.findFile("hooks/" + transaction).Kept = "evil" },
		"no such stub":    func(r *record) { r.forgetFile("hooks/" + transaction) },
	} {
		r, err := readRecord(opened(t, dir))
		require.NoError(t, err)
		lie(r)
		require.NoError(t, r.save())
		if f := r.findFile("hooks/" + transaction); f != nil {
			gittest.Script(t, path, string(r.stubText(*f)))
		} else {
			gittest.Script(t, path, "#!/bin/sh\n/evil\n")
		}
		require.Equal(t, []string{path}, earlier.Planted(ctx, opened(t, dir)), name)
		back, _, err := earlier.Restore(ctx, opened(t, dir))
		require.NoError(t, err, name)
		require.True(t, back, name)
		require.Empty(t, earlier.Planted(ctx, opened(t, dir)), name)

		now := contents(t, filepath.Join(dir, ".git"))
		delete(now, "/hooks/"+transaction+".changed")
		require.Equal(t, honest, now, name)
	}
	for _, name := range []string{"post-checkout", "pre-commit.before-liza"} {
		planted := filepath.Join(dir, ".git", "hooks", name)
		gittest.Script(t, planted, "#!/bin/sh\n/evil\n")
		require.Contains(t, earlier.Planted(ctx, opened(t, dir)), planted)
	}
}

// A stub that a power cut left empty, cut off or without its mode lets everything
// pass. It is still ours: installing writes it again, and uninstalling
// brings back what was there.
func TestTornStub(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, tear := range map[string]func(path string, text []byte) error{
		"empty":          func(path string, text []byte) error { return os.Truncate(path, 0) },
		"cut off":        func(path string, text []byte) error { return os.Truncate(path, int64(len(text)-20)) },
		"zeros":          func(path string, text []byte) error { return os.WriteFile(path, make([]byte, len(text)), 0o777) },
		"not executable": func(path string, text []byte) error { return os.Chmod(path, 0o644) },
	} {
		for _, kind := range []string{"plain", "own hooks", "husky", "server"} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				var dir, gitDir string
				o := theirs
				if kind == "server" {
					dir = filepath.Join(t.TempDir(), "server.git")
					gittest.Git(t, ".", "init", "-q", "--bare", dir)
					gitDir, o.Server = dir, true
				} else {
					dir = house(t, settings[kind])
					gitDir = filepath.Join(dir, ".git")
				}
				before := contents(t, gitDir)
				require.NoError(t, Install(ctx, opened(t, dir), o))
				whole := contents(t, gitDir)
				tearAll := func() {
					i, err := Examine(ctx, opened(t, dir))
					require.NoError(t, err)
					for _, h := range i.Hooks {
						text, err := os.ReadFile(h.Path)
						require.NoError(t, err)
						require.NoError(t, tear(h.Path, text))
					}
				}
				tearAll()
				i, err := Examine(ctx, opened(t, dir))
				require.NoError(t, err)
				for _, h := range i.Hooks {
					require.Equal(t, Damaged, h.State, h.Path)
				}
				require.NoError(t, Install(ctx, opened(t, dir), o))
				require.Equal(t, whole, contents(t, gitDir))
				tearAll()
				left, err := Uninstall(ctx, opened(t, dir))
				require.NoError(t, err)
				require.Empty(t, left)
				require.Equal(t, before, contents(t, gitDir))
			})
		}
	}
}

// The configuration of single work trees is synced too.
func TestWrittenFiles(t *testing.T) {
	t.Parallel()
	dir := house(t, settings["of a work tree"])
	require.NoError(t, Install(context.Background(), opened(t, dir), theirs))
	r, err := readRecord(opened(t, dir))
	require.NoError(t, err)
	for _, name := range []string{"config.worktree", "worktrees/linked/config.worktree", "worktrees/linked/liza/worktree-hooks/pre-commit", "liza/hooks.json"} {
		require.Contains(t, r.writtenFiles(), filepath.Join(r.common, name))
	}
}

// Settings that installing and uninstalling write are noted as git liza's own, so
// that no supervisor puts them back.
func TestNotedSettings(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for kind, had := range map[string][]string{"absolute": nil, "husky": {".husky/_"}} {
		dir := house(t, settings[kind])
		if kind == "absolute" {
			had = []string{gittest.Git(t, dir, "config", "core.hooksPath")}
		}
		require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git", "liza"), 0o777))
		repo := opened(t, dir)
		mark := repo.Config.MarkConfig()
		require.NoError(t, Install(ctx, repo, theirs))
		require.True(t, repo.Config.WroteSince(mark)("core.hookspath", gittest.Git(t, dir, "config", "core.hooksPath")), kind)
		mark = repo.Config.MarkConfig()
		_, err := Uninstall(ctx, opened(t, dir))
		require.NoError(t, err)
		require.True(t, repo.Config.WroteSince(mark)("core.hookspath", had...), kind)
	}
}

// A session that takes the mode of a stub away is found out.
func TestRestoreTornStub(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := house(t, settings["plain"])
	o := theirs
	o.Binary = filepath.Join(t.TempDir(), "git-liza")
	gittest.Script(t, o.Binary, "#!/bin/sh\n")
	require.NoError(t, Install(ctx, opened(t, dir), o))
	whole := contents(t, filepath.Join(dir, ".git"))
	earlier, err := Remember(ctx, opened(t, dir))
	require.NoError(t, err)
	require.NoError(t, os.Chmod(filepath.Join(dir, ".git", "hooks", transaction), 0o644))
	back, _, err := earlier.Restore(ctx, opened(t, dir))
	require.NoError(t, err)
	require.True(t, back)
	require.Equal(t, whole, contents(t, filepath.Join(dir, ".git")))
}

// Everything else in the configuration may change between installing and
// uninstalling; a newer core.hooksPath wins and is what comes back.
func TestConfigurationGoesOn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := house(t, settings["husky"])
	require.NoError(t, Install(ctx, opened(t, dir), theirs))
	gittest.Git(t, dir, "config", "remote.origin.url", "elsewhere")
	gittest.Git(t, dir, "config", "core.hooksPath", ".other")
	i, err := Examine(ctx, opened(t, dir))
	require.NoError(t, err)
	require.Equal(t, Bypassed, i.Hooks[0].State)
	require.NoError(t, Install(ctx, opened(t, dir), theirs))
	require.NotEqual(t, ".other", gittest.Git(t, dir, "config", "core.hooksPath"))
	_, err = Uninstall(ctx, opened(t, dir))
	require.NoError(t, err)
	require.Equal(t, ".other", gittest.Git(t, dir, "config", "core.hooksPath"))
	require.Equal(t, "elsewhere", gittest.Git(t, dir, "config", "remote.origin.url"))
}

func TestServerSettings(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "server.git")
	gittest.Git(t, ".", "init", "-q", "--bare", dir)
	before := contents(t, dir)
	require.Error(t, Install(ctx, opened(t, dir), theirs), "a bare repository needs the hooks of a server")
	o := Options{Server: true, Admin: "ann", AdminKey: "ssh-ed25519 AAAA"}
	require.NoError(t, Install(ctx, opened(t, dir), o))
	require.Equal(t, "always", gittest.Git(t, dir, "config", "core.logAllRefUpdates"))
	require.Equal(t, "true", gittest.Git(t, dir, "config", "receive.fsckObjects"))
	require.Equal(t, "pack,pack-metadata,reference", gittest.Git(t, dir, "config", "core.fsync"), "loose objects are synced together")
	i, err := Examine(ctx, opened(t, dir))
	require.NoError(t, err)
	require.True(t, i.Fsck)
	gittest.Git(t, dir, "config", "receive.fsckObjects", "false")
	i, err = Examine(ctx, opened(t, dir))
	require.NoError(t, err)
	require.False(t, i.Fsck, "somebody has turned it off")
	gittest.Git(t, dir, "config", "receive.fsckObjects", "true")
	require.Equal(t, "ssh-ed25519 AAAA", gittest.Git(t, dir, "config", "liza.server.adminKey"))
	require.NoError(t, Install(ctx, opened(t, dir), Options{Server: true}))
	require.Equal(t, "ann", gittest.Git(t, dir, "config", "liza.server.admin"), "again without a name leaves it")
	stub := filepath.Join(dir, "hooks", "reference-transaction")
	text, err := os.ReadFile(stub)
	require.NoError(t, err)
	require.Contains(t, string(text), "refs/heads/*")
	require.NoError(t, SetIntegration(ctx, opened(t, dir), "it's"))
	text, err = os.ReadFile(stub)
	require.NoError(t, err)
	require.Contains(t, string(text), `refs/heads/'it'\''s'`)
	_, err = Uninstall(ctx, opened(t, dir))
	require.NoError(t, err)
	require.Equal(t, before, contents(t, dir))
}

// A key that somebody has added to a section of ours keeps its section.
func TestSectionGoesOn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "server.git")
	gittest.Git(t, ".", "init", "-q", "--bare", dir)
	require.NoError(t, Install(ctx, opened(t, dir), Options{Server: true, Admin: "ann", AdminKey: "ssh-ed25519 AAAA"}))
	gittest.Git(t, dir, "config", "receive.maxInputSize", "200m")
	gittest.Git(t, dir, "config", "liza.server.userEnv", "LIZA_USER")
	_, err := Uninstall(ctx, opened(t, dir))
	require.NoError(t, err)
	require.Equal(t, "200m", gittest.Git(t, dir, "config", "receive.maxInputSize"))
	require.Equal(t, "LIZA_USER", gittest.Git(t, dir, "config", "liza.server.userEnv"))
	left := strings.Fields(gittest.Git(t, dir, "config", "--local", "--name-only", "--list"))
	for _, key := range []string{"core.maxinputsize", "core.fsync", "receive.fsckobjects", "receive.advertisepushoptions", "liza.server.admin", "liza.server.adminkey"} {
		require.NotContains(t, left, key)
	}
}

// git copies the configuration of a work tree into those that are made from
// it: uninstalling finds the copies too.
func TestCopiedConfiguration(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := house(t, settings["of a work tree"])
	require.NoError(t, Install(ctx, opened(t, dir), theirs))
	later := filepath.Join(t.TempDir(), "later")
	gittest.Git(t, dir, "worktree", "add", "-q", "--detach", later)
	require.Contains(t, gittest.Git(t, later, "config", "core.hooksPath"), "/liza/")
	_, err := Uninstall(ctx, opened(t, dir))
	require.NoError(t, err)
	require.Equal(t, "main hooks", gittest.Git(t, later, "config", "core.hooksPath"))
}
