package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// locatedAsGit compares where git finds a repository with where it is found in process,
// and reports whether git need not be asked.
func locatedAsGit(t *testing.T, dir string) bool {
	t.Helper()
	ours, err := locate(dir)
	if err != nil {
		require.ErrorIs(t, err, errAskGit)
		t.Log(err)
		return false
	}
	theirs, _, err := locateByGit(context.Background(), dir)
	require.NoError(t, err)
	require.Equal(t, theirs, ours)
	return true
}

// The kinds of repository of all tests, and whether git need not be asked where they are.
func TestLocationsOfKinds(t *testing.T) {
	t.Parallel()
	asked := []string{"bare", "inside the git directory", "submodule"}
	for name, make := range gittest.Kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, !slices.Contains(asked, name), locatedAsGit(t, make(t).Dir))
		})
	}
}

// A layout is a repository that a test changes: it returns the folder to look from.
type layoutCase struct {
	make      func(t *testing.T, dir string) string
	inProcess bool
}

func configured(args ...string) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		gittest.Git(t, dir, append([]string{"config"}, args...)...)
		return dir
	}
}

func written(name, content string) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		gittest.Write(t, dir, name, content)
		return dir
	}
}

func linkedTo(t *testing.T, dir string) string {
	linked := filepath.Join(t.TempDir(), "linked")
	gittest.Git(t, dir, "worktree", "add", "-q", linked)
	return linked
}

func subfolder(name string) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o777))
		return filepath.Join(dir, name)
	}
}

