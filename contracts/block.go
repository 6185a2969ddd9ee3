package contracts

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// entryFiles are the files at the root of a project that tools read at the start
// of a session: Claude Code the first, Codex and most others the second,
// Gemini CLI the third.
var entryFiles = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"}

// The first and last line of a block in an entry file. A line counts as one
// of them if it begins so.
const (
	beginning = "<!-- git liza contracts: begin"
	ending    = "<!-- git liza contracts: end"
)

// pointer returns the block that refers a reader to CORE. Claude Code and
// Gemini CLI include the file in the line with @; for other tools it is a
// path.
func pointer(dir string) []byte {
	return fmt.Appendf(nil, "%s; `git liza contracts uninstall` takes it out -->\n"+
		"Before anything else read `%s/CORE.md` and follow it; it says what else to read.\n\n@%s/CORE.md\n%s -->\n",
		beginning, dir, dir, ending)
}

// errDamaged reports a block that cannot be separated from the text around
// it.
var errDamaged = errors.New("its marks of a block (" + beginning + " … and " + ending + " …) do not stand in one pair")

const byteOrderMark = "\ufeff"

// split finds the block in an entry file: what stands before it, the block
// with the line break at its end, and what stands after it. Without a block,
// before is the whole text. The error is errDamaged unless the marks form one
// pair.
func split(text []byte) (before, block, after []byte, err error) {
	from, to, at := -1, -1, 0
	for line := range bytes.Lines(text) {
		shown := line
		if at == 0 {
			shown = bytes.TrimPrefix(line, []byte(byteOrderMark))
		}
		switch {
		case bytes.HasPrefix(shown, []byte(beginning)):
			if from >= 0 {
				return nil, nil, nil, errDamaged
			}
			from = at + len(line) - len(shown)
		case bytes.HasPrefix(shown, []byte(ending)):
			if from < 0 || to >= 0 {
				return nil, nil, nil, errDamaged
			}
			to = at + len(line)
		}
		at += len(line)
	}
	switch {
	case from < 0:
		return text, nil, nil, nil
	case to < 0:
		return nil, nil, nil, errDamaged
	}
	return text[:from], text[from:to], text[to:], nil
}

// insert puts the block into an entry file in place of the old one, else at
// the top: tools read the top first, and it needs no line break before it.
// The other bytes do not change.
func insert(text, block []byte) ([]byte, error) {
	before, old, after, err := split(text)
	if err != nil {
		return nil, err
	}
	if old == nil {
		top := headLength(text)
		before, after = text[:top], text[top:]
	}
	if first, _, ok := bytes.Cut(text, []byte("\n")); ok && bytes.HasSuffix(first, []byte("\r")) {
		block = bytes.ReplaceAll(block, []byte("\n"), []byte("\r\n"))
	}
	return bytes.Join([][]byte{before, block, after}, nil), nil
}

// headLength returns the length of what must stay at the top of a file: a byte
// order mark, and front matter between two lines of ---.
func headLength(text []byte) int {
	start := 0
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	at := start
	for line := range bytes.Lines(text[start:]) {
		rule := strings.TrimRight(string(line), " \t\r\n") == "---"
		switch {
		case at == start && !rule:
			return start
		case at > start && rule && bytes.HasSuffix(line, []byte("\n")):
			return at + len(line)
		}
		at += len(line)
	}
	return start
}
