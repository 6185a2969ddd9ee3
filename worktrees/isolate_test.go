package worktrees_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
	"github.com/stretchr/testify/require"
)

// Everything of git's that works in a checkout goes through one function. The
// others name a git directory, or the main work tree, and no checkout.
func TestOnePlaceRunsGitInACheckout(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]bool{"runIsolated": true, "setReftableHead": true, "askHead": true, "include": true}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.SelectorExpr)
				if ok && (call.Sel.Name == "Run" || call.Sel.Name == "Git" || call.Sel.Name == "Command" || call.Sel.Name == "CommandContext") {
					found[f.Name.Name] = true
					require.True(t, elsewhere[f.Name.Name], "%s of %s starts a process", f.Name.Name, file)
				}
				return true
			})
		}
	}
	require.Equal(t, elsewhere, found)
}

// A trap is a program that leaves a file behind when it is run.
type trap struct{ program, ran string }

func (p *project) trap() trap {
	p.t.Helper()
	dir := p.t.TempDir()
	x := trap{filepath.Join(dir, "payload.sh"), filepath.Join(dir, "ran")}
	p.script(x.program, "#!/bin/sh\necho \"$0 $*\" >>'"+x.ran+"'\ncat\n")
	return x
}

// nested makes a repository inside a checkout that has git start the trap.
func (p *project) nested(dir string, x trap) {
	p.t.Helper()
	require.NoError(p.t, os.MkdirAll(dir, 0o777))
	p.gitIn(dir, "init", "-q", "-b", "main")
	p.write(filepath.Join(dir, "s"), "s\n")
	p.commitAll(dir, "nested")
	for _, key := range []string{"core.fsmonitor", "core.sshCommand", "diff.external", "filter.x.clean", "filter.x.process", "core.pager", "alias.status"} {
		p.gitIn(dir, "config", key, x.program)
	}
	p.write(filepath.Join(dir, ".gitattributes"), "* filter=x diff=x\n")
	p.write(filepath.Join(dir, "s"), "changed\n")
}

// looked does everything that a supervisor does with a checkout.
func (p *project) looked(name string) {
	p.t.Helper()
	ctx, path := context.Background(), p.Path(name)
	_, _ = p.Contents.Status(ctx, path)
	_, _ = p.Contents.Fingerprint(ctx, path)
	_, _ = p.Contents.Snapshot(ctx, path, "saved", nil)
	_ = p.Contents.Commit(ctx, path, "work", os.Environ())
	_, _ = p.List(ctx)
	_, _ = p.Branch(ctx, name, "liza/"+name, p.base)
	_ = p.Remove(ctx, name)
	_ = p.Sweep(ctx)
}

