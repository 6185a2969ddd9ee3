// Git-liza is the program behind `git liza`: disciplined multi-agent coding on
// a blackboard that is a git ref. `git liza help` lists the commands.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	_ "github.com/git-liza/git-liza/cmd/git-liza/internal/deepstack" // at each start
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/broker"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// version is set by the build.
var version = "devel"

func main() {
	if socket := os.Getenv(broker.Variable); socket != "" {
		os.Exit(askBroker(socket))
	}
	// A command ends within milliseconds, before a collection pays. The limit
	// is for supervisors and for very large boards.
	debug.SetGCPercent(1600)
	debug.SetMemoryLimit(128 << 20)
	keys := new(keyboard)
	ctx, stop := keys.notify(endSignals())
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "git-liza:", err)
		os.Exit(exitFailed)
	}
	out := output{stdout: os.Stdout, stderr: os.Stderr, color: isColored(os.Stdout) && os.Getenv("NO_COLOR") == ""}
	inv := &invocation{output: out, ctx: ctx, keyboard: keys, stdin: os.Stdin, environ: environment(os.Args[1:]), now: time.Now, dir: dir}
	code := run(inv, os.Args[1:])
	stop()
	os.Exit(code)
}

// environment returns the environment of this process. In an agent's session it
// leaves out the variables that the agent's program sets for its own git,
// because we run the user's git. A hook gets its whole environment: on a server
// the LIZA variables come from the user who pushes and prove no session.
func environment(args []string) []string {
	all := os.Environ()
	if len(args) > 0 && args[0] == "hook" {
		return all
	}
	kept := provider.Unsteered(all)
	if !slices.Equal(kept, all) {
		os.Clearenv()
		for _, kv := range kept {
			name, value, _ := strings.Cut(kv, "=")
			os.Setenv(name, value)
		}
	}
	return kept
}

// endSignals returns the signals that end the program. SIGHUP is one of them unless
// it is ignored (nohup).
func endSignals() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// setClock gives an invocation the clock of a test; nil in the program that people use.
var setClock func(*invocation) error

// run runs the program within this process and returns the exit code.
func run(inv *invocation, args []string) (code int) {
	inv.args = args
	inv.json = slices.ContainsFunc(args, isJSON) // a first guess, until kong has parsed the command line
	if setClock != nil {
		if err := setClock(inv); err != nil {
			return inv.fail(err)
		}
	}
	if len(args) > 0 && args[0] == "--version" {
		if i := slices.IndexFunc(args[1:], func(arg string) bool { return arg != "--json" }); i >= 0 {
			return inv.fail(usagef("git liza --version", "--version goes with --json alone, not with %s", git.Visible(args[1+i])))
		}
		if err := inv.answer("", map[string]any{"version": version, "format": board.NewestFormat, "go": runtime.Version()}, "git-liza "+version); err != nil {
			return inv.fail(err)
		}
		return exitDone
	}
	if len(args) == 1 && strings.HasSuffix(args[0], " ") && inv.getenv("GIT_ASKPASS") == proc.Askpass {
		fmt.Fprintf(inv.stderr, "Nobody can answer here: %s\nWhat needs a password or a confirmation is for a person: git liza block, or git liza ask\n", git.Visible(strings.TrimSpace(args[0])))
		return exitFailed
	}
	cli := branch(args)
	var helped helpPrinted
	var page strings.Builder
	parser, err := kong.New(cli, spans, kong.Name("git liza"), kong.Description(description),
		kong.Writers(&page, inv.stderr), kong.Exit(func(int) { panic(helped) }), kong.WithHyphenPrefixedParameters(true),
		kong.Help(helpPrinter(inv.width())),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: widest}),
		kong.Vars{"version": version})
	if err != nil {
		return inv.fail(err)
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(helpPrinted); !ok {
				panic(r)
			}
			code = inv.page(page.String())
		}
	}()
	return inv.dispatch(parser, args)
}

// isJSON recognises the flag before kong has parsed the command line.
func isJSON(arg string) bool { return arg == "--json" || strings.HasPrefix(arg, "--json=") }

