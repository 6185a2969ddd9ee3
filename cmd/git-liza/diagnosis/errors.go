package diagnosis

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// An Error is what a compiler, a runtime or a shell reports.
type Error struct {
	Language    string   `json:"language"` // go, python, javascript, rust, java, c, shell, git
	Type        string   `json:"type"`     // as the language names it
	Message     string   `json:"message"`
	File        string   `json:"file"`
	Line        int      `json:"line"`     // in the file, 0 if it is not known
	Function    string   `json:"function"` // in which it happened, "" if it is not known
	Causes      []string `json:"causes"`   // what brought it about, the first cause last
	Fingerprint string   `json:"fingerprint"`
	At          int      `json:"at"` // the line of the text

	told []int // the indexes of the lines that report it
}

// maxErrors is how many errors of a text are reported.
const maxErrors = 50

// A reader reads the error that begins at a line; read is how many lines it took. Without a
// language there is none, and none begins in these lines.
type reader func(lines []line) (e Error, read int)

var readers = []reader{readPython, readJava, readJavaScript, readRust, readGo, readC, readShell}

// findErrors returns the errors of a text in their order, each once.
func findErrors(lines []line) []Error {
	list := []Error{}
	for i := 0; i < len(lines) && len(list) < maxErrors; {
		e, read := readAt(lines[i:])
		if e.Language == "" {
			i += max(1, read)
			continue
		}
		for j := range e.told {
			e.told[j] += i
		}
		e.finish(lines, i)
		if !slices.ContainsFunc(list, func(other Error) bool {
			return other.Fingerprint == e.Fingerprint && other.Message == e.Message && other.File == e.File && other.Line == e.Line
		}) {
			list = append(list, e)
		}
		i += read
	}
	return list
}

func readAt(lines []line) (Error, int) {
	if lines[0].counts == 0 && !traceFile().MatchString(lines[0].text) {
		return Error{}, 0
	}
	for _, read := range readers {
		if e, n := read(lines); n > 0 {
			return e, n
		}
	}
	return Error{}, 0
}

// finish adds what all languages have in common to an error that begins at an index.
func (e *Error) finish(lines []line, at int) {
	e.At = lines[at].number
	if len(e.told) == 0 {
		e.told = []int{at}
	}
	if e.Function == "" {
		e.Function = functionBefore(lines[:at], e)
	}
	e.Fingerprint = flow.Fingerprint(e.Type + ": " + e.Message)
	for _, text := range []*string{&e.Type, &e.Message, &e.File, &e.Function} {
		*text = plaintext.Line(strings.TrimSpace(*text))
	}
	for i, cause := range e.Causes {
		e.Causes[i] = plaintext.Line(strings.TrimSpace(cause))
	}
	if e.Causes == nil {
		e.Causes = []string{}
	}
}

// nearby is how many lines before an error may name its function.
const nearby = 20

// functionBefore is the function that the lines before an error name.
func functionBefore(lines []line, e *Error) string {
	for _, l := range slices.Backward(lines[max(0, len(lines)-nearby):]) {
		switch e.Language {
		case "go":
			if m := goFailed().FindStringSubmatch(l.text); m != nil && strings.HasSuffix(e.File, "_test.go") {
				return m[1]
			}
		case "c":
			if m := cFunction().FindStringSubmatch(l.text); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// A frame is a place in a stack of calls.
type frame struct {
	function, file string
	line           int
}

// setPlace sets the place of an error.
func (e *Error) setPlace(f frame) { e.Function, e.File, e.Line = f.function, f.file, f.line }

// number reads the number of a line, 0 if it is none.
func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// chain splits the message of an error that wraps others, as Go programs do.
func chain(message string) []string {
	parts := strings.Split(message, ": ")
	return parts[1:]
}