// Whatever an agent that writes only into its checkout leaves there, no git
// that looks at it, saves it, commits it or removes it starts a program of its.
func TestNothingOfACheckoutIsRun(t *testing.T) {
	t.Parallel()
	for name, attack := range map[string]func(p *project, dir string, x trap){
		"a nested repository": func(p *project, dir string, x trap) { p.nested(filepath.Join(dir, "sub"), x) },
		"a nested repository in the index": func(p *project, dir string, x trap) {
			p.nested(filepath.Join(dir, "sub"), x)
			p.gitIn(dir, "-c", "core.fsmonitor=false", "-c", "advice.addEmbeddedRepo=false", "add", "sub")
		},
		"a nested repository in a commit": func(p *project, dir string, x trap) {
			p.nested(filepath.Join(dir, "sub"), x)
			p.gitIn(dir, "update-index", "--add", "--cacheinfo", "160000,"+p.gitIn(filepath.Join(dir, "sub"), "rev-parse", "HEAD")+",sub")
			p.gitIn(dir, "commit", "-q", "-m", "link")
		},
		"its .git is a folder": func(p *project, dir string, x trap) {
			require.NoError(p.t, os.RemoveAll(filepath.Join(dir, ".git")))
			p.nested(dir, x)
		},
		"its .git leads elsewhere": func(p *project, dir string, x trap) {
			other := filepath.Join(p.t.TempDir(), "other")
			p.nested(other, x)
			require.NoError(p.t, os.RemoveAll(filepath.Join(dir, ".git")))
			p.write(filepath.Join(dir, ".git"), "gitdir: "+other+"/.git\n")
		},
		"its .git is a link": func(p *project, dir string, x trap) {
			other := filepath.Join(p.t.TempDir(), "other")
			p.nested(other, x)
			require.NoError(p.t, os.RemoveAll(filepath.Join(dir, ".git")))
			require.NoError(p.t, os.Symlink(other+"/.git", filepath.Join(dir, ".git")))
		},
		"attributes that name a filter with a relative command": func(p *project, dir string, x trap) {
			p.git("config", "filter.strip.clean", "./tools/strip.sh %f")
			p.write(filepath.Join(dir, ".gitattributes"), "* filter=strip\n")
			p.script(filepath.Join(dir, "tools/strip.sh"), content(p.t, x.program))
			p.write(filepath.Join(dir, "a"), "changed\n")
		},
		"attributes that name a filter with a script of the tree": func(p *project, dir string, x trap) {
			p.git("config", "filter.strip.process", "sh tools/strip.sh")
			p.write(filepath.Join(dir, ".gitattributes"), "* filter=strip diff=strip merge=strip\n")
			p.git("config", "diff.strip.textconv", "./tools/strip.sh")
			p.git("config", "diff.strip.command", "./tools/strip.sh")
			p.git("config", "merge.strip.driver", "./tools/strip.sh")
			p.script(filepath.Join(dir, "tools/strip.sh"), content(p.t, x.program))
			p.write(filepath.Join(dir, "a"), "changed\n")
		},
		"a file monitor in the tree": func(p *project, dir string, x trap) {
			p.git("config", "core.fsmonitor", "./tools/watch.sh")
			p.script(filepath.Join(dir, "tools/watch.sh"), content(p.t, x.program))
			p.write(filepath.Join(dir, "a"), "changed\n")
		},
		"hooks in the tree": func(p *project, dir string, x trap) {
			p.git("config", "core.hooksPath", ".husky")
			for _, hook := range []string{"pre-commit", "commit-msg", "post-commit", "post-index-change", "post-checkout", "reference-transaction"} {
				p.script(filepath.Join(dir, ".husky", hook), content(p.t, x.program))
			}
			p.write(filepath.Join(dir, "a"), "changed\n")
		},
		"a configuration of the work tree": func(p *project, dir string, x trap) {
			p.git("config", "extensions.worktreeConfig", "true")
			for _, key := range []string{"core.fsmonitor", "filter.x.clean", "filter.x.smudge", "gpg.program", "core.editor"} {
				p.gitIn(dir, "config", key, x.program)
				p.git("config", "--file", ".git/worktrees/task-1/config.worktree", key, x.program)
			}
			p.gitIn(dir, "config", "commit.gpgSign", "true")
			p.git("config", "--file", ".git/worktrees/task-1/config.worktree", "commit.gpgSign", "true")
			p.write(filepath.Join(dir, ".gitattributes"), "* filter=x\n")
			p.write(filepath.Join(dir, "a"), "changed\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			tree := p.branch("task-1", "liza/task-1")
			x := p.trap()
			attack(p, tree.Path, x)
			require.NoError(t, removeIfThere(x.ran)) // what the agent itself ran
			p.looked("task-1")
			require.NoFileExists(t, x.ran)
			if ran, err := os.ReadFile(x.ran); err == nil {
				t.Fatalf("ran: %s", ran)
			}
		})
	}
}

