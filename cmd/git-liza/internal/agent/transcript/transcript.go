// Package transcript reads what the command lines of coding agents print while they
// work: a record of JSON a line, in a dialect per family, or plain text.
//
// It reports what the records say: how the session ended, its last message, what was
// refused and what it used. Whether that is true, and what it means for a task, its
// callers decide by the board. It trusts no input, never fails, and needs a bounded
// amount of memory whatever is printed.
package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// maxLine is the size in bytes of the longest line that is read; a longer one is
// garbage. Records hold results of tools, and those may be whole files.
const maxLine = 1 << 20

// A Transcript is a session as its records show it so far. One goroutine writes the
// session's standard output to it; any goroutine may call the other methods.
type Transcript struct {
	mu      sync.Mutex
	dialect dialect
	account account
	line    []byte // the beginning of the unfinished line
	long    bool   // the line is longer than maxLine; only its beginning is kept
}

// A dialect reads the records of one family of command lines.
type dialect interface {
	// read reads one line without its line end.
	read(line []byte, a *account)
}

// A longReader is a dialect that understands some lines by their beginning.
type longReader interface {
	// long reads the beginning of a line over maxLine, and reports whether that is
	// enough.
	long(start []byte, a *account) bool
}

var dialects = map[string]func() dialect{
	"claude":   func() dialect { return &claude{} },
	"codex":    func() dialect { return codex{} },
	"copilot":  func() dialect { return copilot{} },
	"gemini":   func() dialect { return &gemini{} },
	"opencode": func() dialect { return opencode{} },
	"pi":       func() dialect { return &pi{} },
	"plain":    func() dialect { return plain{} },
}

// Families returns the names that [New] knows, in order.
func Families() []string {
	return slices.Sorted(maps.Keys(dialects))
}

// New returns an empty transcript of a session whose output is of the family;
// the error says that there is no such family.
func New(family string) (*Transcript, error) {
	start, ok := dialects[family]
	if !ok {
		return nil, fmt.Errorf("%q is no output family; there are %s", family, strings.Join(Families(), ", "))
	}
	t := &Transcript{dialect: start()}
	if family == "plain" {
		t.account.report.End = Unmarked
	}
	return t, nil
}

// Follow shows the rest of the session on w, for people: what the agent says, and a
// line for each tool that it uses. After a failed write nothing more is written to w.
func (t *Transcript) Follow(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.account.show = w
}

// Write reads the next piece of output; it takes everything and never fails.
func (t *Transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte("\n"))
		t.extend(part)
		if ended {
			t.end()
		}
		p = rest
	}
	return n, nil
}

func (t *Transcript) extend(part []byte) {
	if n := maxLine - len(t.line); len(part) > n {
		part, t.long = part[:n], true
	}
	t.line = append(t.line, part...)
}

func (t *Transcript) end() {
	line := bytes.TrimSuffix(t.line, []byte("\r"))
	switch {
	case t.long:
		if d, ok := t.dialect.(longReader); !ok || !d.long(line, &t.account) {
			t.account.countGarbage()
		}
	default:
		t.dialect.read(line, &t.account)
	}
	t.line, t.long = t.line[:0], false
}

// Report returns the report of the records so far. An unfinished last line counts if it
// is a whole record.
func (t *Transcript) Report() Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.dialect.(plain); ok {
		r := t.account.close()
		r.Text = lastText(append(bytes.Clone(t.account.message), t.line...))
		return r
	}
	// A whole record can be followed only by the end of its line.
	if !t.long && bytes.HasPrefix(t.line, []byte("{")) && json.Valid(t.line) {
		t.end()
	}
	return t.account.close()
}
