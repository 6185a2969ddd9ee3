package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The time that what an extension runs after a move has, and that it has to end after it
// was told to.
const (
	hookTime  = 30 * time.Second
	hookGrace = time.Second
)

// hookVariable names the extension to what it runs. Moves that are made there call nothing.
const hookVariable = "LIZA_EXTENSION"

// hooksAfter returns what runs after each move of a clone: the file of its act of each
// extension that is trusted here, one after the other. What fails is said, and undoes nothing.
func hooksAfter(inv *invocation, c *work.Clone) func(context.Context, gitstore.Result) {
	if inv.getenv(hookVariable) != "" {
		return nil
	}
	return func(ctx context.Context, r gitstore.Result) {
		path := hookPath(r)
		say := func(name string, err error) {
			if err != nil && c.Repo.Notice != nil {
				c.Repo.Notice(fmt.Sprintf("the move is made, and %s of the extension %s failed: %s", path, name, plaintext.Line(err.Error())))
			}
		}
		all, err := c.Trust.Extensions(ctx, r.After)
		first := slices.IndexFunc(all, func(e work.RunningExtension) bool { return e.Has(path) })
		if err != nil || first < 0 {
			return // git liza trust says what is wrong
		}
		trusted, err := c.Trust.TrustedExtensions(ctx, r.After)
		if err != nil {
			say(all[first].Name, err)
			return
		}
		for _, e := range trusted {
			switch {
			case !e.Has(path):
			case e.Wrong != "":
				say(e.Name, errors.New("something is wrong with it: "+e.Wrong+": "+checkExtensions(r.After)))
			default:
				say(e.Name, runHook(ctx, inv, c.Repo, e, r))
			}
		}
	}
}

// hookPath is the file that is called after a move.
func hookPath(r gitstore.Result) string { return extension.HooksFolder + "/" + r.Move.Act.String() }

// runHook runs the file of an extension as its tree has it, whatever a checkout has now.
func runHook(ctx context.Context, inv *invocation, repo *git.Repo, e work.RunningExtension, r gitstore.Result) error {
	text, err := e.Read(hookPath(r))
	if err != nil {
		return err
	}
	entry := view.EntryOf(gitstore.Event{Commit: r.Commit, Move: r.Move})
	input, err := json.Marshal(entry.Line())
	if err != nil {
		return err
	}
	h := hook{name: e.Name, act: r.Move.Act.String(), text: text, input: append(input, '\n'), folder: privateFile(repo),
		dir: cmp.Or(repo.MainWorkTree(), repo.CommonDir()), environ: inv.environ, time: hookTime}
	return h.run(ctx)
}

// A hook is a program of an extension that is called after a move.
type hook struct {
	name        string // of the extension
	act         string
	text, input []byte
	folder      string // for the copy of it that runs
	dir         string // in which it runs
	environ     []string
	time        time.Duration // that it may take
}

// run runs the program with all that it starts, and ends them.
func (h *hook) run(ctx context.Context) error {
	removeOld(h.folder, "hook-*")
	folder, err := os.MkdirTemp(h.folder, "hook-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, h.act)
	if err := os.WriteFile(file, h.text, 0o700); err != nil {
		return err
	}
	for try := range 10 {
		var r proc.Result
		r, err = proc.Run(ctx, proc.Command{Path: file, Dir: h.dir, Stdin: bytes.NewReader(h.input), Wall: h.time, Grace: hookGrace, Bound: true,
			Env: proc.Environment(h.environ, nil, hookVariable+"="+h.name), Excerpt: 512})
		if err == nil {
			return h.failure(r)
		}
		// Another goroutine that starts a process may hold the file open for a moment.
		if !errors.Is(err, syscall.ETXTBSY) || git.Wait(ctx, time.Duration(try)*10*time.Millisecond) != nil {
			return err
		}
	}
	return err
}

// failure says how the program failed, nil if it did not.
func (h *hook) failure(r proc.Result) error {
	switch {
	case r.Passed():
		return nil
	case r.Reason == proc.WallLimit:
		return fmt.Errorf("it did not end within %s and was ended", h.time)
	case r.Reason == proc.Canceled:
		return errors.New("it was ended")
	}
	lines := strings.Split(strings.TrimSpace(r.Excerpt), "\n")
	return errors.New(strings.TrimSuffix(fmt.Sprintf("it ends with exit code %d: %s", r.Code, lines[len(lines)-1]), ": "))
}

// removeOld removes the files of a folder with some names that processes left behind which
// were killed.
func removeOld(folder, names string) {
	left, _ := filepath.Glob(filepath.Join(folder, names))
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(path)
		}
	}
}
