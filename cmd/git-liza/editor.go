package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A draft is a text that the user edits before a command takes it.
type draft struct {
	command   string // that edits it, for the hint at its page of help
	ending    string // of the file's name, such as .yaml: it tells the editor what kind of text it is
	text      []byte // what the user begins with
	notes     string // shown below the text as comments; "" if the text has no comments of git's kind
	otherwise string // how else the command takes the text, for people without an editor
	again     string // the beginning of the command that takes a kept text; the path of its file follows
	path      string // the file in which the text is kept until it is taken, "" for a new one
	kept      bool   // the text was kept before
}

// edit lets the user change a draft in the editor that git would start, and hands
// what they have made of it to take. Lines that begin with git's comment character
// are removed if the draft has notes. An editor that fails, and a text that take
// refuses, change nothing: what the user has typed is kept then, and edit prints
// the command that takes it, or as JSON its path.
func (d draft) edit(inv *invocation, repo *git.Repo, take func(text []byte) error) error {
	editor, err := d.editor(inv, repo)
	if err != nil {
		return err
	}
	begun := d.text
	if d.notes != "" {
		comments, err := repo.Run(inv.ctx, git.Cmd{Args: []string{"stripspace", "--comment-lines"}, Stdin: []byte(d.notes)})
		if err != nil {
			return err
		}
		begun = slices.Concat(d.text, []byte("\n"), comments)
	}
	path, err := d.write(repo, begun)
	if err != nil {
		return err
	}
	err = startEditor(inv, editor, path)
	text, unread := os.ReadFile(path)
	err = cmp.Or(err, unread)
	typed := unread == nil && !bytes.Equal(text, begun)
	if typed && d.notes != "" {
		// A signal that came meanwhile must not cost the text.
		said, failed := repo.Run(context.WithoutCancel(inv.ctx), git.Cmd{Args: []string{"stripspace", "--strip-comments"}, Stdin: text})
		if failed == nil {
			text = said
			failed = git.ReplaceFile(path, text) // as the command takes it from the file, if the text is kept
		}
		err = cmp.Or(err, failed)
	} else if d.notes != "" {
		text = d.text
	}
	if err == nil {
		err = take(text)
	}
	blank := len(bytes.TrimSpace(text)) == 0
	if err == nil || blank || !typed && !d.kept {
		os.Remove(path)
		return err
	}
	if inv.json {
		return &partial{classify(err), map[string]any{"kept": path}}
	}
	inv.progress("your text is kept: %s %s", d.again, shell.Quote(path))
	return err
}

// editor returns the command of the editor that git would start.
func (d draft) editor(inv *invocation, repo *git.Repo) (string, error) {
	out, err := repo.Git(inv.ctx, "var", "GIT_EDITOR")
	editor := strings.TrimSpace(string(out))
	if err != nil || editor == "" {
		return "", usagef("git config core.editor EDITOR", "git knows no editor; %s", d.otherwise)
	}
	// As in git, GIT_EDITOR may name a program that needs no terminal.
	if own := inv.getenv("GIT_EDITOR"); (own == "" || own == proc.NoEditor) && !isTerminal(inv.stdin) {
		_, command, _ := strings.Cut(d.otherwise, ": ")
		return "", usagef(cmp.Or(command, "git liza help "+d.command), "there is no terminal for an editor; %s", d.otherwise)
	}
	return editor, nil
}

// write writes the text where no commit takes it, and returns the path.
func (d draft) write(repo *git.Repo, text []byte) (string, error) {
	if d.path != "" {
		return d.path, git.ReplaceFile(d.path, text)
	}
	dir := privateFile(repo)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "edit-*"+d.ending)
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err = cmp.Or(err, f.Close()); err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}

// privateFile is a file below git's folder that is this clone's and no part of the board.
func privateFile(repo *git.Repo, words ...string) string {
	return filepath.Join(append([]string{repo.CommonDir(), layout.Private}, words...)...)
}

// startEditor runs the editor on a file and waits for it. As in git, the editor
// is the beginning of a shell command, and the file is one word of it. An interrupt
// meanwhile is the editor's: emacs makes one of C-g.
func startEditor(inv *invocation, editor, path string) error {
	sh, args := proc.Shell(editor + ` "$@"`)
	out := inv.stdout
	if inv.json {
		out = inv.stderr
	}
	code, err := foreground(inv, proc.Command{Path: sh, Args: append(args, editor, path), Dir: inv.dir, Env: inv.environ, Stdin: inv.stdin, Output: out})
	if err != nil || code == 0 {
		return err
	}
	return &partial{failure{code: exitFailed, outcome: "failed", rule: flow.RuleEditor, hint: "git config core.editor EDITOR",
		reason: fmt.Sprintf("the editor %s exits %d", editor, code)}, nil}
}
