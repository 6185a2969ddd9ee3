package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// TextFiles are the files of the current work tree, or of a commit.
type TextFiles struct {
	Commit git.ID // "" for the work tree
	repo   *git.Repo
	files  *files // of the commit
}

// OpenTextFiles opens the files of a commit, "" for the current work tree.
func OpenTextFiles(ctx context.Context, c *Clone, commit git.ID) (*TextFiles, error) {
	t := &TextFiles{Commit: commit, repo: c.Repo}
	if commit == "" {
		if c.Repo.WorkTree() == "" {
			return nil, &flow.Refusal{Rule: flow.RuleBare, Reason: "there is no work tree here", Hint: "git liza check --at HEAD"}
		}
		return t, nil
	}
	var err error
	t.files, err = openFiles(ctx, c.Repo, commit)
	return t, err
}

// mostListed bounds the files that are looked at for a list.
const mostListed = 200_000

// List returns the paths of the files below folders, of all files for "", sorted.
func (t *TextFiles) List(ctx context.Context, folders ...string) (list []string, err error) {
	if t.Commit == "" {
		list, err = t.walk(folders)
	} else {
		var out []byte
		folders = slices.DeleteFunc(slices.Clone(folders), func(folder string) bool { return folder == "" })
		args := []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", string(t.Commit), "--"}
		out, err = t.repo.Git(ctx, append(args, folders...)...)
		list = strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	}
	slices.Sort(list)
	return slices.Compact(list), err
}

// walk lists files of the work tree. It follows no link, and enters no repository.
func (t *TextFiles) walk(folders []string) (list []string, err error) {
	root, err := os.OpenRoot(t.repo.WorkTree())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	seen := 0
	for _, folder := range folders {
		err := fs.WalkDir(root.FS(), cmp.Or(folder, "."), func(name string, e fs.DirEntry, err error) error {
			seen++
			switch {
			case err != nil && errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case seen > mostListed:
				return &flow.Refusal{Rule: flow.RuleLimit, Reason: fmt.Sprintf("more than %d files below %s", mostListed, t.repo.WorkTree()), Hint: "git liza check --at HEAD"}
			case !e.IsDir():
				list = append(list, name)
			default:
				if _, err := root.Lstat(name + "/.git"); e.Name() == ".git" || e.Name() == layout.Worktrees || name != "." && err == nil {
					return fs.SkipDir
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Read returns at most limit bytes of a regular file, and one more of a larger one. why
// says why it cannot be read.
func (t *TextFiles) Read(path string, limit int) (data []byte, why string, err error) {
	if t.Commit != "" {
		return t.readCommitted(path, limit)
	}
	root, err := os.OpenRoot(t.repo.WorkTree())
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	name := filepath.FromSlash(path)
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "there is no such file", nil
	case err != nil:
		return nil, causeOf(err), nil
	case !info.Mode().IsRegular():
		return nil, "it is no regular file", nil
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, causeOf(err), nil
	}
	defer file.Close()
	data, err = io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		return nil, causeOf(err), nil
	}
	return data, "", nil
}

// causeOf is the cause of an error, without the system call and the path.
func causeOf(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

func (t *TextFiles) readCommitted(path string, limit int) (data []byte, why string, err error) {
	e, ok := t.files.entry(path)
	if t.files.err != nil {
		return nil, "", t.files.err
	}
	switch {
	case !ok:
		return nil, "there is no such file at " + t.Commit.Short(), nil
	case e.Mode != git.ModeBlob && e.Mode != git.ModeExecutable:
		return nil, "it is no regular file", nil
	}
	_, size, err := t.files.objects.Size(e.ID)
	if err != nil {
		return nil, "", err
	}
	if size > int64(limit) {
		return make([]byte, limit+1), "", nil // its size is all that is said of it
	}
	_, data, err = t.files.objects.Read(e.ID)
	return data, "", err
}