// A branch that is taken from a checkout is taken without its hooks.
func TestARestartRunsNothingOfACheckout(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	old, x, hooks := p.branch("task-1", "liza/task-1"), p.trap(), t.TempDir()
	p.script(filepath.Join(hooks, "reference-transaction"), content(t, x.program))
	p.gitIn(old.Path, "config", "core.hooksPath", hooks)
	require.NoError(t, removeIfThere(x.ran))
	_, err := p.Restart(context.Background(), "task-1@2", "liza/task-1", p.base, p.base)
	require.NoError(t, err)
	require.NoFileExists(t, x.ran)
	p.gitIn(old.Path, "update-ref", "refs/heads/other", "HEAD")
	require.FileExists(t, x.ran, "the agent's own git runs them")
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// Hooks and filters of the user's own go on working.
func TestTheUsersOwnIsRun(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.git("config", "core.hooksPath", ".husky")
	p.git("config", "filter.upper.clean", "tr a-z A-Z")
	p.git("config", "filter.upper.smudge", "tr A-Z a-z")
	p.write(".git/info/attributes", "*.up filter=upper\n")
	p.hook(".husky/pre-commit", "echo main >>'"+filepath.Join(p.dir, "ran.o")+"'\n")
	tree := p.branch("task-1", "liza/task-1")
	p.hook(filepath.Join(tree.Path, ".husky/pre-commit"), "echo agent >>'"+filepath.Join(p.dir, "ran.o")+"'\n")
	p.write(filepath.Join(tree.Path, "x.up"), "text\n")
	require.NoError(t, p.Contents.Commit(context.Background(), tree.Path, "work", os.Environ()))
	require.Equal(t, "TEXT", p.gitIn(tree.Path, "show", "HEAD:x.up"))
	require.Equal(t, "main\n", content(t, p.dir, "ran.o"))
	require.True(t, p.status(tree.Path).Clean())
}

// A filter that runs a file of the checkout is not run, and nothing is committed
// as it would not have left it.
func TestAFilterOfTheTreeFailsClosed(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.git("config", "filter.strip.clean", "./strip.sh")
	tree := p.branch("task-1", "liza/task-1")
	p.script(filepath.Join(tree.Path, "strip.sh"), "#!/bin/sh\nsed s/secret//\n")
	p.write(filepath.Join(tree.Path, ".gitattributes"), "*.env filter=strip\n")
	p.write(filepath.Join(tree.Path, "x"), "x\n")
	require.NoError(t, p.Contents.Commit(context.Background(), tree.Path, "no such file", os.Environ()))
	p.write(filepath.Join(tree.Path, "x.env"), "secret\n")
	err := p.Contents.Commit(context.Background(), tree.Path, "work", os.Environ())
	var filter *worktrees.FilterError
	require.ErrorAs(t, err, &filter)
	require.Equal(t, "./strip.sh", filter.Path)
	var failed *git.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, []string{"x.env"}, p.status(tree.Path).Untracked)
}

// A repository inside is never committed as a link; a submodule that the base
// has stays.
func TestCommitRefusesNestedRepositories(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	from := filepath.Join(t.TempDir(), "from")
	p.git("clone", "-q", p.dir, from)
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "module")
	p.base = p.commitAll(p.dir, "submodule")
	tree := p.branch("task-1", "liza/task-1")
	p.gitIn(tree.Path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	p.write(filepath.Join(tree.Path, "a"), "work\n")
	p.nested(filepath.Join(tree.Path, "su b"), p.trap())
	head := p.gitIn(tree.Path, "rev-parse", "HEAD")
	for _, do := range []func(){func() {}, func() { p.gitIn(tree.Path, "-c", "advice.addEmbeddedRepo=false", "add", "su b") }} {
		do()
		o := obstacle(t, p.Contents.Commit(ctx, tree.Path, "work", os.Environ()))
		require.Equal(t, filepath.Join(tree.Path, "su b"), o.Path)
		require.Contains(t, o.Reason, "is a git repository of its own")
		require.Equal(t, head, p.gitIn(tree.Path, "rev-parse", "HEAD"))
	}
	o := obstacle(t, p.Contents.Commit(ctx, tree.Path, "work", os.Environ()))
	p.typed(o.Hint)
	require.NoError(t, p.Contents.Commit(ctx, tree.Path, "work", os.Environ()))
	require.Equal(t, "a\nsu b/.gitattributes\nsu b/s", p.gitIn(tree.Path, "diff-tree", "-r", "--name-only", head, "HEAD"))
	require.True(t, p.status(tree.Path).Clean())
}

// A folder that became a link, and files that became pipes, are saved and
// committed without looking behind them.
func TestSaveWhatIsNoFile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := newProject(t)
	outside := t.TempDir()
	p.write(filepath.Join(outside, "c"), "not ours\n")
	tree := p.branch("task-1", "liza/task-1")
	require.NoError(t, os.RemoveAll(filepath.Join(tree.Path, "b")))
	require.NoError(t, os.Symlink(outside, filepath.Join(tree.Path, "b")))
	require.NoError(t, os.Remove(filepath.Join(tree.Path, "a")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(tree.Path, "a"), 0o666))
	require.NoError(t, syscall.Mkfifo(filepath.Join(tree.Path, "pipe"), 0o666))
	p.write(filepath.Join(tree.Path, "line\nbreak\x1b[31m"), "x")
	saved, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
	require.NoError(t, err)
	require.NoError(t, p.Contents.Commit(ctx, tree.Path, "work", os.Environ()))
	for _, rev := range []string{string(saved), "liza/task-1"} {
		require.Equal(t, ".gitignore b line\nbreak\x1b[31m", strings.TrimRight(strings.ReplaceAll(p.git("ls-tree", "-r", "--name-only", "-z", rev), "\x00", " "), " "))
		require.Equal(t, outside, p.git("cat-file", "blob", rev+":b"))
	}
	require.NoError(t, p.Remove(ctx, "task-1"))
	require.Equal(t, "not ours\n", content(t, outside, "c"))
}

