// Package git finds a repository, runs git in it, reads and writes its objects,
// moves its refs and merges. It knows nothing of the blackboard but the names of
// a few refs and of the folder liza in the git directory. Objects are read and
// written in process where the repository's format allows, refs are moved by git
// alone, and what a killed process leaves behind is cleared by the next one.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/oid"
)

// An ID is the full hexadecimal id of a git object; "" means none.
type ID = oid.ID

// ErrNoRepository is wrapped by Open when there is no git repository. The
// command line tests it to say where to run instead.
var ErrNoRepository = errors.New("not in a git repository")

// A Repo is a git repository as seen from one directory: where it is, how git is
// run in it, its objects and merges. What it is made of has a type each. It is safe
// for use from several goroutines.
type Repo struct {
	Config  *RepoConfiguration // as the repository's own files leave it
	Refs    *RefStore
	Turns   *Turns
	Journal *Journal
	Flusher *Flusher
	Merger  *Merger
	Differ  *Differ
	Packer  *Packer

	// Notice, if it is not nil, is told in a line for people what keeps a call
	// waiting for long, or what a call could not clear away. It may be called from any goroutine.
	Notice func(line string)

	// Background, if it is not nil, starts this program once more, with args, as
	// a process that nobody waits for. Without it such work is done at once.
	Background func(args ...string) error

	// IsOwnHook, if it is not nil, reports whether a file is a reference-transaction hook
	// of git liza on a clone that calls no other hook. Where git would run just that, a
	// transaction of this process, which judges its updates itself, starts none.
	IsOwnHook func(path string) bool

	// Planted, if it is not nil, reports whether a session may have written a hook. No
	// process starts any hook then.
	Planted func() bool

	// Sound are commits that this process has found sound, for packages above.
	Sound sync.Map

	location
	program    program
	unknownGit atomic.Bool // the next move asks it about itself

	mainWorkTree string
	reftable     bool

	sweepOnce sync.Once // of temporary files

	mu      sync.Mutex
	objects *Objects
}

// Open finds the repository that dir lies in, or that GIT_DIR names, as git
// itself does, and checks that git is new enough. It runs one git process, or none where
// the repository has the usual form and git was asked about itself before.
// Errors wrap ErrNoRepository, ErrMissing or ErrTooOld, or carry git's
// own words, for example about unsafe ownership.
func Open(ctx context.Context, dir string) (*Repo, error) {
	if at, err := locate(dir); err == nil {
		if program, _ := recallProgram(at.commonDir); program.System != "" {
			r := newRepo(at, program)
			return r, r.findMainWorkTree(ctx)
		}
	}
	at, version, err := locateByGit(ctx, dir)
	if err != nil {
		return nil, err
	}
	program, asked := recallProgram(at.commonDir)
	program.Version = version
	r := newRepo(at, program)
	r.unknownGit.Store(!asked)
	return r, r.findMainWorkTree(ctx)
}

// locateByGit asks git, with options of its own, where the repository is, and which version
// git has.
func locateByGit(ctx context.Context, dir string, options ...string) (at location, version string, err error) {
	p := newProcess(ctx, gitLimit, append(options, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir",
		"--git-path", "objects", "--show-object-format", "--show-toplevel"))
	defer p.cancel()
	p.Dir = dir
	out, version, runErr := p.runVersioned()
	if err := checkVersion(ctx, &version); err != nil {
		return at, "", err
	}
	// Outside a work tree --show-toplevel alone fails, after the rest was printed.
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	switch {
	case runErr != nil && len(lines) < 4:
		return at, "", judgeForm(dir, version, noRepository(ctx, dir, runErr))
	case len(lines) > 5:
		return at, "", fmt.Errorf("a path of the repository holds a line break: %q", out)
	}
	at = location{gitDir: lines[0], commonDir: lines[1], objectDir: lines[2], hashLen: 40}
	if lines[3] == "sha256" {
		at.hashLen = 64
	}
	if len(lines) == 5 {
		at.workTree = lines[4]
	}
	if format, err := at.readForm(); err == nil && format.clone != "" && at.workTree != "" && options == nil {
		if at, err = at.leadToClone(format.clone); errors.Is(err, errAskGit) {
			return locateByGit(ctx, at.workTree, "--git-dir="+at.gitDir, "--work-tree="+at.workTree)
		}
		return at, version, err
	}
	return at, version, nil
}

func newRepo(at location, program program) *Repo {
	r := &Repo{location: at, program: program}
	r.Config, r.Refs, r.Turns = &RepoConfiguration{repo: r}, &RefStore{r}, &Turns{repo: r}
	r.Journal, r.Flusher, r.Merger, r.Differ, r.Packer = &Journal{repo: r}, &Flusher{r}, &Merger{repo: r}, &Differ{r}, &Packer{r}
	r.Config.list = r.Config.listSettings
	r.reftable = fileExists(filepath.Join(r.commonDir, "reftable"))
	return r
}

// noRepository tells "no repository at all" from one that git refuses, without
// reading git's words: by looking for one.
func noRepository(ctx context.Context, dir string, err error) error {
	if ExitCode(err) != 128 {
		return err
	}
	if name := os.Getenv("GIT_DIR"); name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if _, statErr := os.Stat(name); statErr == nil {
			return err
		}
		return fmt.Errorf("%w: GIT_DIR names %s, which does not exist", ErrNoRepository, name)
	}
	abs, absErr := filepath.Abs(dir)
	if absErr != nil {
		return err
	}
	ceilings := filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES")) // git does not look in them either
	for up := abs; ; up = filepath.Dir(up) {
		if looksLikeRepository(up) {
			return judgeOwner(ctx, dir, err)
		}
		if above := filepath.Dir(up); up == above || slices.Contains(ceilings, above) {
			return fmt.Errorf("%w: %s", ErrNoRepository, abs)
		}
	}
}

