package main

import (
	"bytes"
	"io"
	"os"
	"syscall"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// mostLogged is how many bytes of the end of an agent's log are read for what its last
// session printed.
const mostLogged = 256 << 10

// outputOf returns what the last session of an agent printed so far in this clone, for
// people; "" if nothing is kept. known has the form of the output of its provider.
func outputOf(repo *git.Repo, id board.AgentID, name string, known provider.Catalogue) string {
	text, whole := readEnd(outputFile(repo, id), mostLogged)
	if begin := bytes.LastIndex(text, []byte("\n--- output\n")); begin >= 0 {
		text = text[begin+len("\n--- output\n"):]
	} else if _, rest, found := bytes.Cut(text, []byte("\n")); found && !whole {
		text = rest // the first line is not whole
	}
	family := "plain"
	if row := known.FindRow(name); row != nil {
		family = row.Output
	}
	return readable(family, text)
}

// outputFile is the log of an agent in this clone.
func outputFile(repo *git.Repo, id board.AgentID) string {
	return privateFile(repo, "log", string(id)+".log")
}

// readEnd returns the last bytes of a file, and whether that is all of it; none of what is
// no regular file, because agents can write there.
func readEnd(path string, most int64) (text []byte, whole bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	from := max(0, info.Size()-most)
	text, err = io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil {
		return nil, false
	}
	return text, from == 0
}
