package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks/stubs"
)

type hooksCommands struct {
	Install   hooksInstallCommand   `cmd:"" help:"Install the hooks, beside those that are there; again, bring them up to date."`
	Uninstall hooksUninstallCommand `cmd:"" help:"Restore what was there before."`
}

type hooksInstallCommand struct {
	Server                 bool   `help:"In a bare repository that others push to: judge every push."`
	NoReferenceTransaction bool   `name:"no-reference-transaction" help:"On a clone, leave out the hook that costs every ref transaction a few milliseconds."`
	Admin                  string `placeholder:"NAME" help:"With --server: the principal that the first push must come from."`
	Key                    string `placeholder:"FILE" help:"Its SSH public key."`
}

func (c *hooksInstallCommand) Run(inv *invocation) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	clone, err := inv.reader()
	if err != nil {
		return err
	}
	if o.Integration, err = c.findIntegration(inv, clone, c.Server); err != nil {
		return err
	}
	before, err := stubs.Examine(inv.ctx, clone.Repo)
	if err != nil {
		return err
	}
	if c.Server {
		if err := clone.Repo.Config.ShareFiles(inv.ctx); err != nil {
			return err
		}
	}
	if err := stubs.Install(inv.ctx, clone.Repo, o); err != nil {
		return err
	}
	git.LearnGit(inv.ctx, clone.Repo) // the hooks of a server move no refs, and so never ask
	if c.Server {
		if err := clone.Repo.Config.ShareOld(inv.ctx); err != nil {
			return err
		}
	}
	after, err := examineHooks(inv)
	if err != nil {
		return err
	}
	already := before.Whole() && after.Whole() && before.Integration == after.Integration && len(before.Hooks) == len(after.Hooks)
	return inv.answer(madeOutcome(already), after, hooksText(after))
}

// options reads the command line and the key that it names.
func (c *hooksInstallCommand) options() (stubs.Options, error) {
	const help = "git liza help hooks install"
	o := stubs.Options{Server: c.Server, NoReferenceTransaction: c.NoReferenceTransaction, Admin: c.Admin}
	switch {
	case c.Server && c.NoReferenceTransaction:
		return o, usagef(help, "a server needs the hook on ref transactions")
	case (c.Admin == "") != (c.Key == ""):
		return o, usagef(help, "--admin NAME and --key FILE belong together")
	case c.Admin != "" && !c.Server:
		return o, usagef(help, "--admin is for --server")
	}
	if c.Key != "" {
		text, err := os.ReadFile(c.Key)
		if err != nil {
			return o, err
		}
		if o.AdminKey, err = publicKey(string(text)); err != nil {
			return o, usagef(help, "%s: %v", c.Key, err)
		}
	}
	o.Binary = program()
	return o, nil
}

// program returns this program's path. It is "" if the program has another
// name, as in a test: then hooks find git-liza on PATH.
func program() string {
	path, err := os.Executable()
	if err != nil || filepath.Base(path) != "git-liza" {
		return ""
	}
	return path
}

// publicKey returns the type and the key of an SSH public key, without its
// comment.
func publicKey(text string) (string, error) {
	if strings.Count(strings.TrimSpace(text), "\n") > 0 || !beginsKey(text) {
		return "", errors.New("this is not an SSH public key")
	}
	words := strings.Fields(text)
	return words[0] + " " + words[1], nil
}

// beginsKey reports whether a text begins with the type of an SSH public key.
func beginsKey(text string) bool {
	words := strings.Fields(text)
	return len(words) > 1 && (strings.HasPrefix(words[0], "ssh-") || strings.HasPrefix(words[0], "ecdsa-") || strings.HasPrefix(words[0], "sk-"))
}

// findIntegration returns the integration branch that the board names, "" without a
// board. On a server, a broken board is an error.
func (c *hooksInstallCommand) findIntegration(inv *invocation, clone *work.Clone, server bool) (string, error) {
	b, _, err := clone.Store.Board(inv.ctx)
	if errors.Is(err, gitstore.ErrNoBoard) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if server {
		_, found, err := clone.Store.Audit.Fsck(inv.ctx, true)
		if err != nil {
			return "", err
		}
		if found != nil {
			return "", found
		}
	}
	return b.Settings().Integration.Name, b.Err()
}

type hooksUninstallCommand struct{}

