package main

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// A movedCommand is a command that is typed differently now. The old words are no alias:
// whoever types them is told the new ones.
type movedCommand struct {
	was string // with a flag: only command lines that have it
	now string // a flag here stands for that of was, or takes the first argument; one of was that is not here goes, its value stays
	why string // of a command that is gone, with what comes nearest to it in now, which takes no arguments of was
}

// movedLines are looked up from above: of two that begin alike the longer one stands
// first. A line has was, now and why, apart by |.
//
//go:embed moved.txt
var movedLines string

func movedCommands() (list []movedCommand) {
	for line := range strings.Lines(movedLines) {
		row := append(strings.Split(strings.TrimSuffix(line, "\n"), "|"), "")
		list = append(list, movedCommand{row[0], row[1], row[2]})
	}
	return list
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
	for _, m := range movedCommands() {
		now, ok := m.typed(args)
		if !ok {
			continue
		}
		if command, _, _ := strings.Cut(m.now, " --"); help && m.now != "--version" {
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
		value := strings.TrimPrefix(rest[at], "--"+flag)
		now, rest[at] = command, "--"+other+value
		if other == "" {
			rest[at] = strings.TrimPrefix(value, "=")
		}
		if rest[at] == "" {
			rest = slices.Delete(rest, at, at+1)
		}
		if other == "" && at < len(rest) { // a flag takes a list as one word
			rest = slices.Replace(rest, at, at+1, strings.Split(rest[at], ",")...)
		}
	}
	if m.why != "" || len(rest) == 0 {
		return now, true
	}
	return now + " " + shell.Join(lists.Of(rest, quoted)...), true
}
