//go:build apart

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// whole is the name of the program that has everything linked. A program that is built
// with the tag apart leaves out what only the views for people need, since Go initialises
// each linked package at every start.
const whole = "git-liza-whole"

// serve becomes the whole program, which has the pages.
func (c *webCommand) serve(inv *invocation) error { return inv.becomeWhole("the pages") }

// showScreen becomes the whole program, which draws on terminals.
func showScreen(inv *invocation, _ string) error { return inv.becomeWhole("a board on a terminal") }

// check becomes the whole program, which reads Markdown.
func (c *artifactCheckCommand) check(inv *invocation) error { return inv.becomeWhole("Markdown") }

// becomeWhole starts the whole program, which is installed beside this one, in place of
// this one and with the same arguments. what is what this program has not.
func (inv *invocation) becomeWhole(what string) error {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(self), whole)
	err = syscall.Exec(path, append([]string{path}, inv.args...), os.Environ())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no second program %s, which make install puts beside this one, for %s", path, what)
	}
	return fmt.Errorf("starting %s: %w", path, err)
}