var layoutCases = map[string]layoutCase{
	"deep subfolder": {subfolder("a/b ü/c"), true},
	"nested empty .git": {func(t *testing.T, dir string) string {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "a/.git"), 0o777))
		return filepath.Join(dir, "a")
	}, false},
	"inside .git": {subfolder(".git/a/b"), false},
	"folder with a HEAD": {func(t *testing.T, dir string) string {
		gittest.Write(t, dir, "a/HEAD", "x")
		return filepath.Join(dir, "a")
	}, false},
	"through a link": {func(t *testing.T, dir string) string {
		link := filepath.Join(t.TempDir(), "link")
		require.NoError(t, os.Symlink(filepath.Join(dir, "src"), link))
		return link
	}, true},
	".git is a link": {func(t *testing.T, dir string) string {
		require.NoError(t, os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "real")))
		require.NoError(t, os.Symlink("real", filepath.Join(dir, ".git")))
		return dir
	}, false},
	"separate git directory": {func(t *testing.T, dir string) string {
		gittest.Git(t, dir, "init", "-q", "--separate-git-dir", filepath.Join(t.TempDir(), "apart"))
		return dir
	}, false},
	"objects are elsewhere": {func(t *testing.T, dir string) string {
		objects := filepath.Join(dir, ".git", "objects")
		require.NoError(t, os.Rename(objects, filepath.Join(dir, "objects")))
		require.NoError(t, os.Symlink("../objects", objects))
		return dir
	}, false},
	"a name with a line break": {func(t *testing.T, dir string) string {
		broken := filepath.Join(t.TempDir(), "a\nb")
		require.NoError(t, os.Rename(dir, broken))
		return broken
	}, false},
	"linked": {linkedTo, true},
	"linked, by a relative path": {func(t *testing.T, dir string) string {
		linked := linkedTo(t, dir)
		rel, err := filepath.Rel(linked, filepath.Join(dir, ".git/worktrees/linked"))
		require.NoError(t, err)
		gittest.Write(t, linked, ".git", "gitdir: "+rel+"\r\n\n")
		return linked
	}, true},
	"linked, not seen for two days": {func(t *testing.T, dir string) string {
		linked, before := linkedTo(t, dir), time.Now().Add(-48*time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(dir, ".git/worktrees/linked/gitdir"), before, before))
		return linked
	}, false},
	"linked to nothing": {func(t *testing.T, dir string) string {
		linked := linkedTo(t, dir)
		require.NoError(t, os.RemoveAll(filepath.Join(dir, ".git/worktrees")))
		return linked
	}, false},
	"linked, .git is no link": {func(t *testing.T, dir string) string {
		linked := linkedTo(t, dir)
		gittest.Write(t, linked, ".git", "gitdir "+dir)
		return linked
	}, false},
	"linked, where the main one is bare": {func(t *testing.T, dir string) string {
		linked := linkedTo(t, dir)
		return strings.Replace(configured("core.bare", "true")(t, dir), dir, linked, 1)
	}, true},
	"linked, with files of their own": {func(t *testing.T, dir string) string {
		linked := linkedTo(t, dir)
		gittest.Git(t, linked, "config", "extensions.worktreeConfig", "true")
		gittest.Git(t, linked, "config", "--worktree", "core.bare", "false")
		return linked
	}, true},
	"linked, its own file names a work tree": {func(t *testing.T, dir string) string {
		linked := linkedTo(t, dir)
		gittest.Git(t, linked, "config", "extensions.worktreeConfig", "true")
		gittest.Git(t, linked, "config", "--worktree", "core.worktree", t.TempDir())
		return linked
	}, false},
	"bare, with a work tree around": {configured("core.bare", "true"), false},
	"bare, in odd words":            {configured("core.bare", "maybe"), false},
	"bare without a value":          {written(".git/config", "[core]\nrepositoryformatversion = 0\nbare\n"), false},
	"not bare, in capitals":         {written(".git/config", "[CORE]\nRepositoryFormatVersion = 0\nBARE = Off\n"), true},
	"no version":                    {written(".git/config", "[core]\nbare = false\n"), false},
	"version 1":                     {written(".git/config", "[core]\nrepositoryformatversion = 1\n"), true},
	"version 2":                     {written(".git/config", "[core]\nrepositoryformatversion = 2\n"), false},
	"version twice":                 {written(".git/config", "[core]\nrepositoryformatversion = 7\nrepositoryformatversion = 0\n"), true},
	"an extension nobody knows":     {written(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\nnone = 1\n"), false},
	"another ref storage":           {written(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\nrefStorage = files\n"), false},
	"sha256 in version 0":           {written(".git/config", "[core]\nrepositoryformatversion = 0\n[extensions]\nobjectFormat = sha256\n"), false},
	"sha1 by name":                  {written(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha1\n"), true},
	"a partial clone":               {written(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n"), true},
	"a partial clone of nothing":    {written(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone\n"), false},
	"precious, in odd words":        {written(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\npreciousObjects = garbage\n"), false},
	"precious":                      {written(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\npreciousObjects\n"), true},
	"objects in two forms":          {written(".git/config", "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = sha256\nobjectFormat = sha1\n"), false},
	"core.worktree":                 {configured("core.worktree", ".."), false},
	"core.worktree, included": {func(t *testing.T, dir string) string {
		gittest.Write(t, dir, ".git/more", "[core]\nworktree = /\nbare = true\n")
		return configured("include.path", "more")(t, dir)
	}, true},
	"damaged configuration": {written(".git/config", "[core\n"), false},
	"no configuration": {func(t *testing.T, dir string) string {
		require.NoError(t, os.Remove(filepath.Join(dir, ".git/config")))
		return dir
	}, false},
	"detached": {func(t *testing.T, dir string) string {
		gittest.Git(t, dir, "checkout", "-q", "--detach")
		return dir
	}, true},
	"damaged HEAD":           {written(".git/HEAD", "x\n"), false},
	"HEAD outside refs":      {written(".git/HEAD", "ref: config\n"), false},
	"HEAD without a commit":  {written(".git/HEAD", "ref: refs/heads/none\n"), true},
	"commondir in main .git": {written(".git/commondir", ".\n"), false},
	"no refs": {func(t *testing.T, dir string) string {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, ".git/refs")))
		return dir
	}, false},
	"somebody else's": {func(t *testing.T, dir string) string {
		if os.Geteuid() != 0 {
			t.Skip("only root gives files away")
		}
		require.NoError(t, os.Chown(dir, 65534, 65534))
		return dir
	}, false},
}

func TestLocations(t *testing.T) {
	t.Parallel()
	for name, one := range layoutCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, one.inProcess, locatedAsGit(t, one.make(t, gittest.Seeded(t))))
		})
	}
}

// The lines by which a file says what form its repository has, the first of each key as git
// writes it. "-" stands for a line without a value.
var formLines = map[string][]string{
	"core.repositoryFormatVersion": {"1", "0", "2", "01", "1k", "garbage", "", "-"},
	"core.bare":                    {"false", "true", "off", "2", "garbage", "", "-"},
	"extensions.objectFormat":      {"sha1", "sha256", "SHA1", "garbage", "", "-"},
	"extensions.partialClone":      {"origin", "none", "", "-"},
	"extensions.preciousObjects":   {"true", "false", "2", "garbage", "", "-"},
	"extensions.worktreeConfig":    {"true", "false", "2", "garbage", "", "-"},
	"extensions.noop":              {"true", "garbage", "", "-"},
}

// Whatever a repository's own file says of its form, once or twice, a repository that is
// found in process is the one that git finds.
func TestFormsAreGitsToRefuse(t *testing.T) {
	t.Parallel()
	for key, values := range formLines {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Seeded(t)
			section, name, _ := strings.Cut(key, ".")
			located := func(version string, list ...string) bool {
				text := "[core]\nrepositoryFormatVersion = " + version + "\n[" + section + "]\n"
				for _, value := range list {
					text += strings.TrimSuffix(name+" = "+value, " = -") + "\n"
				}
				gittest.Write(t, dir, ".git/config", text)
				return locatedAsGit(t, dir)
			}
			require.True(t, located("1", values[0]))
			for _, first := range values {
				for _, version := range []string{"0", "1"} {
					located(version, first)
				}
				for _, second := range values {
					located("1", first, second)
				}
			}
		})
	}
}

// What the environment says, DIR being the repository, seen from its folder src.
func TestLocationsByEnvironment(t *testing.T) {
	for kv, inProcess := range map[string]bool{
		"GIT_DIR=DIR/.git": false, "GIT_DIR=": false, "GIT_WORK_TREE=DIR": false, "GIT_COMMON_DIR=DIR/.git": false,
		"GIT_OBJECT_DIRECTORY=DIR/.git/objects": false, "GIT_QUARANTINE_PATH=DIR/.git/objects": false, "GIT_NAMESPACE=x": false,
		"GIT_DISCOVERY_ACROSS_FILESYSTEM=1": false, "GIT_TEST_ASSUME_DIFFERENT_OWNER=1": false, "GIT_IMPLICIT_WORK_TREE=0": false,
		"GIT_CEILING_DIRECTORIES=DIR": false, "GIT_CEILING_DIRECTORIES=": true, "GIT_EDITOR=vi": true, "GIT_TRACE=0": true,
		"GIT_AUTHOR_NAME=x": true, "GIT_CONFIG_PARAMETERS='core.worktree'='/'": true, "GIT_INDEX_FILE=x": true,
	} {
		t.Run(kv, func(t *testing.T) {
			dir := gittest.Seeded(t)
			name, value, _ := strings.Cut(strings.ReplaceAll(kv, "DIR/", dir+"/"), "=")
			t.Setenv(name, strings.TrimPrefix(strings.ReplaceAll(value, "DIR", dir), "="))
			require.Equal(t, inProcess, locatedAsGit(t, filepath.Join(dir, "src")))
		})
	}
	dir := gittest.Seeded(t)
	t.Setenv("GIT_CEILING_DIRECTORIES", dir)
	require.True(t, locatedAsGit(t, dir), "a ceiling is not one for the folder itself")
}

// In the hooks of a push git names the repository, and where the pushed objects are.
func TestLocationsOfPushes(t *testing.T) {
	quarantine := []string{"GIT_OBJECT_DIRECTORY=DIR/./objects/apart", "GIT_QUARANTINE_PATH=DIR/objects/apart", "GIT_ALTERNATE_OBJECT_DIRECTORIES=DIR/objects", "GIT_PUSH_OPTION_COUNT=0"}
	for name, one := range map[string]struct {
		env       []string
		config    []string
		inProcess bool
	}{
		"a hook":                   {nil, nil, true},
		"with objects apart":       {quarantine, nil, true},
		"objects that are nowhere": {[]string{"GIT_OBJECT_DIRECTORY=DIR/none"}, nil, false},
		"relative objects":         {[]string{"GIT_OBJECT_DIRECTORY=objects"}, nil, false},
		"with a work tree":         {[]string{"GIT_WORK_TREE=DIR"}, nil, false},
		"by a namespace":           {[]string{"GIT_NAMESPACE=x"}, nil, false},
		"not bare":                 {nil, []string{"core.bare", "false"}, false},
		"has a work tree":          {nil, []string{"core.worktree", "/"}, false},
		"files of worktrees":       {nil, []string{"extensions.worktreeConfig", "true"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "server")
			gittest.Git(t, ".", "clone", "-q", "--bare", gittest.Seeded(t), dir)
			require.NoError(t, os.Mkdir(filepath.Join(dir, "objects/apart"), 0o777))
			if one.config != nil {
				gittest.Git(t, dir, append([]string{"config"}, one.config...)...)
			}
			t.Setenv("GIT_DIR", ".")
			for _, kv := range one.env {
				name, value, _ := strings.Cut(strings.ReplaceAll(kv, "DIR/", dir+"/"), "=")
				t.Setenv(name, value)
			}
			require.Equal(t, one.inProcess, locatedAsGit(t, dir))
			require.False(t, locatedAsGit(t, filepath.Dir(dir)), "no repository")
		})
	}
}

// Another file system ends git's search; a mount is seen as it is in /proc.
func TestNoRepositoryIsGitsToSay(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"/proc/self", "/dev", t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		_, err := locate(dir)
		require.ErrorIs(t, err, errAskGit, dir)
	}
}

// The git that was asked about itself, after the first move, is known from then on, until
// another file is in its place. What is remembered and cannot be is not believed.
func TestProgramIsRemembered(t *testing.T) {
	ctx, dir, bin := context.Background(), gittest.Seeded(t), t.TempDir()
	real, ok := findProgram()
	require.True(t, ok)
	t.Setenv("PATH", filepath.Dir(real.Path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	path := filepath.Join(dir, ".git", "liza", programsFile)
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o777))
	asked := func() (is bool) { _, is = recallProgram(filepath.Join(dir, ".git")); return is }
	believed := func() bool { p, _ := recallProgram(filepath.Join(dir, ".git")); return p.System != "" }
	move := func() {
		r := open(t, dir)
		head, err := r.Refs.Resolve(ctx, "HEAD")
		require.NoError(t, err)
		require.NoError(t, r.Refs.MoveRefs(ctx, []RefUpdate{{Name: "refs/liza/x", New: head, Any: true}}, "x"))
	}
	open(t, dir)
	require.NoFileExists(t, path, "who only reads asks nothing")
	move()
	require.True(t, believed())
	first, again := open(t, dir), open(t, dir)
	require.Equal(t, "git version "+first.GitVersion(), gittest.Git(t, dir, "version"))
	require.Equal(t, first.location, again.location)
	require.Equal(t, systemFile(t), again.program.System)

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for from, to := range map[string]string{
		`"System":"`: `"System":"/nowhere`, `"Version":"2.`: `"Version":"1.`, `"Version":`: `"Version":"2.0","Was":`,
		`"Size":`: `"Size":1`, `"Inode":`: `"Inode":1`, `"Modified":`: `"Modified":1`, `"Device":`: `"Device":1`,
	} {
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o666))
		require.False(t, believed(), to)
	}
	require.NoError(t, os.WriteFile(path, text[:len(text)-3], 0o666))
	require.False(t, asked())
	move()
	require.True(t, believed(), "what could not be read was asked once more")

	// Others in its place: a wrapper, an old one, a copy.
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	gittest.Script(t, filepath.Join(bin, "git"), "#!/bin/sh\nexec '"+real.Path+"' \"$@\"\n")
	require.False(t, asked())
	move()
	require.True(t, asked(), "it is asked once")
	require.False(t, believed(), "a program that starts another is not the other")
	gittest.Script(t, filepath.Join(bin, "git"), "#!/bin/sh\necho git version 2.37.9\n")
	_, err = Open(ctx, dir)
	require.ErrorIs(t, err, ErrTooOld)
	data, err := os.ReadFile(real.Path)
	require.NoError(t, err)
	gittest.Script(t, filepath.Join(bin, "git"), string(data))
	require.False(t, asked())
	move()
	require.True(t, believed())
}

// systemFile is git's own file for all users, as git says.
func systemFile(t *testing.T) string {
	t.Setenv("GIT_EDITOR", "echo")
	return gittest.Git(t, t.TempDir(), "config", "--system", "--edit")
}