// link commits a link to a repository inside, in which a file of git's then is a pipe.
func (p *project) link(dir, file string) {
	p.t.Helper()
	p.nested(filepath.Join(dir, "sub"), p.trap())
	p.gitIn(filepath.Join(dir, "sub"), "symbolic-ref", "HEAD", p.gitIn(dir, "symbolic-ref", "HEAD"))
	p.gitIn(filepath.Join(dir, "sub"), "commit", "-q", "--allow-empty", "-m", "one")
	p.gitIn(dir, "add", "sub")
	p.gitIn(dir, "commit", "-q", "-m", "link")
	require.NoError(p.t, os.Remove(filepath.Join(dir, "sub/.git", file)))
	require.NoError(p.t, syscall.Mkfifo(filepath.Join(dir, "sub/.git", file), 0o666))
}

// A pipe at a path that git opens does not block git.
func TestNothingWaitsForAPipe(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, test := range map[string]struct {
		do    func(p *project, dir string)
		saved string
	}{
		"ignore and attributes": {func(p *project, dir string) {
			for _, file := range []string{".gitattributes", "new/.gitignore", "b/.gitignore", ".gitmodules", "new/.mailmap"} {
				p.write(filepath.Join(dir, file), "")
				require.NoError(p.t, os.Remove(filepath.Join(dir, file)))
				require.NoError(p.t, syscall.Mkfifo(filepath.Join(dir, file), 0o666))
			}
			p.write(filepath.Join(dir, "new/file"), "x")
		}, "new/file"},
		"the HEAD of a repository inside": {func(p *project, dir string) {
			p.nested(filepath.Join(dir, "sub"), p.trap())
			require.NoError(p.t, os.Remove(filepath.Join(dir, "sub/.git/HEAD")))
			require.NoError(p.t, syscall.Mkfifo(filepath.Join(dir, "sub/.git/HEAD"), 0o666))
		}, "sub/s"},
		"a branch of a repository that is a link": {func(p *project, dir string) { p.link(dir, p.gitIn(dir, "symbolic-ref", "HEAD")) }, "sub"},
		"its configuration":                       {func(p *project, dir string) { p.link(dir, "config") }, "sub"},
		"what its configuration includes": {func(p *project, dir string) {
			p.link(dir, "COMMIT_EDITMSG")
			pipe := filepath.Join(p.t.TempDir(), "pipe")
			require.NoError(p.t, syscall.Mkfifo(pipe, 0o666))
			p.git("config", "--file", filepath.Join(dir, "sub/.git/config"), "include.path", "more")
			p.git("config", "--file", filepath.Join(dir, "sub/.git/more"), "includeIf.gitdir:/**.path", pipe)
		}, "sub"},
		"the configuration that it shares": {func(p *project, dir string) {
			p.link(dir, "COMMIT_EDITMSG")
			require.NoError(p.t, os.Mkdir(filepath.Join(dir, "more"), 0o777))
			p.write(filepath.Join(dir, "sub/.git/commondir"), "../../more\n")
			require.NoError(p.t, os.Rename(filepath.Join(dir, "sub/.git/refs"), filepath.Join(dir, "more/refs")))
			require.NoError(p.t, os.Rename(filepath.Join(dir, "sub/.git/objects"), filepath.Join(dir, "more/objects")))
			require.NoError(p.t, syscall.Mkfifo(filepath.Join(dir, "more/config"), 0o666))
		}, "sub"},
		"a repository that is elsewhere": {func(p *project, dir string) {
			other := filepath.Join(p.t.TempDir(), "other")
			p.nested(other, p.trap())
			require.NoError(p.t, os.Remove(filepath.Join(other, ".git/HEAD")))
			require.NoError(p.t, syscall.Mkfifo(filepath.Join(other, ".git/HEAD"), 0o666))
			p.write(filepath.Join(dir, "sub/s"), "x")
			p.write(filepath.Join(dir, "sub/.git"), "gitdir: "+other+"/.git\n")
			require.NoError(p.t, os.Mkdir(filepath.Join(dir, "sub2"), 0o777))
			require.NoError(p.t, os.Symlink(other+"/.git", filepath.Join(dir, "sub2/.git")))
		}, "sub/s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			tree := p.branch("task-1", "liza/task-1")
			test.do(p, tree.Path)
			p.status(tree.Path)
			_, err := p.Contents.Fingerprint(ctx, tree.Path)
			require.NoError(t, err)
			id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
			require.NoError(t, err)
			require.NotEmpty(t, p.git("ls-tree", string(id), test.saved))
			require.NoError(t, p.Contents.Commit(ctx, tree.Path, "work", os.Environ()))
			require.NoError(t, p.Remove(ctx, "task-1"))
		})
	}
}

