package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A Differ shows people what differs between commits of a repository.
type Differ struct{ repo *Repo }

// Diff runs git diff with args and returns what it prints: what files have, whatever the
// configuration and the attributes of the repository and of its commits say. An agent could
// set a conversion of texts that hides what it changed, call a text binary, or give two
// files one name. The error is a *Error.
func (d *Differ) Diff(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := d.compareWith(ctx, -1, diffArgs(args))
	return out, err
}

// DiffStart is [Differ.Diff] of which no more than so many bytes are read. cut reports whether
// there are more.
func (d *Differ) DiffStart(ctx context.Context, most int64, args ...string) (out []byte, cut bool, err error) {
	return d.compareWith(ctx, most, diffArgs(args))
}

// RangeDiff compares two ranges of commits, commit by commit, as [Differ.Diff] compares files.
func (d *Differ) RangeDiff(ctx context.Context, old, now [2]ID) ([]byte, error) {
	out, _, err := d.compareWith(ctx, -1, []string{"range-diff", "--no-ext-diff", "--no-textconv", "--no-color",
		string(old[0]) + ".." + string(old[1]), string(now[0]) + ".." + string(now[1])})
	return out, err
}

// diffArgs bounds the search for renames as git does by itself.
func diffArgs(more []string) []string {
	return append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "-l1000"}, more...)
}

// compareWith runs git in a private git directory over the repository's objects, which is
// bare and has no HEAD: no version of git finds attributes there. Options cannot say so much,
// because git always reads info/attributes. The directory is new each time, so that nobody
// has put something there.
func (d *Differ) compareWith(ctx context.Context, most int64, args []string) (out []byte, cut bool, err error) {
	dir, err := os.MkdirTemp("", "liza-diff-")
	if err != nil {
		return nil, false, fmt.Errorf("private git directory for diffs: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := d.repo.Merger.makeMergeDir(dir); err != nil {
		return nil, false, fmt.Errorf("private git directory for diffs: %w", err)
	}
	c := Cmd{Dir: dir, GitDir: dir, Args: args}
	if shallow := filepath.Join(d.repo.commonDir, "shallow"); fileExists(shallow) {
		c.Env = append(c.Env, "GIT_SHALLOW_FILE="+shallow)
	}
	out, cut, err = d.readStart(ctx, c, most)
	if ExitCode(err) == 128 && d.repo.Config.IsPartial(ctx) {
		// The private directory knows no remote. The same comparison in the repository
		// itself, whose result is not used, fetches what is missing.
		if _, _, err := d.readStart(ctx, Cmd{Args: args}, most); err != nil {
			return nil, false, err
		}
		out, cut, err = d.readStart(ctx, c, most)
	}
	return out, cut, err
}

// readStart runs a process and returns no more than so many bytes of its output, all of it
// if most is negative.
func (d *Differ) readStart(ctx context.Context, c Cmd, most int64) (out []byte, cut bool, err error) {
	if most < 0 {
		out, err = d.repo.Run(ctx, c)
		return out, false, err
	}
	err = d.repo.streamOutput(ctx, c, func(b *bufio.Reader) error {
		out, err = io.ReadAll(io.LimitReader(b, most+1))
		if int64(len(out)) > most {
			out = out[:most]
			return errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		return out, true, nil
	}
	return out, false, err
}
