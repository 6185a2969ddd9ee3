package worktrees

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Contents reads and saves the content of checkouts: their state, snapshots of it, and
// commits.
type Contents struct {
	repo      *git.Repo
	registry  *registry
	scratch   *scratch
	isolation *isolation
	insides   *insides
}

// recordAt is the work tree at path, after what was committed inside it is the clone's.
func (k *Contents) recordAt(ctx context.Context, path string) (record, error) {
	r, err := k.registry.recordAt(ctx, path)
	if err == nil {
		err = k.insides.take(ctx, &r)
	}
	return r, err
}

// A Status is what a checkout has that no commit has. Paths are relative to it, with
// slashes, sorted as git sorts them. A path can be both staged and unstaged; one with
// an unresolved conflict is unstaged. Ignored files do not count. An untracked path
// that ends in a slash is a repository of its own.
type Status struct {
	Head   ID     // "" on a branch without a commit
	Branch string // "" if HEAD is detached; it may be one inside, which the clone has not

	Lost bool // the branch of its task is not there, for git in the checkout

	Staged, Unstaged, Untracked []string

	// Nested are those of the above that are repositories of their own: untracked ones,
	// new links to one, and submodules at another commit. Changes inside a submodule
	// are not looked for.
	Nested []string

	// Left are the paths that do not count because nobody has changed them since the
	// checkout was ready, see [Contents.SetUp].
	Left []string

	of       record
	baseline baseline
	inner    map[string]bool // of a work tree that lacks files, the paths of the index inside after their marks
	links    []string        // the nested ones that only the index has, as links
	lines    []string        // git's own output on what is tracked, for the fingerprint
}

// Clean reports whether the checkout has nothing but the commit; untracked files count.
func (s Status) Clean() bool {
	return len(s.Staged) == 0 && len(s.Unstaged) == 0 && len(s.Untracked) == 0
}

