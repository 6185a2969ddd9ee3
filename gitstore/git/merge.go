package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Merge is what git makes of two commits. Conflicts are the paths it could
// not merge, none if the merge is clean; Tree then is the merged tree.
type Merge struct {
	Tree      ID
	Conflicts []string
}

// A Merger merges commits of a repository without a checkout.
type Merger struct {
	repo       *Repo
	attributes string
}

// With returns a merger that heeds the lines of an info/attributes. They choose among the
// drivers that git has built in: the private git directory of a merge configures no other.
func (g *Merger) With(attributes string) *Merger { return &Merger{g.repo, attributes} }

// mergeConfig sets all that could make two machines merge or compare differently, to git's
// own defaults. No other attributes and merge drivers can come in:
// a bare repository without HEAD reads none.
const mergeConfig = `[core]
	repositoryformatversion = %d
	bare = true
	attributesFile = /dev/null
	autocrlf = false
[merge]
	renames = true
	renameLimit = 7000
	directoryRenames = conflict
	conflictStyle = merge
	renormalize = false
[diff]
	renames = true
	renameLimit = 7000
	algorithm = default
`

// maxConflicts bounds what is read of a merge that has conflicts, in bytes.
const maxConflicts = 16 << 20

// Merge merges commit onto another without a checkout, in a private git
// directory over the same objects, so that the result depends on the two
// commits, the attributes and the version of git only. The tree is written to the repository; a
// move that names it makes it durable.
// Both commits must have been flushed. A conflict is no error; commits without
// a common ancestor, or a missing one, are a *Error, more conflicts than are
// read a *Limit.
func (g *Merger) Merge(ctx context.Context, onto, commit ID) (Merge, error) {
	return g.mergeApart(ctx, onto, commit, func(string) []string { return nil })
}

// TryMerge is [Merger.Merge] but leaves no trace of it: the merged tree is not in
// the repository.
func (g *Merger) TryMerge(ctx context.Context, onto, commit ID) (Merge, error) {
	others := lent(g.repo.objectDir)
	if more := os.Getenv(alternatesVar); more != "" {
		others += string(os.PathListSeparator) + more
	}
	return g.mergeApart(ctx, onto, commit, func(dir string) []string {
		return []string{"GIT_OBJECT_DIRECTORY=" + filepath.Join(dir, "objects"), alternatesVar + "=" + others}
	})
}

// mergeApart merges in a private git directory, with a part of the environment that may
// name it. It is new for each merge: in one that stays a session could name programs, and
// attributes, for the next.
func (g *Merger) mergeApart(ctx context.Context, onto, commit ID, env func(dir string) []string) (Merge, error) {
	dir, err := os.MkdirTemp("", "liza-merge-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = g.makeMergeDir(dir)
	}
	if err != nil {
		return Merge{}, fmt.Errorf("private git directory for merges: %w", err)
	}
	return g.merge(ctx, Cmd{GitDir: dir, Env: env(dir)}, onto, commit)
}

// alternatesVar names more folders with objects, for reading.
const alternatesVar = "GIT_ALTERNATE_OBJECT_DIRECTORIES"

// lent is a folder of objects, with those that it borrows from, as that variable holds them.
func lent(objects string) string {
	stores, _ := Stores(objects) // git says what it cannot read
	for n := range stores {
		stores[n] = quoteAlternate(stores[n])
	}
	return strings.Join(stores, string(os.PathListSeparator))
}

// quoteAlternate returns a folder as that variable holds it, quoted if need be.
func quoteAlternate(dir string) string {
	if strings.ContainsAny(dir, "\"\n"+string(os.PathListSeparator)) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(dir) + `"`
	}
	return dir
}

// IsShallow reports whether the clone is shallow: its history ends early.
func (r *Repo) IsShallow() bool { return fileExists(filepath.Join(r.commonDir, "shallow")) }

// merge runs git merge-tree as c says.
func (g *Merger) merge(ctx context.Context, c Cmd, onto, commit ID) (Merge, error) {
	if err := errors.Join(g.repo.CheckID(onto), g.repo.CheckID(commit)); err != nil {
		return Merge{}, err
	}
	c.Args = append(fsyncArgs(fsyncNone, ""), "merge-tree", "--write-tree",
		"-z", "--name-only", "--no-messages", string(onto), string(commit))
	if shallow := filepath.Join(g.repo.commonDir, "shallow"); fileExists(shallow) {
		c.Env = append(c.Env, "GIT_SHALLOW_FILE="+shallow)
	}
	m, err := g.mergeTree(ctx, c)
	if ExitCode(err) == 128 && g.repo.Config.IsPartial(ctx) {
		// The private directory knows no remote. The same merge in the
		// repository itself, whose result is not used, fetches what is missing.
		if _, err := g.mergeTree(ctx, Cmd{Args: c.Args}); err != nil {
			return Merge{}, err
		}
		m, err = g.mergeTree(ctx, c)
	}
	return m, err
}

func (g *Merger) mergeTree(ctx context.Context, c Cmd) (m Merge, err error) {
	var out []byte
	err = g.repo.streamOutput(ctx, c, func(b *bufio.Reader) error {
		out, err = io.ReadAll(io.LimitReader(b, maxConflicts+1))
		if len(out) > maxConflicts {
			return &Limit{"the merge has conflicts in more files than are read", "git merge-tree " + c.Args[len(c.Args)-2] + " " + c.Args[len(c.Args)-1]}
		}
		return err
	})
	conflict := ExitCode(err) == 1
	if err != nil && (!conflict || len(out) == 0) {
		return Merge{}, err
	}
	fields := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	m.Tree = ID(fields[0])
	if err := g.repo.CheckID(m.Tree); err != nil {
		return Merge{}, fmt.Errorf("git merge-tree answered %.80q", out)
	}
	if conflict {
		m.Conflicts = fields[1:]
	}
	return m, nil
}

// makeMergeDir fills a private git directory.
func (g *Merger) makeMergeDir(dir string) error {
	config := fmt.Sprintf(mergeConfig, 0)
	if g.repo.hashLen == 64 {
		config = fmt.Sprintf(mergeConfig, 1) + "[extensions]\n\tobjectFormat = sha256\n"
	}
	return errors.Join(os.Mkdir(filepath.Join(dir, "refs"), 0o777), os.Mkdir(filepath.Join(dir, "objects"), 0o777), os.Mkdir(filepath.Join(dir, "info"), 0o777),
		os.WriteFile(filepath.Join(dir, "info", "attributes"), []byte(g.attributes), 0o666),
		os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o666), os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"), 0o666))
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
