package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// A place is a copy of a script's folder, in which the script stands at dir.
type place struct {
	root, dir string
	env       []string
}

// copyPlace copies the folder of a script. What names the folder names the copy.
func copyPlace(ts *testscript.TestScript) place {
	work := ts.Getenv("WORK")
	above, err := os.MkdirTemp("", "hint")
	ts.Check(err)
	p := place{root: filepath.Join(above, filepath.Base(work))}
	ts.Check(copyFolder(work, p.root))
	ts.Check(ts.Exec("env", "-0"))
	p.dir = p.renamed(ts, ts.MkAbs("."))
	p.env = append(strings.Split(p.renamed(ts, strings.TrimSuffix(ts.ReadFile("stdout"), "\x00")), "\x00"),
		"PWD="+p.dir, "GIT_EDITOR="+p.script("editor", editor), "VISUAL=", "EDITOR=", "PAGER=cat")
	return p
}

// editor writes findings where they are asked for, and leaves other texts as they are.
const editor = `#!/bin/sh
case $1 in */findings/*) printf -- '- [blocker] a:1 — wrong\n' >"$1";; esac
`

// script writes a program beside the copy and returns its path.
func (p place) script(name, text string) string {
	path := filepath.Join(filepath.Dir(p.root), name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		panic(err)
	}
	return path
}

// files are what FILE stands for after a flag.
var files = map[string]string{
	"--from":        "- {title: Hinted, done_when: D, spec: specs/vision.md, scope: S, kind: docs}\n",
	"--by":          "- {title: Hinted, done_when: D, spec: specs/vision.md, scope: S, kind: docs}\n",
	"--reason-file": "- [blocker] a:1 — wrong\n",
}

// filled is a hint with what is obvious for the words that stand for something.
func (p place) filled(ts *testscript.TestScript, hint string) string {
	for flag, text := range files {
		if strings.Contains(hint, flag+" FILE") {
			hint = strings.ReplaceAll(hint, flag+" FILE", flag+" "+p.script("file"+flag, text))
		}
	}
	return filled(ts, hint)
}

// renamed is a text of the script with the folder named as the copy is.
func (p place) renamed(ts *testscript.TestScript, text string) string {
	return strings.ReplaceAll(text, ts.Getenv("WORK"), p.root)
}

// run runs a command of a user's shell, in its own session, so that none of it asks a
// terminal.
func (p place) run(command string, limit time.Duration) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.String(), errs.String(), err
}

// copyFolder copies a folder whole. What names the folder names the copy.
func copyFolder(from, to string) error {
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		return errors.New(string(out))
	}
	return filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "objects" {
			return fs.SkipDir
		}
		if d.Type()&fs.ModeSymlink != 0 {
			at, err := os.Readlink(path)
			if err != nil || !strings.HasPrefix(at, from) {
				return err
			}
			return errors.Join(os.Remove(path), os.Symlink(to+strings.TrimPrefix(at, from), path))
		}
		if !d.Type().IsRegular() {
			return nil
		}
		return renameIn(path, from, to)
	})
}

// renameIn replaces a folder's name in a text file, and keeps its time and mode.
func renameIn(path, from, to string) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() > 1<<20 {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(content, []byte(from)) || bytes.IndexByte(content, 0) >= 0 {
		return err
	}
	content = bytes.ReplaceAll(content, []byte(from), []byte(to))
	return errors.Join(os.Chmod(path, info.Mode()|0o200), os.WriteFile(path, content, info.Mode().Perm()),
		os.Chmod(path, info.Mode()), os.Chtimes(path, info.ModTime(), info.ModTime()))
}
