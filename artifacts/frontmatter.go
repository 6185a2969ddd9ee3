package artifacts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A Text is an artifact in Markdown, parted into front matter and body.
type Text struct {
	Front document.Value // a mapping; nowhere if there is none
	Body  string
	Line  int // of the file on which the body begins, from 1
}

// fence is the line before and after the front matter.
const fence = "---"

// Part parts a text. Faults have codes of front matter; the body is there nevertheless.
func Part(path string, text []byte) (Text, []Fault) {
	front, body, line, why := split(string(text))
	t := Text{Body: body, Line: line}
	switch {
	case why != "":
		return t, []Fault{{Code: CodeFrontMatter, Line: 1, Text: why}}
	case front == "":
		return t, nil
	case len(front) > MaxFrontMatter:
		return t, []Fault{{Code: CodeFrontMatter, Line: 1, Text: fmt.Sprintf("the front matter is larger than %d bytes", MaxFrontMatter)}}
	case strings.TrimSpace(front) == "":
		return t, []Fault{{Code: CodeFrontMatter, Line: 1, Text: "the front matter is empty"}}
	case strings.Count(front, ":")+strings.Count(front, ",")+strings.Count(front, "- ")+strings.Count(front, "[")+strings.Count(front, "{") > 4*MaxValues:
		return t, []Fault{{Code: CodeFrontMatter, Line: 1, Text: fmt.Sprintf("the front matter holds more than %d values", MaxValues)}}
	}
	// The empty line stands for the first fence, so that lines are those of the file.
	doc, err := document.Parse(path, []byte("\n"+front), MaxFrontMatter+1)
	if err != nil {
		return t, Of(CodeFrontMatter, err)
	}
	root := doc.Root()
	if !root.IsMapping() {
		return t, []Fault{{Code: CodeFrontMatter, Line: max(root.Line(), 1), Text: "the front matter is no mapping of keys to values"}}
	}
	t.Front = root
	return t, nil
}

// split separates the front matter from the body. why says what is wrong with the fences.
func split(text string) (front, body string, line int, why string) {
	begin, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(begin, " \t\r") != fence {
		return "", text, 1, ""
	}
	at := 0
	for number := 2; at < len(rest); number++ {
		end := strings.IndexByte(rest[at:], '\n')
		if end < 0 {
			end = len(rest) - at - 1
		}
		one := strings.TrimRight(rest[at:at+end+1], " \t\r\n")
		next := at + end + 1
		if one == fence || one == "..." {
			return strings.ReplaceAll(rest[:at], "\r\n", "\n") + "\n", rest[next:], number + strings.Count(rest[at:next], "\n"), ""
		}
		at = next
	}
	return "", text, 1, "the front matter, which begins with ---, has no end: a line --- of its own"
}

// Status is the status that the front matter says, "" if it says none.
func (t *Text) Status() string {
	status, _ := t.Front.Key("status").Text()
	return status
}

// isFrozen reports whether a text is one that may not change any more. What cannot be
// read is not: no text came to its path without a check.
func (t *Type) isFrozen(text []byte) bool {
	if len(t.Frozen) == 0 {
		return false
	}
	parted, wrong := Part("", text)
	return len(wrong) == 0 && t.freezes(parted.Front)
}

func (t *Type) freezes(front document.Value) bool {
	for field, values := range t.Frozen {
		if text, ok := front.Key(field).Text(); ok && slices.Contains(values, text) {
			return true
		}
	}
	return false
}

// A State is an artifact at a commit.
type State struct {
	Mode string // as git writes it, such as 100644
	Text []byte
}

// Superseded is the status of an artifact that another one replaces.
const Superseded = "superseded"

// changeable are the keys of a frozen artifact that may change.
var changeable = []string{"status", "superseded_by"}

// CheckFrozen says why the change of an artifact from one state to another is not allowed
// because it is frozen; "" if it is allowed. A nil state is that of a file that is not
// there, so that a rename is a removal. Of a frozen artifact only superseded_by may
// change, and the status to superseded.
func (t *Type) CheckFrozen(was, is *State) string {
	if was == nil || !t.isFrozen(was.Text) {
		return ""
	}
	old, _ := Part("", was.Text)
	frozen := "it is frozen (" + old.frozenBy(t) + ")"
	switch {
	case is == nil:
		return frozen + " and may be neither removed nor renamed"
	case is.Mode != was.Mode:
		return fmt.Sprintf("%s, and its mode may not change from %s to %s", frozen, was.Mode, is.Mode)
	case bytes.Equal(is.Text, was.Text):
		return ""
	}
	now, wrong := Part("", is.Text)
	if len(wrong) > 0 {
		return frozen + ", and its front matter cannot be read any more: " + wrong[0].Text
	}
	if now.Body != old.Body {
		return frozen + ", and its text may not change: write a new one, and name that in superseded_by"
	}
	before, after := rest(old.Front), rest(now.Front)
	for _, key := range append(keysOf(old.Front), keysOf(now.Front)...) {
		if !slices.Contains(changeable, key) && before[key] != after[key] {
			return fmt.Sprintf("%s, and its %s may not change", frozen, key)
		}
	}
	if status := now.Status(); status != old.Status() && status != Superseded {
		return fmt.Sprintf("%s, and its status may become %s, not %q", frozen, Superseded, status)
	}
	return ""
}

// frozenBy says which field freezes the text.
func (t *Text) frozenBy(of *Type) string {
	for _, key := range keysOf(t.Front) {
		if text, ok := t.Front.Key(key).Text(); ok && slices.Contains(of.Frozen[key], text) {
			return key + ": " + text
		}
	}
	return ""
}

func keysOf(front document.Value) []string {
	return lists.Of(front.Members(), func(m document.Member) string { return m.Key })
}

// rest are the values of the keys, in JSON.
func rest(front document.Value) map[string]string {
	values := map[string]string{}
	for _, m := range front.Members() {
		text, err := json.Marshal(m.Value.JSON())
		if err != nil {
			text = []byte(err.Error())
		}
		values[m.Key] = string(text)
	}
	return values
}

// neverFinished reports whether the schema allows no status but those of texts that are
// not finished.
func (t *Type) neverFinished() bool {
	var schema struct {
		Properties struct {
			Status struct {
				Enum  []string `json:"enum"`
				Const string   `json:"const"`
			} `json:"status"`
		} `json:"properties"`
	}
	if json.Unmarshal([]byte(t.Schema), &schema) != nil {
		return false
	}
	allowed := schema.Properties.Status.Enum
	if one := schema.Properties.Status.Const; one != "" {
		allowed = []string{one}
	}
	return len(allowed) > 0 && !slices.ContainsFunc(allowed, func(s string) bool { return !IsUnfinished(s) })
}