// Files that a commit cannot hold are not deleted with the checkout, and do not keep
// anybody from removing it.
func TestRetireKeepsWhatCannotBeSaved(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, test := range map[string]struct {
		do    func(p *project, dir string)
		whole bool   // nothing has to be kept
		saved string // what a snapshot has nevertheless
		kept  string // a file, relative to what is kept
	}{
		"nothing":        {func(p *project, dir string) {}, true, "a", ""},
		"ordinary files": {func(p *project, dir string) { p.write(filepath.Join(dir, "new"), "x") }, true, "new", ""},
		"a pipe for a file": {func(p *project, dir string) {
			require.NoError(p.t, os.Remove(filepath.Join(dir, "a")))
			require.NoError(p.t, syscall.Mkfifo(filepath.Join(dir, "a"), 0o666))
		}, true, "b/c", ""},
		"a repository": {func(p *project, dir string) {
			p.write(filepath.Join(dir, "new"), "x")
			p.nested(filepath.Join(dir, "sub"), p.trap())
		}, false, "new", "sub/.git/refs/heads/main"},
		"a repository in the index": {func(p *project, dir string) {
			p.nested(filepath.Join(dir, "sub"), p.trap())
			p.gitIn(dir, "-c", "core.fsmonitor=false", "-c", "advice.addEmbeddedRepo=false", "add", "sub")
		}, false, "a", "sub/.git/refs/heads/main"},
		"a file of holes": {func(p *project, dir string) {
			p.write(filepath.Join(dir, "holes"), "")
			p.write(filepath.Join(dir, "new"), "x")
			require.NoError(p.t, os.Truncate(filepath.Join(dir, "holes"), 1<<40))
		}, false, "new", "holes"},
		"a filter of the tree": {func(p *project, dir string) {
			p.git("config", "filter.x.clean", "./x.sh")
			p.write(filepath.Join(dir, "x.sh"), "")
			p.write(filepath.Join(dir, ".gitattributes"), "* filter=x\n")
		}, false, "a", ".gitattributes"},
		"its .git is a folder": {func(p *project, dir string) {
			require.NoError(p.t, os.RemoveAll(filepath.Join(dir, ".git")))
			p.nested(dir, p.trap())
		}, false, "", ".git/refs/heads/main"},
		"its .git is a link": {func(p *project, dir string) {
			require.NoError(p.t, os.RemoveAll(filepath.Join(dir, ".git")))
			require.NoError(p.t, os.Symlink("/etc", filepath.Join(dir, ".git")))
		}, false, "", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			tree := p.branch("task-1", "liza/task-1")
			test.do(p, tree.Path)
			if test.saved != "" {
				id, err := p.Contents.Snapshot(ctx, tree.Path, "saved", nil)
				if !test.whole {
					require.ErrorIs(t, err, worktrees.ErrIncomplete)
				} else {
					require.NoError(t, err)
				}
				require.NotEmpty(t, p.git("ls-tree", string(id), test.saved))
			}
			kept, err := p.Retire(ctx, "task-1", nil, always)
			require.NoError(t, err)
			require.NoDirExists(t, tree.Path)
			if test.whole {
				require.Empty(t, kept)
				p.swept()
				return
			}
			require.FileExists(t, filepath.Join(kept, test.kept))
			require.NoError(t, p.Leftovers.Clear(ctx))
			require.FileExists(t, filepath.Join(kept, test.kept))
			left, err := p.Leftovers.List(ctx)
			require.NoError(t, err)
			require.Equal(t, kept, left[0].Path)
			p.typed(left[0].Hint)
			p.branch("task-1", "liza/task-1")
			p.whole("task-1", "liza/task-1", p.base)
		})
	}
}
