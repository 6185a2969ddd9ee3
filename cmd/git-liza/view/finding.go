package view

import (
	"strconv"

	"github.com/git-liza/git-liza/flow"
)

// FindingLine is a finding on one line, as people write it: its place and the first line
// of its issue.
func FindingLine(f flow.Finding) string {
	line := OneLine(FirstLine(f.Issue))
	switch {
	case f.File == "":
		return line
	case f.Line == 0:
		return OneLine(f.File) + " — " + line
	}
	return OneLine(f.File) + ":" + strconv.Itoa(f.Line) + " — " + line
}
