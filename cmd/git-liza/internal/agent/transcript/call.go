package transcript

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/board"
)

// call returns a tool with its main argument, such as Bash: git push.
func call(tool string, input json.RawMessage) string { return oneLine(tool, mainArgument(input)) }

// oneLine returns an action and its object as a label of one line.
func oneLine(what, object string) string {
	object = strings.Join(strings.Fields(clip(object, 4*maxLabel)), " ")
	if object == "" || what == "" {
		return label(what + object)
	}
	return label(what + ": " + object)
}

// mainArguments are the arguments of tools that say what a call does, the most telling one
// first.
var mainArguments = []string{"command", "cmd", "file_path", "filePath", "absolute_path", "path", "pattern", "query", "url", "prompt", "description"}

func mainArgument(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		var text string
		_ = json.Unmarshal(input, &text)
		return text
	}
	for _, name := range mainArguments {
		var text string
		var words []string
		switch raw := fields[name]; {
		case raw == nil:
		case json.Unmarshal(raw, &text) == nil && text != "":
			return text
		case json.Unmarshal(raw, &words) == nil && len(words) > 0:
			return strings.Join(words, " ")
		}
	}
	return ""
}

// label returns the beginning of text in the length of one line.
func label(text string) string { return clip(text, maxLabel) }

// clip returns the beginning of text, clean and of at most size bytes, with a mark if
// something is missing.
func clip(text string, size int) string {
	if len(text) > 4*size {
		text = text[:4*size]
	}
	text = board.Clean(text)
	if len(text) <= size {
		return text
	}
	cut := size - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return board.Clean(text[:cut]) + "…"
}

// lastText returns the end of a message as a report has it.
func lastText(message []byte) string {
	text := board.Clean(string(message))
	cut := max(0, len(text)-maxText)
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut++
	}
	return board.Clean(text[cut:])
}
