package artifacts

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/gitstore/document"
)

// A Code says what kind of fault a file has. Programs tell faults apart by it.
type Code string

// The codes of faults.
const (
	CodeFile        Code = "file"         // it is not there, or no regular file
	CodeSize        Code = "size"         // it is larger than a file of its kind may be
	CodeText        Code = "text"         // it is not a text in UTF-8
	CodeDepth       Code = "depth"        // lists and quotations lie too deep in one another
	CodeType        Code = "type"         // nothing says its type, or there is no such type
	CodeFrontMatter Code = "front_matter" // it has none, or it cannot be read
	CodeMissing     Code = "missing"      // a key is not there
	CodeUnknown     Code = "unknown"      // a key that nothing asks for
	CodeValue       Code = "value"        // a value that the schema does not allow
	CodeHeading     Code = "heading"      // a heading is not there
	CodeContent     Code = "content"      // there is too little below a heading
	CodePlaceholder Code = "placeholder"  // what the template says is still there
	CodeStatus      Code = "status"       // a phase needs the text finished
	CodeForm        Code = "form"         // a definition cannot be read
	CodeName        Code = "name"         // a name that is malformed or used twice
	CodeRole        Code = "role"         // there is no such role
	CodePath        Code = "path"         // a pattern of paths that matches none, or what another one matches
	CodeCycle       Code = "cycle"        // something comes after itself
	CodeExit        Code = "exit"         // a phase that nobody can leave
	CodeSchema      Code = "schema"       // a JSON Schema that is wrong, or refers to something outside
	CodeLimit       Code = "limit"        // more than a definition may have
)

// Codes are all codes.
var Codes = []Code{CodeFile, CodeSize, CodeText, CodeDepth, CodeType, CodeFrontMatter, CodeMissing, CodeUnknown, CodeValue, CodeHeading,
	CodeContent, CodePlaceholder, CodeStatus, CodeForm, CodeName, CodeRole, CodePath, CodeCycle, CodeExit, CodeSchema, CodeLimit}

// A Fault is something wrong with a file.
type Fault struct {
	Code  Code   `json:"code"`
	Line  int    `json:"line"`  // from 1
	Field string `json:"field"` // dotted, such as phases[0].roles; "" if it is about no field
	Text  string `json:"text"`
}

// faults collects faults.
type faults []Fault

func (l *faults) add(code Code, field, format string, args ...any) {
	*l = append(*l, Fault{Code: code, Field: field, Text: fmt.Sprintf(format, args...)})
}

// MaxFaults bounds what is said about one file.
const MaxFaults = 100

// Sorted returns the first [MaxFaults] faults, by line.
func Sorted(list []Fault) []Fault {
	slices.SortStableFunc(list, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	if len(list) > MaxFaults {
		list = append(list[:MaxFaults-1:MaxFaults-1], Fault{Code: CodeLimit, Line: list[MaxFaults].Line,
			Text: fmt.Sprintf("and %d faults more", len(list)-MaxFaults+1)})
	}
	return list
}

// Of returns the faults that an error of package document reports, all with one code.
func Of(code Code, err error) (list []Fault) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			list = append(list, Of(code, one)...)
		}
		return list
	}
	if err == nil {
		return nil
	}
	found := Fault{Code: code, Line: 1, Text: err.Error()}
	if malformed, is := errors.AsType[*document.Error](err); is {
		found.Line, found.Field, found.Text = malformed.Line, malformed.Field, malformed.Reason
	}
	return []Fault{found}
}

// Locate gives faults without line the line of their field in a document, or of what
// stands around it.
func Locate(root document.Value, list []Fault) []Fault {
	for i := range list {
		if list[i].Line == 0 {
			list[i].Line = lineOf(root, list[i].Field)
		}
	}
	return list
}

func lineOf(value document.Value, field string) int {
	line := value.Line()
	for _, step := range strings.FieldsFunc(field, func(r rune) bool { return r == '.' || r == '[' }) {
		if at, isEntry := strings.CutSuffix(step, "]"); isEntry {
			n, err := strconv.Atoi(at)
			entries := value.Entries()
			if err != nil || n >= len(entries) {
				break
			}
			value = entries[n]
		} else {
			value = value.Key(step)
		}
		if value.Line() == 0 {
			break
		}
		line = value.Line()
	}
	return max(line, 1)
}