// An Unsafe repository is one that git refuses because somebody else owns it.
type Unsafe struct {
	Dir string // what safe.directory must name
	Err error  // git's words
}

// Error is what git says.
func (u *Unsafe) Error() string { return u.Err.Error() }

// Unwrap returns git's error.
func (u *Unsafe) Unwrap() error { return u.Err }

// judgeOwner tells a repository that git refuses for its owner from one that it
// cannot open: it opens once every owner is allowed.
func judgeOwner(ctx context.Context, dir string, err error) error {
	p := newProcess(ctx, gitLimit, []string{"-c", "safe.directory=*", "rev-parse", "--path-format=absolute", "--git-dir", "--show-toplevel"})
	defer p.cancel()
	p.Dir = dir
	out, runErr := p.run()
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	switch {
	case len(lines) == 2 && runErr == nil:
		return &Unsafe{lines[1], err}
	case len(lines) == 1 && lines[0] != "": // outside a work tree --show-toplevel fails
		return &Unsafe{lines[0], err}
	}
	return err
}

func looksLikeRepository(dir string) bool {
	dotGit := filepath.Join(dir, ".git")
	if _, err := os.Lstat(dotGit); err == nil {
		// Sandboxes leave an empty folder behind, which is none.
		list, err := os.ReadDir(dotGit)
		return err != nil || len(list) > 0
	}
	return !slices.ContainsFunc([]string{"HEAD", "objects", "refs"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err != nil
	})
}

// findMainWorkTree settles where the main work tree is. From inside it git has
// said so; from elsewhere core.bare and core.worktree decide, which git reads
// from exactly these two files, without includes.
func (r *Repo) findMainWorkTree(ctx context.Context) error {
	// With GIT_DIR alone git takes the current folder for the work tree.
	guessed := os.Getenv("GIT_DIR") != "" && os.Getenv("GIT_WORK_TREE") == ""
	if r.gitDir == r.commonDir && r.workTree != "" && !guessed {
		r.mainWorkTree = r.workTree
		return nil
	}
	core, err := r.Config.coreSection(ctx)
	if err != nil {
		return err
	}
	bare, work := core["core.bare"], core["core.worktree"]
	switch {
	case work != "" && filepath.IsAbs(work):
		r.mainWorkTree = filepath.Clean(work)
	case work != "":
		r.mainWorkTree = filepath.Join(r.commonDir, work)
	case !IsTrue(bare) && filepath.Base(r.commonDir) == ".git":
		r.mainWorkTree = filepath.Dir(r.commonDir)
	case !IsTrue(bare):
		r.mainWorkTree = r.workTree
		noted, _ := ReadSmall(filepath.Join(r.commonDir, layout.Private, PlaceNote))
		_, main, _ := strings.Cut(strings.TrimSuffix(string(noted), "\n"), "\n")
		if at, err := readLink(main+"/.git", "gitdir: ", main); err == nil && at == r.commonDir {
			r.mainWorkTree = main
		}
	}
	return nil
}

// PlaceNote is the file below liza/ that says, in two lines, what git config liza.worktrees said
// when the last checkout was made, and where the main work tree is, or a bare repository: where the
// git directory lies elsewhere, no file of git's does.
const PlaceNote = "place"

// coreSection reads what the repository's own configuration says under core,
// with config.worktree of the main work tree last, which wins.
func (c *RepoConfiguration) coreSection(ctx context.Context) (map[string]string, error) {
	core := make(map[string]string)
	for _, name := range []string{"config", "config.worktree"} {
		path := filepath.Join(c.repo.commonDir, name)
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the repository's configuration: %w", err)
		}
		var out []byte
		lines, err := parseConfigText(text)
		for _, l := range lines {
			out = l.render(out)
		}
		if err != nil {
			// A file that only git understands.
			if out, err = c.repo.Git(ctx, "config", "--file", path, "--null", "--list"); err != nil {
				return nil, err
			}
		}
		for _, one := range parseConfig(out) {
			core[one.Key] = one.Value
		}
	}
	return core, nil
}

// GitDir is the absolute git directory of the work tree that Open was given.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the absolute git directory that all work trees share.
func (r *Repo) CommonDir() string { return r.commonDir }

// MainWorkTree is the root of the main work tree, also when opened from a
// linked one or a subfolder; "" in a bare repository.
func (r *Repo) MainWorkTree() string { return r.mainWorkTree }

// WorkTree is the root of the work tree that Open was given, "" if it was none.
func (r *Repo) WorkTree() string { return r.workTree }

// HashLen is the number of hexadecimal digits of an object id, 40 or 64.
func (r *Repo) HashLen() int { return r.hashLen }

// GitVersion is the version of the git on PATH, for example "2.39.5".
func (r *Repo) GitVersion() string { return r.program.Version }

// Close ends the processes and files that the repository keeps open.
func (r *Repo) Close() error {
	r.mu.Lock()
	o := r.objects
	r.objects = nil
	r.mu.Unlock()
	if o == nil {
		return nil
	}
	return o.Close()
}

// ObjectDir is the folder that new objects are written to: the repository's own,
// or the quarantine in a hook that judges a push.
func (r *Repo) ObjectDir() string { return r.objectDir }