func (c *hooksUninstallCommand) Run(inv *invocation) error {
	repo, err := inv.repo()
	if err != nil {
		return err
	}
	if err := inv.operator(repo, "the removal of hooks"); err != nil {
		return err
	}
	before, err := stubs.Examine(inv.ctx, repo)
	if err != nil {
		return err
	}
	left, err := stubs.Uninstall(inv.ctx, repo)
	if err != nil {
		return err
	}
	if left == nil {
		left = []string{}
	}
	data := map[string]any{"left": left}
	if len(before.Hooks) == 0 {
		return inv.answer("already", data, "no hooks of git liza are installed")
	}
	text := "what was there before is back\n"
	for _, path := range left {
		text += path + " was changed since it was installed and stays as it is\n"
	}
	return inv.answer("changed", data, text)
}

// examineHooks examines the hooks with the current configuration of the
// repository.
func examineHooks(inv *invocation) (stubs.Installed, error) {
	repo, err := inv.repo()
	if err != nil {
		return stubs.Installed{}, err
	}
	return stubs.Examine(inv.ctx, repo)
}

func hooksText(i stubs.Installed) string {
	if len(i.Hooks) == 0 {
		return "no hooks of git liza are installed: git liza hooks install\n"
	}
	var t view.Table
	for _, h := range i.Hooks {
		text := h.Path
		if h.First != "" {
			text += ", after " + filepath.Base(h.First)
		}
		t.Add(h.State, h.Name, text)
	}
	text := t.Text(0)
	for _, h := range i.Hooks {
		switch h.State {
		case stubs.Changed:
			text += h.Path + " is somebody else's by now and stays; to call it first: git liza hooks uninstall, then install\n"
		case stubs.Damaged:
			text += h.Path + " is empty, cut off or not executable, and refuses nothing: " + hooksInstall(i.Server) + "\n"
		}
	}
	if i.Integration == "" {
		text += "there is no board yet: the hooks check every branch\n"
	}
	if i.Server && !i.Fsck {
		text += "git accepts malformed objects here, which clones may refuse for good: git liza hooks install --server\n"
	}
	if !i.BinaryFound {
		text += fmt.Sprintf("git-liza is neither at %s nor on PATH: the hooks refuse what they guard\n", i.Binary)
	}
	return text
}

// hooksInstall returns the command that installs the hooks of a repository.
func hooksInstall(server bool) string {
	if server {
		return "git liza hooks install --server"
	}
	return "git liza hooks install"
}

// setAsideChanged returns the beginning of a command, which renames the hooks that
// were changed: an installation leaves them as they are.
func setAsideChanged(i stubs.Installed) (command string) {
	for _, h := range i.Hooks {
		if h.State == stubs.Changed {
			command += "mv " + shell.Quote(h.Path) + " " + shell.Quote(h.Path+".changed") + " && "
		}
	}
	return command
}

// hooksFinding returns doctor's finding about the hooks.
func hooksFinding(i stubs.Installed, err error, bare bool) work.Finding {
	const check = "hooks"
	install := hooksInstall(bare)
	warn := func(format string, args ...any) work.Finding {
		return work.Finding{Check: check, State: "warn", Text: fmt.Sprintf(format, args...), Hint: install}
	}
	list := lists.Of(i.Hooks, func(h stubs.Hook) string { return h.Name + " " + h.State })
	switch {
	case err != nil:
		return work.Finding{Check: check, State: "warn", Text: err.Error(), Hint: install}
	case len(i.Hooks) == 0:
		return warn("none: git refuses nothing here")
	case !i.BinaryFound:
		return warn("git-liza is neither at %s nor on PATH: they refuse what they guard", i.Binary)
	case !i.Whole():
		found := warn("%s", strings.Join(list, ", "))
		if i.Server && slices.ContainsFunc(i.Hooks, func(h stubs.Hook) bool { return h.State != stubs.Present && h.State != stubs.Outdated }) {
			found.State = "fail"
			found.Text += ": pushes are not judged"
		}
		found.Hint = setAsideChanged(i) + install
		return found
	case i.Server && !i.Fsck:
		return warn("%s, but git accepts malformed objects: receive.fsckObjects is not set", strings.Join(list, ", "))
	}
	return work.Finding{Check: check, State: "ok", Text: strings.Join(list, ", ")}
}

// installHooks installs a clone's hooks for its board. If they are in place
// it only sets the branch that they guard. It does nothing in a bare
// repository, where the hooks of a server are installed on request.
func (inv *invocation) installHooks(clone *work.Clone, b *board.Board) error {
	if clone.Repo.MainWorkTree() == "" {
		return nil
	}
	there, err := stubs.Examine(inv.ctx, clone.Repo)
	if err != nil {
		return err
	}
	if there.Whole() {
		return stubs.SetIntegration(inv.ctx, clone.Repo, b.Settings().Integration.Name)
	}
	return stubs.Install(inv.ctx, clone.Repo, stubs.Options{Binary: program(), Integration: b.Settings().Integration.Name})
}
