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
	now string // a flag here stands for that of was, or takes the first argument; one of was that is not here goes, its value stays
	why string // of a command that is gone, with what comes nearest to it in now, which takes no arguments of was
}

// movedCommands are looked up from above: of two that begin alike the longer one stands
// first.
var movedCommands = []movedCommand{
	{was: "unblock", now: "task unblock"},
	{was: "supersede", now: "task supersede"},
	{was: "abandon", now: "task abandon"},
	{was: "convert", now: "task add --record"},
	{was: "discover", now: "record discovery"},
	{was: "anomaly", now: "record anomaly"},
	{was: "align", now: "record alignment"},
	{was: "spec-change", now: "record spec-change"},
	{was: "records defer", now: "record defer"},
	{was: "records list", now: "record list"},
	{was: "records", now: "record list"},
	{was: "recheck", now: "approve --again"},
	{was: "dismiss --blocker", now: "reject --dismiss"},
	{was: "dismiss", now: "record dismiss"},
	{was: "reconcile", now: "adopt --tasks"},
	{was: "state", now: "board show"},
	{was: "diff", now: "board diff"},
	{was: "mark", now: "board mark"},
	{was: "edit", now: "board edit"},
	{was: "archive", now: "board archive"},
	{was: "migrate", now: "board migrate"},
	{was: "breaker reset", now: "board breaker reset"},
	{was: "breaker show", now: "status"},
	{was: "breaker", now: "status"},
	{was: "focus", now: "goal focus"},
	{was: "level pass", now: "goal level pass"},
	{was: "level", now: "goal show", why: "goal show has the levels, and with --level N the output of the gates of one"},
	{was: "phase next", now: "goal phase next"},
	{was: "phase back", now: "goal phase back"},
	{was: "phase reload", now: "goal phase reload"},
	{was: "phase show --goal", now: "goal show"},
	{was: "phase --goal", now: "goal show"},
	{was: "phase show", now: "goal show"},
	{was: "phase", now: "goal show"},
	{was: "register", now: "agents add"},
	{was: "unregister", now: "agents remove"},
	{was: "degrade", now: "agents rest"},
	{was: "outage", now: "gate outage"},
	{was: "classify", now: "plan classify"},
	{was: "prompt", now: "session prompt"},
	{was: "diagnose", now: "session diagnose"},
	{was: "lesson check", now: "check"},
	{was: "lesson list", now: "recall --lessons"},
	{was: "lesson", now: "recall --lessons"},
	{was: "plan check", now: "check"},
	{was: "artifact check", now: "check"},
	{was: "extension check", now: "check"},
	{was: "validate", now: "fsck --board"},
	{was: "hooks status", now: "doctor"},
	{was: "contracts status", now: "doctor"},
	{was: "template", now: "artifact template"},
	{was: "trace", now: "show --trace"},
	{was: "version", now: "--version"},
	{was: "usage", now: "metrics"},
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
		now, rest[at] = command, "--"+other+strings.TrimPrefix(rest[at], "--"+flag)
		if other == "" {
			rest = slices.Delete(rest, at, at+1)
		}
	}
	for _, arg := range rest {
		if m.why == "" {
			now += " " + shell.Quote(quoted(arg))
		}
	}
	return now, true
}
