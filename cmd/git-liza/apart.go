//go:build apart

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/git-liza/git-liza/cmd/git-liza/notify"
	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/hooks"
)

// whole is the name of the program that has everything linked. A program that is built
// with the tag apart leaves out what only the views for people and the tools of agents need,
// since Go initialises each linked package at every start.
const whole = "git-liza-whole"

// serve becomes the whole program, which has the pages.
func (c *webCommand) serve(inv *invocation) error { return inv.becomeWhole("the pages") }

// serve becomes the whole program, which speaks the protocol.
func (c *mcpCommand) serve(inv *invocation) error { return inv.becomeWhole("the tools of agents") }

// showScreen becomes the whole program, which draws on terminals.
func showScreen(inv *invocation, _ string) error { return inv.becomeWhole("a board on a terminal") }

// check becomes the whole program, which reads Markdown.
func (c *artifactCheckCommand) check(inv *invocation) error { return inv.becomeWhole("Markdown") }

// judgeArtifacts asks the whole program, which reads Markdown.
func judgeArtifacts(ctx context.Context, list []gitstore.Artifact) (lines []string, err error) {
	return lines, askWhole(ctx, "artifacts", nil, list, &lines)
}

// post has the whole program post, which speaks HTTP. The address, which may hold a token,
// is no argument that other processes see.
func post(ctx context.Context, p notify.Posting) (code int, err error) {
	var a postAnswer
	if err := askWhole(ctx, "post", os.Environ(), p, &a); err != nil {
		return 0, err
	}
	if a.Error != "" {
		return 0, errors.New(a.Error)
	}
	return a.Code, nil
}

// askWhole starts a hook of the whole program with a question, and reads its answer, both
// in JSON.
func askWhole(ctx context.Context, hook string, environ []string, question, answer any) error {
	path, err := findWhole()
	if err != nil {
		return err
	}
	asked, err := json.Marshal(question)
	if err != nil {
		return err
	}
	out := &bytes.Buffer{}
	r, err := proc.Run(ctx, proc.Command{Path: path, Args: []string{"hook", hook}, Env: environ, Stdin: bytes.NewReader(asked), Stdout: out, Wall: hooks.Limit})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noWhole(path, hook)
	case err != nil:
		return fmt.Errorf("starting %s: %w", path, err)
	case !r.Passed():
		return fmt.Errorf("%s ended with exit code %d (%s): %s", path, r.Code, r.Reason, r.Excerpt)
	}
	return json.Unmarshal(out.Bytes(), answer)
}

// findWhole returns the path of the whole program, which is installed beside this one.
func findWhole() (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	return filepath.Join(filepath.Dir(self), whole), err
}

// noWhole says that the whole program is not there, for what this one has not.
func noWhole(path, what string) error {
	return fmt.Errorf("there is no second program %s, which make install puts beside this one, for %s", path, what)
}

// becomeWhole starts the whole program, which is installed beside this one, in place of
// this one and with the same arguments. what is what this program has not.
func (inv *invocation) becomeWhole(what string) error {
	path, err := findWhole()
	if err != nil {
		return err
	}
	err = syscall.Exec(path, append([]string{path}, inv.args...), os.Environ())
	if errors.Is(err, fs.ErrNotExist) {
		return noWhole(path, what)
	}
	return fmt.Errorf("starting %s: %w", path, err)
}