// page prints a page of help.
func (inv *invocation) page(text string) int {
	if err := inv.answer("", map[string]any{"help": text}, text); err != nil {
		return inv.fail(err)
	}
	return exitDone
}

const description = "Several agents work on one git repository: a board on " + layout.State + " says who does what, and only approved work is merged."

// helpPrinted is the value of the panic that leaves kong after it has printed
// its help.
type helpPrinted struct{}

func (inv *invocation) dispatch(parser *kong.Kong, args []string) int {
	if len(args) == 0 {
		args = []string{"help"}
	}
	if err := movedTo(args); err != nil { // first: a noun whose default verb takes a word would take a verb that it had
		return inv.fail(err)
	}
	switch args[0] {
	case "help", "-h", "--help":
		return inv.help(parser, slices.DeleteFunc(slices.Clone(args[1:]), isJSON))
	}
	k, err := parser.Parse(args)
	if err != nil {
		return inv.fail(wrongUsage(err, args))
	}
	flags := parser.Model.Target.FieldByName("Everywhere").Interface().(everywhere)
	inv.json, inv.as = flags.JSON, inv.getenv("LIZA_AGENT_ID")
	if flags.As != nil {
		if inv.as = *flags.As; inv.as == "" {
			return inv.fail(usagef("git liza help", "--as names nobody: leave it out to act as yourself"))
		}
	}
	// The broker knows a hook, which it confines more, by the first word alone.
	isServed := slices.ContainsFunc(served, func(words string) bool { return strings.HasPrefix(k.Command()+" ", words+" ") })
	if word := strings.Fields(k.Command())[0]; inv.getenv(confine.Files) != "" && (!isServed || word == "hook" && args[0] != word) {
		return inv.fail(&flow.Refusal{Rule: flow.RuleRole, Reason: "a confined session does not run git liza " + word + ": it is for people at this machine", Hint: "git liza help block"})
	}
	defer printTold(inv)
	if err := inv.runCommand(k.Selected().Target.Addr().Interface()); err != nil {
		return inv.fail(err)
	}
	noteMove(inv, strings.Join(inv.args, " "), nil)
	return exitDone
}

// wrongUsage hints at the page that explains the command or, if only flags
// are missing, at the command with these flags.
func wrongUsage(err error, args []string) error {
	hint := "git liza help"
	if parse, is := errors.AsType[*kong.ParseError](err); is && parse.Context != nil {
		if command := parse.Context.Command(); command != "" {
			words := strings.Fields(command)
			words = slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(w, "<[") })
			hint += " " + strings.Join(words, " ")
		}
		// The context's own error is about a wrong argument, not about a
		// missing one.
		if flags := missing(parse.Context); parse.Context.Error == nil && flags != "" && len(args) > 0 && !slices.ContainsFunc(args, isSpecial) {
			hint = "git liza " + strings.Join(args, " ") + flags
		}
	}
	return &usageError{quoted(err.Error()), strings.TrimSpace(hint)}
}

// missing returns the required flags that a command line lacks, each with a
// placeholder for its value. It is "" if an argument is missing too.
func missing(c *kong.Context) string {
	node := c.Selected()
	if node == nil || slices.ContainsFunc(node.Positional, func(p *kong.Positional) bool { return p.Required && !p.Set }) {
		return ""
	}
	text := ""
	for _, f := range c.Flags() {
		if !f.Required || f.Set {
			continue
		}
		word := f.PlaceHolder
		if isSpecial(word) {
			word = strings.ToUpper(f.Name[:1])
		}
		text += " --" + f.Name + " " + word
	}
	return text
}

// isSpecial reports whether a word cannot be repeated in a hint unchanged.
func isSpecial(word string) bool { return !shell.Plain(word) || len(word) > 100 }

// quoted bounds a message that repeats the user's input, and removes control
// characters.
func quoted(message string) string {
	const longest = 300
	message = board.Clean(message)
	if len(message) > longest {
		message = strings.ToValidUTF8(message[:longest], "") + "…"
	}
	return message
}
