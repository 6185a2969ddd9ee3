package gitstore

import (
	"context"
	"fmt"
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

// mergeConfig fixes whatever could make two machines merge differently. The
// values are git's own defaults. Attributes and merge drivers cannot come in:
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

// Merge merges commit onto another without a checkout, in a private git
// directory over the same objects, so that the result depends on the two
// commits and the version of git only. The tree is written to the repository.
// Both commits must have been flushed. A conflict is no error; commits without
// a common ancestor, or a missing one, are a *GitError.
func (r *Repo) Merge(ctx context.Context, onto, commit ID) (Merge, error) {
	for _, id := range []ID{onto, commit} {
		if err := r.checkID(id); err != nil {
			return Merge{}, err
		}
	}
	dir, err := r.mergeDir()
	if err != nil {
		return Merge{}, fmt.Errorf("private git directory for merges: %w", err)
	}
	mode, err := r.fsync(ctx)
	if err != nil {
		return Merge{}, err
	}
	args := append(fsyncArgs(mode, "loose-object"), "merge-tree", "--write-tree",
		"-z", "--name-only", "--no-messages", string(onto), string(commit))
	c := Cmd{GitDir: dir, Args: args}
	if shallow := filepath.Join(r.commonDir, "shallow"); exists(shallow) {
		c.Env = append(c.Env, "GIT_SHALLOW_FILE="+shallow)
	}
	out, err := r.Run(ctx, c)
	if exitCode(err) == 128 && r.isPartial(ctx) {
		// The private directory knows no remote. The same merge in the
		// repository itself, whose result is not used, fetches what is missing.
		if _, err := r.Git(ctx, args...); err != nil && exitCode(err) != 1 {
			return Merge{}, err
		}
		out, err = r.Run(ctx, c)
	}
	if err != nil && (exitCode(err) != 1 || len(out) == 0) {
		return Merge{}, err
	}
	fields := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	m := Merge{Tree: ID(fields[0])}
	if err := r.checkID(m.Tree); err != nil {
		return Merge{}, fmt.Errorf("git merge-tree answered %q", out)
	}
	if exitCode(err) == 1 {
		m.Conflicts = fields[1:]
	}
	return m, nil
}

// mergeDir makes sure of the private git directory. What it holds never
// changes, so processes that make it at the same time do no harm.
func (r *Repo) mergeDir() (string, error) {
	dir := filepath.Join(r.commonDir, "liza", "merge.git")
	config := fmt.Sprintf(mergeConfig, 0)
	if r.hashLen == 64 {
		config = fmt.Sprintf(mergeConfig, 1) + "[extensions]\n\tobjectFormat = sha256\n"
	}
	for _, name := range []string{"refs", "objects"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			return "", err
		}
	}
	for name, content := range map[string]string{"config": config, "HEAD": "ref: refs/heads/none\n"} {
		path := filepath.Join(dir, name)
		if have, err := os.ReadFile(path); err == nil && string(have) == content {
			continue
		}
		if err := writeFile(path, content); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// writeFile puts a whole file in place.
func writeFile(path, content string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
