package survey

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// target is the head of a rule of make, or of a recipe of just.
var target = pattern.Late(`(?m)^([A-Za-z][A-Za-z0-9_-]*)(?: +[a-z_]+(?:=[^ :]*)?)* *:(?:[^=:]|$)`)

// noTest is what npm init writes where there are no tests.
const noTest = "no test specified"

// targetsOf returns the names that a file defines: targets of a Makefile, recipes of a
// justfile, scripts of package.json and composer.json.
func targetsOf(file, text string) (names []string) {
	if path.Ext(file) != ".json" {
		for _, m := range target().FindAllStringSubmatch(text, -1) {
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

// ciRun is a line of CI with one command.
var ciRun = pattern.Late(`^\s*(?:- )?run: *['"]?([^'"|>#].*?)['"]?\s*$`)

// ciLines returns the commands that the project's CI runs and that stand on one
// line, for people to read. Lines that could be taken for something else on the
// page are left out.
func (w *walk) ciLines() []string {
	lines := []string{}
	for _, pattern := range ciFiles {
		for _, name := range w.names {
			if ok, _ := path.Match(pattern, name); !ok {
				continue
			}
			for line := range strings.Lines(w.text(name)) {
				m := ciRun().FindStringSubmatch(line)
				if m == nil || !isReadable(m[1]) || slices.Contains(lines, m[1]) {
					continue
				}
				if lines = append(lines, m[1]); len(lines) == mostListed {
					return lines
				}
			}
		}
	}
	return lines
}

// isReadable reports whether a command can stand in code of Markdown: one line of
// printable ASCII without variables of the CI.
func isReadable(command string) bool {
	return len(command) <= 120 && !strings.ContainsFunc(command, func(r rune) bool { return r < ' ' || r > '~' || r == '`' || r == '|' }) &&
		!strings.Contains(command, "${{")
}
