package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
)

// present prints long output that changes nothing: as [output.answer] does, but text on
// a terminal through git's pager.
func (inv *invocation) present(data any, text string) error {
	if inv.json || text == "" || !inv.paged(text) {
		return inv.answer("", data, text)
	}
	return nil
}

// paged shows a text in git's pager. It is false if there is none, or if it could not be
// started: then nothing was printed. A pager that ends early is no error.
func (inv *invocation) paged(text string) bool {
	pager := inv.pager()
	if pager == "" {
		return false
	}
	shell, args := proc.Shell(pager)
	code, err := inv.foreground(proc.Command{Path: shell, Args: args, Dir: inv.dir, Env: inv.pagerEnvironment(),
		Stdin: strings.NewReader(text), Output: inv.stdout})
	const notExecutable, notFound = 126, 127 // exit codes of a shell
	if err != nil || code == notExecutable || code == notFound {
		inv.progress("the pager %q could not be started", pager)
		return false
	}
	return true
}

// pager returns the command of git's pager, "" where git would use none: without a
// terminal, and with the pager "cat". Agents never get one, because nobody would end it.
// pager.liza and --no-pager are settled by git before it starts this program.
func (inv *invocation) pager() string {
	if inv.json || inv.call != nil || inv.opened == nil || !isTerminal(inv.stdout) || (hints{inv}).agent() != "" {
		return ""
	}
	out, err := inv.opened.Git(inv.ctx, "var", "GIT_PAGER")
	pager := strings.TrimSpace(string(out))
	if err != nil || pager == "cat" {
		return ""
	}
	return pager
}

// pagerEnvironment is what git gives to a pager.
func (inv *invocation) pagerEnvironment() []string {
	env := slices.Clone(inv.environ)
	for _, setting := range []string{"LESS=FRX", "LV=-c"} {
		name, _, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			env = append(env, setting)
		}
	}
	return append(env, "GIT_PAGER_IN_USE=true", "COLUMNS="+strconv.Itoa(inv.width()))
}

// presentStream is [invocation.present] for text that is written piece by piece.
func (inv *invocation) presentStream(write func(io.Writer) error) error {
	if inv.pager() == "" {
		return write(inv.stdout)
	}
	var text strings.Builder
	if err := write(&text); err != nil {
		return err
	}
	if !inv.paged(text.String()) {
		fmt.Fprint(inv.stdout, text.String())
	}
	return nil
}
