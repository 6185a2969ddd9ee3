package view

import (
	"strconv"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// FindingLine is a finding on one line, as people write it: its place and the first line
// of its issue.
func FindingLine(f flow.Finding) string {
	line := plaintext.Line(FirstLine(f.Issue))
	switch {
	case f.File == "":
		return line
	case f.Line == 0:
		return plaintext.Line(f.File) + " — " + line
	}
	return plaintext.Line(f.File) + ":" + strconv.Itoa(f.Line) + " — " + line
}
