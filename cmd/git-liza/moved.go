package main

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/shell"
)

// A movedCommand is a command that is typed differently now. The old words are no alias:
// whoever types them is told the new ones.
type movedCommand struct {
	was string // with a flag: only command lines that have it
	now string // a flag here stands for that of was; without one there, the first argument follows it
	why string // of a command that is gone, with what comes nearest to it in now, which takes no arguments of was
}

// movedCommands are looked up from above: of two that begin alike the longer one stands
// first.
var movedCommands = []movedCommand{
	{was: "top", now: "watch"},
}

// movedTo answers a command line that begins with the words of a moved command, also
// behind help. Otherwise it returns nil.
func movedTo(args []string) error {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] == "--as" && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	help := len(args) > 0 && args[0] == "help"
	if help {
		args = args[1:]
	}
	for _, m := range movedCommands {
		now, ok := m.typed(args)
		if !ok {
			continue
		}
		if help {
			command, _, _ := strings.Cut(m.now, " --")
			now = "help " + command
		}
		reason := "git liza " + m.was + " is git liza " + m.now + " now"
		if m.why != "" {
			reason = "there is no git liza " + m.was + " any more: " + m.why
		}
		return &usageError{reason, "git liza " + now}
	}
	return nil
}

// typed returns what is typed now for words that begin with those of the moved command.
func (m movedCommand) typed(words []string) (now string, ok bool) {
	was, flag, flagged := strings.Cut(m.was, " --")
	path := strings.Fields(was)
	if len(words) < len(path) || !slices.Equal(words[:len(path)], path) {
		return "", false
	}
	rest, now := slices.Clone(words[len(path):]), m.now
	if flagged {
		at := slices.IndexFunc(rest, func(arg string) bool { return arg == "--"+flag || strings.HasPrefix(arg, "--"+flag+"=") })
		if at < 0 {
			return "", false
		}
		command, other, _ := strings.Cut(m.now, " --")
		now, rest[at] = command, "--"+other+strings.TrimPrefix(rest[at], "--"+flag)
	}
	for _, arg := range rest {
		if m.why == "" {
			now += " " + shell.Quote(quoted(arg))
		}
	}
	return now, true
}
