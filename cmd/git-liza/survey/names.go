package survey

import (
	"encoding/json"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// rule is the head of a rule of make, which may have several targets.
var rule = pattern.Late(`(?m)^([A-Za-z][A-Za-z0-9_ -]*?) *::?(?:[^=:]|$)`)

// recipe is the head of a recipe of just.
var recipe = pattern.Late(`(?m)^([A-Za-z][A-Za-z0-9_-]*)(?: +[a-z_]+(?:=[^ :]*)?)* *:(?:[^=:]|$)`)

// noTest is what npm init writes where there are no tests.
const noTest = "no test specified"

// targetsOf returns the names that a file defines: targets of a Makefile, recipes of a
// justfile, scripts of package.json and composer.json.
func targetsOf(file, text string) (names []string) {
	switch {
	case file == "Makefile":
		for _, m := range rule().FindAllStringSubmatch(text, -1) {
			names = append(names, strings.Fields(m[1])...)
		}
		return names
	case path.Ext(file) != ".json":
		for _, m := range recipe().FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		return names
	}
	var read struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	if json.Unmarshal([]byte(text), &read) != nil {
		return nil
	}
	for name, script := range read.Scripts {
		if !strings.Contains(string(script), noTest) {
			names = append(names, name)
		}
	}
	return names
}

// ciKey is what stands before a command in the lines of CI.
var ciKey = pattern.Late(`^\s*(?:- +)?(?:(?:run|script|command|bash): *)?`)

// ciRun is a line of CI with one command.
var ciRun = pattern.Late(`^\s*(?:- )?run: *['"]?([^'"|>#].*?)['"]?\s*$`)

// ciLines returns the commands that the project's CI runs and that stand on one
// line, for people to read. Lines that could be taken for something else on the
// page are left out.
func (w *walk) ciLines() []string {
	lines := []string{}
	for line := range w.ciText() {
		m := ciRun().FindStringSubmatch(line)
		if m == nil || !isReadable(m[1]) || slices.Contains(lines, m[1]) {
			continue
		}
		if lines = append(lines, m[1]); len(lines) == mostListed {
			break
		}
	}
	return lines
}

// ciText returns the lines of the first files that say what the project's CI runs, each
// with the name of its file.
func (w *walk) ciText() iter.Seq2[string, string] {
	return func(visit func(line, file string) bool) {
		read := 0
		for _, pattern := range ciFiles {
			for _, name := range w.names {
				if ok, _ := path.Match(pattern, name); !ok || read == mostCI {
					continue
				}
				read++
				for line := range strings.Lines(w.text(name)) {
					if !visit(line, name) {
						return
					}
				}
			}
		}
	}
}

// ciCommands returns the commands by which the project's CI runs something that is named,
// with a runner that is at the root. They are made of words of the tables alone.
func (w *walk) ciCommands() (list []Command) {
	files := map[string]string{}
	for line, file := range w.ciText() {
		for command := range strings.SplitSeq(strings.Trim(ciKey().ReplaceAllString(line, ""), "'\" \t\r\n"), "&&") {
			words := strings.Fields(command)
			if len(words) > 0 && words[0] == "cd" {
				break // what follows is not at the root
			}
			for _, text := range runsOf(words) {
				if files[text] == "" {
					files[text] = file
				}
			}
		}
	}
	for _, r := range runners {
		i := slices.IndexFunc(r.files, func(name string) bool { return w.files[name] != "" })
		if i < 0 {
			continue
		}
		for _, n := range named {
			text := r.command + " " + n.name
			if files[text] != "" && (!r.defined || slices.Contains(targetsOf(r.files[i], w.text(r.files[i])), n.name)) {
				list = append(list, Command{n.purpose, text, files[text], r.kind})
			}
		}
	}
	return list
}

// runsOf returns what a command runs, if it is one of a runner: the runner with each name,
// without options and settings. A word that is no known name ends the names, because it may
// be the folder in which they stand.
func runsOf(words []string) (list []string) {
	if len(words) == 0 {
		return nil
	}
	command, words := words[0], words[1:]
	if len(words) > 0 && words[0] == "run" {
		command, words = command+" run", words[1:]
	}
	for _, word := range words {
		switch {
		case slices.ContainsFunc(named, func(n struct{ name, purpose string }) bool { return n.name == word }):
			list = append(list, command+" "+word)
		case !strings.HasPrefix(word, "-") && !strings.Contains(word, "="):
			return list
		}
	}
	return list
}

// isReadable reports whether a command can stand in code of Markdown: one line of
// printable ASCII without variables of the CI.
func isReadable(command string) bool {
	return len(command) <= 120 && !strings.ContainsFunc(command, func(r rune) bool { return r < ' ' || r > '~' || r == '`' || r == '|' }) &&
		!strings.Contains(command, "${{")
}
