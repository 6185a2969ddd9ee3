package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
)

// firstCommands are those that `git liza` alone shows, at most twelve, in the
// order in which a person comes to need them. `git liza help --all` shows all,
// in the groups that commands.go names.
var firstCommands = []string{"init", "doctor", "task", "rush", "status", "inbox", "show", "watch", "review", "answer", "undo", "checkpoint"}

// helpGroups are the groups of commands in the order of help, each with what
// its commands are for.
var helpGroups = []struct{ title, about string }{
	{"Every day", "tasks, for people and for agents"},
	{"Leading", "what is worked on, how far it may go, how it went"},
	{"Keeping", "a board, a repository and a machine in order"},
	{"Rarely", "a first look, other programs, work from outside"},
}

// help prints the page of a command, one of the topics, or a list of commands.
func (inv *invocation) help(parser *kong.Kong, topic []string) int {
	all := slices.Contains(topic, "--all")
	topic = slices.DeleteFunc(topic, func(word string) bool { return word == "--all" })
	switch {
	case len(topic) == 0 || slices.Equal(topic, []string{"help"}):
		return inv.page(overview(parser.Model.Node, all, inv.width()))
	case slices.Equal(topic, []string{"exit-codes"}):
		var page view.Table
		for _, e := range exitCodes {
			page.Add(fmt.Sprintf("%3d  %s", e.code, e.outcome), e.meaning)
		}
		return inv.page(page.WrappedText(widest))
	case slices.Equal(topic, []string{"rules"}):
		var page view.Table
		for line := range strings.SplitSeq(helpText("rules"), "\n") {
			rule, meaning, _ := strings.Cut(line, " ")
			page.Add(rule, meaning)
		}
		return inv.page(page.WrappedText(widest))
	}
	if _, err := parser.Parse(append(slices.Clone(topic), "--help")); err != nil {
		return inv.fail(wrongUsage(err, nil))
	}
	return exitDone
}

// helpPrinter prints the page of the command that a command line names, as kong
// does, or the first commands if it names none.
func helpPrinter(width int) kong.HelpPrinter {
	return func(options kong.HelpOptions, ctx *kong.Context) error {
		if node := ctx.Selected(); node != nil {
			node.Detail = cmp.Or(node.Detail, helpText(commandWords(node)))
			if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
				return err
			}
			_, err := fmt.Fprint(ctx.Stdout, exampleText(node))
			return err
		}
		_, err := fmt.Fprint(ctx.Stdout, overview(ctx.Model.Node, false, width))
		return err
	}
}

// widest is the longest line of a page of help, in characters.
const widest = 78

// overview lists the first commands, or all. terminal is the width of the
// terminal, 0 without one.
func overview(root *kong.Node, all bool, terminal int) string {
	width := widest
	if terminal > 0 {
		width = min(terminal, widest)
	}
	text := view.Wrapped("Usage: git liza COMMAND [ARGUMENT…]", width) + "\n" + view.Wrapped(description, width) + "\n"
	if all {
		text += allCommands(root, width)
	} else {
		t := view.Table{Indent: "  "}
		for _, name := range firstCommands {
			if row := commandRowOf(root, name); row != nil {
				t.Add(row...)
			}
		}
		text += t.WrappedText(width)
	}
	t := view.Table{Indent: "  "}
	t.Add("help COMMAND", "what a command does, and its flags; also COMMAND -h")
	if !all {
		t.Add("help --all", "all commands, in groups")
	}
	t.Add("help rules", "the rules by which commands are refused")
	t.Add("help exit-codes", "what exit codes mean")
	t.Add("--json", "with any command: one JSON object on standard output")
	t.Add("--as ID", "with any command: act as this agent, such as coder-1")
	return strings.TrimRight(text, "\n") + "\n\n" + t.WrappedText(width)
}

// allCommands lists the commands in their groups.
func allCommands(root *kong.Node, width int) (text string) {
	for _, group := range helpGroups {
		t := view.Table{Indent: "  "}
		for _, c := range root.Children {
			if !c.Hidden && c.Group != nil && c.Group.Title == group.title {
				t.Add(c.Name, c.Help)
			}
		}
		text += view.Wrapped(group.title+": "+group.about, width) + t.WrappedText(width) + "\n"
	}
	return text
}

// commandRowOf returns the row of a command in a list, nil if there is none of
// that name.
func commandRowOf(root *kong.Node, name string) []string {
	i := slices.IndexFunc(root.Children, func(c *kong.Node) bool { return c.Name == name && !c.Hidden })
	if i < 0 {
		return nil
	}
	return []string{name, root.Children[i].Help}
}
