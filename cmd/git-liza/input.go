package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// maxInput bounds input from files and standard input, in bytes. A move is
// smaller, and a mistaken path must not fill the memory.
const maxInput = gitstore.MaxMove + 1

// text returns an argument of the command line, or standard input for "-".
func (inv *invocation) text(said string) (string, error) {
	if said != "-" {
		return said, nil
	}
	data, err := inv.readInput("-")
	return string(data), err
}

// readInput reads a file, or standard input for "-". It does not wait for more than a
// signal to this program: nobody may ever write to a terminal or a pipe.
func (inv *invocation) readInput(path string) ([]byte, error) {
	type input struct {
		data []byte
		err  error
	}
	read := make(chan input, 1)
	go func() {
		data, err := inv.readAll(path)
		read <- input{data, err}
	}()
	select {
	case in := <-read:
		return in.data, in.err
	case <-inv.ctx.Done():
		return nil, inv.ctx.Err()
	}
}

func (inv *invocation) readAll(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(inv.stdin, maxInput))
	}
	f, err := inv.open(path)
	if err != nil {
		return nil, usagef("ls -l", "%v", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxInput))
	if err != nil {
		return nil, usagef("ls -l", "%v", err)
	}
	return data, nil
}

// open opens a file that an argument names: for a confined session, one of those that it reads
// itself.
func (inv *invocation) open(path string) (*os.File, error) {
	folders := filepath.SplitList(inv.getenv(confine.Files))
	if len(folders) == 0 {
		return os.Open(path)
	}
	path = pathFrom(inv.dir, path)
	for _, folder := range folders {
		if rest, is := strings.CutPrefix(path, folder+string(filepath.Separator)); is {
			return os.OpenInRoot(folder, rest)
		}
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrPermission}
}

// pathFrom is a path that somebody names from a folder.
func pathFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// A taskOrRecord names a task, or a record such as a question, a note or a discovery.
type taskOrRecord struct {
	task   board.TaskID
	record board.RecordID
}

// UnmarshalText tells a record by its slash, which no id of a task has.
func (r *taskOrRecord) UnmarshalText(text []byte) error {
	if strings.Contains(string(text), "/") {
		return r.record.UnmarshalText(text)
	}
	return r.task.UnmarshalText(text)
}
