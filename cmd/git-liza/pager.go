package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// A pager prints long output for people: on a terminal through the pager that git uses.
type pager struct{ *invocation }

// present prints long output that changes nothing: as [output.answer] does, but text on
// a terminal through git's pager.
func (p pager) present(data any, text string) error {
	if p.json || text == "" || !p.show(text) {
		return p.answer("", data, text)
	}
	return nil
}

// show shows a text in git's pager. It is false if there is none, or if it could not be
// started: then nothing was printed. A pager that ends early is no error.
func (p pager) show(text string) bool {
	command := p.command()
	if command == "" {
		return false
	}
	shell, args := proc.Shell(command)
	code, err := foreground(p.invocation, proc.Command{Path: shell, Args: args, Dir: p.dir, Env: p.environment(),
		Stdin: strings.NewReader(text), Output: p.stdout})
	const notExecutable, notFound = 126, 127 // exit codes of a shell
	if err != nil || code == notExecutable || code == notFound {
		p.progress("the pager %q could not be started", command)
		return false
	}
	return true
}

// command returns the command of git's pager, "" where git would use none: without a
// terminal, and with the pager "cat". Agents never get one, because nobody would end it.
// pager.liza and --no-pager are settled by git before it starts this program.
func (p pager) command() string {
	if p.json || p.call != nil || p.opened == nil || !isTerminal(p.stdout) || hints(p).agent() != "" {
		return ""
	}
	out, err := p.opened.Git(p.ctx, "var", "GIT_PAGER")
	pager := strings.TrimSpace(string(out))
	if err != nil || pager == "cat" {
		return ""
	}
	return pager
}

// environment is what git gives to a pager.
func (p pager) environment() []string {
	env := slices.Clone(p.environ)
	for _, setting := range []string{"LESS=FRX", "LV=-c"} {
		name, _, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			env = append(env, setting)
		}
	}
	return append(env, "GIT_PAGER_IN_USE=true", "COLUMNS="+strconv.Itoa(p.width()))
}

// presentStream is [pager.present] for text that is written piece by piece.
func (p pager) presentStream(write func(io.Writer) error) error {
	if p.command() == "" {
		return write(p.stdout)
	}
	var text strings.Builder
	if err := write(&text); err != nil {
		return err
	}
	if !p.show(text.String()) {
		fmt.Fprint(p.stdout, text.String())
	}
	return nil
}
