package planforms

import (
	"regexp"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

var (
	codePattern = pattern.Late("^`([^`]+)`$")
	// A line that is a part of something larger, so that lines are no commands of their own.
	partPattern = pattern.Late(`^(?:if|for|while|until|case|do|done|then|else|elif|fi|esac)\b|^[{}()]|<<|\($|\{$`)
)

// commands are those that a text shows as code: lines of fenced code that says that it is
// for a shell, and entries of lists that are code and nothing else. What is prose stays
// text: it is never run. Code that is no list of commands is reported.
func (r *reading) commands(file string, lines []line) (list []string) {
	open := "" // a line that goes on
	odd := 0
	for _, l := range lines {
		text := strings.TrimSpace(l.text)
		if m := itemPattern().FindStringSubmatch(l.text); m != nil && !l.fenced {
			if code := codePattern().FindStringSubmatch(strings.TrimSpace(m[3])); code != nil {
				list = append(list, strings.TrimSpace(code[1]))
			}
			continue
		}
		command, ok := commandOf(l, text)
		if !ok {
			continue
		}
		if before, goesOn := strings.CutSuffix(open+command, `\`); goesOn {
			open = before
			continue
		}
		command, open = open+command, ""
		if matches(partPattern, command) && odd == 0 {
			odd = l.number
		}
		list = append(list, command)
	}
	if odd > 0 || open != "" {
		r.leave(file, max(odd, 1), "verification", "its code is no list of commands of a line each: set verify by hand")
		return nil
	}
	return list
}

func matches(late func() *regexp.Regexp, text string) bool { return late().MatchString(text) }

// commandOf is the command on a line of fenced code.
func commandOf(l line, text string) (command string, ok bool) {
	if !l.fenced || l.fence || text == "" || strings.HasPrefix(text, "#") {
		return "", false
	}
	switch l.code {
	case "sh", "bash", "zsh", "shell":
		return strings.TrimPrefix(text, "$ "), true
	case "console", "terminal":
		return strings.CutPrefix(text, "$ ")
	}
	return "", false
}

// allOf is one command that succeeds if all do. They run in one shell, so that a change of
// the folder counts for what comes after it.
func allOf(commands []string) string {
	if len(commands) < 2 {
		return strings.Join(commands, "")
	}
	list := make([]string, len(commands))
	for i, one := range commands {
		if list[i] = one; strings.ContainsAny(one, "|;&#") {
			list[i] = "{ " + one + "\n}"
		}
	}
	return strings.Join(list, " && ")
}
