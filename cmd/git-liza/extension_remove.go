package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/project/extension"
	"github.com/git-liza/git-liza/contracts"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type extensionRemoveCommand struct {
	Name string `arg:"" help:"As git liza extension list names it."`
}

func (c *extensionRemoveCommand) Run(inv *invocation) error {
	list, top, err := readExtensions(inv)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(e extension.Installed) bool { return e.Name == c.Name })
	if i < 0 {
		return noExtension(c.Name)
	}
	for _, other := range list {
		if slices.Contains(other.Needs.Extensions, c.Name) {
			return &flow.Refusal{Rule: flow.RuleHeld, Reason: "the extension " + other.Name + " needs " + c.Name, Hint: "git liza extension remove " + other.Name}
		}
	}
	if err := checkCommitted(inv, top, c.Name); err != nil {
		return err
	}
	if err := c.leave(inv, list[i]); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(top, filepath.FromSlash(list[i].Path))); err != nil {
		return err
	}
	file, order := extension.OrderWithout(os.DirFS(top), c.Name)
	if file = filepath.Join(top, filepath.FromSlash(file)); order != "" {
		err = os.WriteFile(file, []byte(order), 0o644)
	} else if err = os.Remove(file); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(top, filepath.FromSlash(extension.Folder))) // if it was the last one
	next, err := c.next(inv, top, list[i].Path)
	if err != nil {
		return err
	}
	return inv.answer("", map[string]any{"removed": c.Name, "path": list[i].Path}, list[i].Path+" is gone\n"+next)
}

// leave refuses to remove what the board uses.
func (c *extensionRemoveCommand) leave(inv *invocation, e extension.Installed) error {
	l, err := inv.look()
	if errors.Is(err, gitstore.ErrNoBoard) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, row := range l.reading.Board.Roles() {
		if strings.HasPrefix(row.Persona, e.Path+"/") {
			return &flow.Refusal{Rule: flow.RuleHeld, Reason: fmt.Sprintf("the role %s of the board is told what %s says", row.Name, row.Persona), Hint: "git liza role remove " + row.Name.String()}
		}
	}
	return checkGatesUnused(l.reading.Board, e)
}

// checkCommitted refuses to delete the files of an extension that somebody changed since git
// last took them. Those that git never had came from elsewhere.
func checkCommitted(inv *invocation, top, name string) error {
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	folder := extension.Folder + "/" + name
	out, err := clone.Repo.Run(inv.ctx, git.Cmd{Dir: top, WorkTree: true, Args: []string{"status", "--porcelain", "-z", "--untracked-files=no", "--no-renames", "--", folder}})
	for row := range strings.SplitSeq(string(out), "\x00") {
		if len(row) > 3 && (row[1] == 'M' || row[1] == 'T') {
			return &flow.Refusal{Rule: flow.RuleDirty, Reason: git.Visible(row[3:]) + " has changes that are not committed",
				Hint: fmt.Sprintf("git commit -m %s -- %s", shell.Quote("Change the extension "+name), folder)}
		}
	}
	return err
}

// next are the commands to type after the folder of an extension is gone: skills of it may
// have been installed, and it may never have been committed.
func (c *extensionRemoveCommand) next(inv *invocation, top, folder string) (text string, err error) {
	r, err := contracts.Examine(top, skillTexts(inv))
	if err == nil && slices.ContainsFunc(r.Entries, func(e contracts.Entry) bool { return e.State == contracts.Obsolete }) {
		text = "next: git liza contracts install\n"
	}
	clone, err := inv.reader()
	if err != nil {
		return "", err
	}
	out, err := clone.Repo.Run(inv.ctx, git.Cmd{Dir: top, WorkTree: true, Args: []string{"ls-files", "-z", "--", folder}})
	if len(out) > 0 {
		text += fmt.Sprintf("next: git add -u %s && git commit -m %s\n", extension.Folder, shell.Quote("Remove the extension "+c.Name))
	}
	return text, err
}
