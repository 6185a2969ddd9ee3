package acp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	sdk "github.com/coder/acp-go-sdk"
)

// maxFile is the maximum size in bytes of a file that the agent reads through this
// package: the file has to fit into a message.
const maxFile = 2 << 20

// notFound is the protocol's code for a file that does not exist.
const notFound = -32002

// files gives access to the files of a worktree, and through no symbolic link to
// others.
type files struct {
	dir  string // as the agent knows it
	root *os.Root
}

// local returns a path's name inside the worktree. It is false if the path leads out of
// the worktree, or to what makes the folder a worktree. A file that does not exist is
// inside if it could be made there.
func (f files) local(path string) (string, bool) {
	name, ok := f.name(path)
	if !ok {
		return "", false
	}
	for at := name; ; at = filepath.Dir(at) {
		_, err := f.root.Stat(at)
		if err == nil {
			return name, true
		}
		if at == "." || !errors.Is(err, fs.ErrNotExist) {
			return "", false
		}
	}
}

// name returns a path relative to the worktree without following links. An agent may
// name the folder by its real path.
func (f files) name(path string) (string, bool) {
	real, err := filepath.EvalSymlinks(f.dir)
	if err != nil {
		return "", false
	}
	name := filepath.Clean(path)
	if filepath.IsAbs(path) {
		name = ""
		for _, dir := range []string{f.dir, real} {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
				name = rel
			}
		}
	}
	first, _, _ := strings.Cut(name, string(filepath.Separator))
	return name, filepath.IsLocal(name) && !strings.EqualFold(first, ".git")
}

// read returns a text file, or the requested lines of it.
func (f files) read(r sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	name, ok := f.local(r.Path)
	if !ok {
		return sdk.ReadTextFileResponse{}, outsideError(r.Path)
	}
	// Without O_NONBLOCK a fifo would block until another process opens it.
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return sdk.ReadTextFileResponse{}, &sdk.RequestError{Code: notFound, Message: "Resource not found: " + r.Path}
	}
	if err != nil {
		return sdk.ReadTextFileResponse{}, err
	}
	defer file.Close()
	if err := checkRegular(file); err != nil {
		return sdk.ReadTextFileResponse{}, fmt.Errorf("%s %w", r.Path, err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", r.Path, maxFile)
	}
	if err != nil {
		return sdk.ReadTextFileResponse{}, err
	}
	return sdk.ReadTextFileResponse{Content: lines(string(text), r.Line, r.Limit)}, nil
}

func checkRegular(file *os.File) error {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is no regular file")
	}
	return err
}

// lines returns at most limit lines of text from line first on, counted from 1.
func lines(text string, first, limit *int) string {
	if first == nil && limit == nil {
		return text
	}
	all := strings.SplitAfter(text, "\n")
	from := min(max(deref(first)-1, 0), len(all))
	all = all[from:]
	if limit != nil {
		all = all[:min(max(*limit, 0), len(all))]
	}
	return strings.Join(all, "")
}

// write writes a text file, and makes the folders that it needs.
func (f files) write(r sdk.WriteTextFileRequest) error {
	name, ok := f.local(r.Path)
	if !ok {
		return outsideError(r.Path)
	}
	if err := f.root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return err
	}
	err = checkRegular(file)
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.WriteString(r.Content)
	}
	return errors.Join(err, file.Close())
}

func outsideError(path string) error {
	return &sdk.RequestError{Code: -32602, Message: fmt.Sprintf("%s is not in the worktree of this session", path)}
}