// Changed returns all paths that are not clean, each once, sorted.
func (s Status) Changed() []string {
	paths := slices.Concat(s.Staged, s.Unstaged, s.Untracked)
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Status returns the status of the work tree at path, any of the repository's. It
// writes nothing, not even the index. In a checkout below .worktrees/ it removes the
// pipes that would block git.
func (k *Contents) Status(ctx context.Context, path string) (Status, error) {
	r, err := k.recordAt(ctx, path)
	if err != nil {
		return Status{}, err
	}
	return k.readStatus(ctx, r)
}

// Changed returns the paths of the work tree at path that no commit has as they are, as
// [Status.Changed] does. A session may have written there: no filter that is a file of it runs.
func (k *Contents) Changed(ctx context.Context, path string) ([]string, error) {
	r, err := k.recordAt(ctx, path)
	if err != nil {
		return nil, err
	}
	r.barred = true
	s, err := k.readStatus(ctx, r)
	return s.Changed(), err
}

func (k *Contents) readStatus(ctx context.Context, r record) (Status, error) {
	removeBlocking(r)
	out, err := k.isolation.run(ctx, r, git.Cmd{Limit: slow, Env: []string{"GIT_OPTIONAL_LOCKS=0"},
		Args: []string{"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--untracked-files=all", "--no-renames",
			"--ignore-submodules=dirty"}}) // to look further git would start another git inside, with the configuration there
	if err != nil {
		return Status{}, err
	}
	s := Status{of: r, baseline: readBaseline(r)}
	if r.own && bytes.Contains(out, []byte("\x001 .D ")) {
		marked, _, _ := k.insides.runOnInner(ctx, r, "ls-files", "-v", "-z") // nothing is left out by what git cannot read
		s.inner = pathSet(string(marked))
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if err := s.addLine(line); err != nil {
			return Status{}, err
		}
	}
	s.Branch, s.Lost = cmp.Or(s.Branch, r.inner), r.lost
	return s, nil
}

// link is the mode of a link to a repository.
const link = "160000"

// addLine reads one line of `git status --porcelain=v2 -z` without renames.
func (s *Status) addLine(line string) error {
	kind, rest, _ := strings.Cut(line, " ")
	switch kind {
	case "":
		return nil
	case "#":
		s.addHeader(rest)
		return nil
	case "?":
		if s.leavesAlone(rest) {
			return nil
		}
		s.Untracked = append(s.Untracked, rest)
		if strings.HasSuffix(rest, "/") {
			s.Nested = append(s.Nested, rest)
		}
		return nil
	case "1", "u":
		n := map[string]int{"1": 8, "u": 10}[kind] // fields, the path last
		fields := strings.SplitN(rest, " ", n)
		if len(fields) != n || len(fields[0]) != 2 {
			break
		}
		path := fields[n-1]
		if kind == "1" && (fields[0] == ".D" && s.inner["S "+path] || fields[0][0] == '.' && s.leavesAlone(path)) {
			return nil
		}
		if fields[map[string]int{"1": 4, "u": 5}[kind]] == link { // on disk
			s.Nested = append(s.Nested, path)
			if kind == "1" && fields[2] != link && fields[3] == link {
				s.links = append(s.links, path)
			}
		}
		if kind == "1" && fields[0][0] != '.' {
			s.Staged = append(s.Staged, path)
		}
		if kind == "u" || fields[0][1] != '.' {
			s.Unstaged = append(s.Unstaged, path)
		}
		s.lines = append(s.lines, line)
		return nil
	}
	return fmt.Errorf("git status answered %q", line)
}

func (s *Status) addHeader(text string) {
	key, value, _ := strings.Cut(text, " ")
	switch {
	case key == "branch.oid" && value != "(initial)":
		s.Head = ID(value)
	case key == "branch.head" && value != "(detached)":
		s.Branch = value
	}
	if strings.HasPrefix(key, "branch.oid") || key == "branch.head" {
		s.lines = append(s.lines, text)
	}
}

// large is the size in bytes from which a file is compared by size and time instead of
// content.
const large = 8 << 20

// Fingerprint returns a short text that changes when HEAD, the branch, the index or the
// content of a file that is not ignored changes. It shows whether work has made
// progress.
func (k *Contents) Fingerprint(ctx context.Context, path string) (string, error) {
	s, err := k.Status(ctx, path)
	if err != nil {
		return "", err
	}
	return k.FingerprintOf(ctx, s)
}

// FingerprintOf is the fingerprint of a work tree as far as its status, or a part of it, goes.
func (k *Contents) FingerprintOf(ctx context.Context, s Status) (string, error) {
	sum := sha256.New()
	for _, line := range s.lines {
		fmt.Fprintf(sum, "%q\n", line)
	}
	hidden, err := k.listHidden(ctx, s.of)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(sum, "%q\n", hidden)
	for _, name := range slices.Concat(s.Unstaged, s.Untracked) {
		fmt.Fprintf(sum, "%q\n", name)
		if err := describeFile(sum, filepath.Join(s.of.path, filepath.FromSlash(name))); err != nil {
			return "", fmt.Errorf("worktree %s: %w", s.of.path, err)
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:16]), nil
}

// listHidden are the files that git was told not to look at: a change of one does
// not show in the status.
func (k *Contents) listHidden(ctx context.Context, r record) ([]string, error) {
	out, err := k.isolation.run(ctx, r, git.Cmd{Limit: slow, Args: []string{"ls-files", "-v", "-z"}})
	var list []string
	for line := range strings.SplitSeq(string(out), "\x00") {
		if line != "" && (line[0] == 'S' || line[0] >= 'a') {
			list = append(list, line)
		}
	}
	return list, err
}

// describeFile writes the mode of a file and a hash of its content, of a large file a
// hash of its size and time, and a dash for a file that is gone.
func describeFile(w io.Writer, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		_, err = fmt.Fprintln(w, "-")
		return err
	}
	var content []byte
	switch {
	case info.Mode()&os.ModeSymlink != 0:
		target, _ := os.Readlink(path)
		content = []byte(target)
	case info.Mode().IsRegular() && info.Size() < large:
		content, _ = os.ReadFile(path)
	case !info.IsDir():
		content = fmt.Appendf(nil, "%d %d", info.Size(), info.ModTime().UnixNano())
	}
	_, err = fmt.Fprintf(w, "%v %x\n", info.Mode(), sha256.Sum256(content))
	return err
}
