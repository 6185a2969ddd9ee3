package mcp

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// A colour is an enumeration as the board has them: the zero value has no name.
type colour uint8

func (c colour) MarshalText() ([]byte, error) {
	if c < 1 || c > 2 {
		return nil, errors.New("no colour")
	}
	return []byte([]string{"", "red", "blue"}[c]), nil
}

func (c *colour) UnmarshalText(text []byte) error {
	for n, name := range []string{"red", "blue"} {
		if name == string(text) {
			*c = colour(n + 1)
			return nil
		}
	}
	return errors.New("no colour")
}

type partOfCommand struct {
	DoneWhen *string  `help:"When."`
	Owns     []string `sep:"none" placeholder:"GLOB" help:"Paths; repeatable."`
}

type finding struct {
	Issue string `required:"" help:"What is wrong."`
	Line  int
}

type command struct {
	ID       string   `arg:"" help:"The thing."`
	Rest     string   `arg:"" optional:"" help:"More; - for standard input."`
	Severity string   `default:"low" placeholder:"low|high" help:"How bad."`
	Priority *int     `placeholder:"1..5" help:"When."`
	Colour   colour   `help:"Which."`
	Clear    []string `enum:"owns,depends"`
	Detail   map[string]string
	Blockers []finding
	Count    int    `default:"5"`
	From     string `tool:"-" help:"A file."`
	Spoken   bool   `tool:"As a client reads it." help:"As people do."`
	partOfCommand
}

// The schema tells clients what the tags tell the command line.
func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(schema(reflect.TypeFor[command]()))
	require.NoError(t, err)
	require.JSONEq(t, `{"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
		"id": {"type": "string", "description": "The thing."},
		"rest": {"type": "string", "description": "More."},
		"severity": {"type": "string", "description": "How bad.", "enum": ["low", "high"], "default": "low"},
		"priority": {"type": "integer", "description": "When.", "minimum": 1, "maximum": 5},
		"colour": {"type": "string", "description": "Which.", "enum": ["red", "blue"]},
		"clear": {"type": "array", "items": {"type": "string", "enum": ["owns", "depends"]}},
		"detail": {"type": "object", "additionalProperties": {"type": "string"}},
		"blockers": {"type": "array", "items": {"type": "object", "required": ["issue"], "additionalProperties": false,
			"properties": {"issue": {"type": "string", "description": "What is wrong."}, "line": {"type": "integer"}}}},
		"count": {"type": "integer", "default": 5},
		"spoken": {"type": "boolean", "description": "As a client reads it."},
		"done_when": {"type": "string", "description": "When."},
		"owns": {"type": "array", "items": {"type": "string"}, "description": "Paths."}}}`, string(text))
}

// What is described elsewhere is read like the rest.
func TestDescribedElsewhere(t *testing.T) {
	t.Parallel()
	type change struct {
		ID            string    `arg:"" help:"The thing."`
		More          []finding `schema:"-" help:"As blockers."`
		partOfCommand `schema:"-"`
	}
	text, err := json.Marshal(schema(reflect.TypeFor[change]()))
	require.NoError(t, err)
	require.JSONEq(t, `{"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "description": "The thing."},
		"more": {"type": "array", "items": {"type": "object"}, "description": "As blockers."}}}`, string(text))
	var got change
	require.NoError(t, decode(json.RawMessage(`{"id": "a", "owns": ["x"], "more": [{"issue": "y"}]}`), &got))
	require.Equal(t, change{ID: "a", More: []finding{{"y", 0}}, partOfCommand: partOfCommand{Owns: []string{"x"}}}, got)
	require.ErrorContains(t, decode(json.RawMessage(`{"id": "a", "own": ["x"]}`), &got), "own: there is no such argument; there are id, more, done_when, owns")
	require.ErrorContains(t, decode(json.RawMessage(`{"id": "a", "more": [{}]}`), &got), "more[0].issue: it is missing")
}

// The schema of a tool with kinds has the arguments of all; a call has those of one.
func TestKinds(t *testing.T) {
	t.Parallel()
	tool := Tool{Kinds: []Kind{{"part", func() any { return new(partOfCommand) }}, {"finding", func() any { return new(finding) }}}}
	text, err := json.Marshal(tool.schema())
	require.NoError(t, err)
	require.JSONEq(t, `{"type": "object", "required": ["kind"], "additionalProperties": false, "properties": {
		"kind": {"type": "string", "enum": ["part", "finding"], "description": "Which record."},
		"done_when": {"type": "string", "description": "part: When."},
		"owns": {"type": "array", "items": {"type": "string"}, "description": "part: Paths."},
		"issue": {"type": "string", "description": "finding, needed: What is wrong."},
		"line": {"type": "integer", "description": "finding: "}}}`, string(text))
	got, err := tool.decode(json.RawMessage(`{"kind": "finding", "issue": "x"}`))
	require.NoError(t, err)
	require.Equal(t, &finding{Issue: "x"}, got)
	for arguments, want := range map[string]string{
		`{"kind": "finding", "issue": "x", "owns": []}`: "owns: there is no such argument; there are issue, line",
		`{"kind": "other"}`:                             `kind: want part or finding, not "other"`,
		`{"kind": 3}`:                                   `kind: want part or finding, not ""`,
		`[]`:                                            "arguments: want an object",
	} {
		_, err := tool.decode(json.RawMessage(arguments))
		require.ErrorContains(t, err, want, arguments)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	when, two := "now", 2
	for arguments, want := range map[string]command{
		`{"id": "a"}`: {ID: "a", Severity: "low", Count: 5},
		`{"id": "a", "severity": null, "rest": null}`: {ID: "a", Severity: "low", Count: 5},
		`{"id": "a", "severity": "high", "priority": 2, "colour": "blue", "clear": ["owns"], "detail": {"k": "v"}, "done_when": "now", "owns": ["x"]}`: {
			ID: "a", Severity: "high", Priority: &two, Colour: 2, Clear: []string{"owns"}, Count: 5, Detail: map[string]string{"k": "v"},
			partOfCommand: partOfCommand{DoneWhen: &when, Owns: []string{"x"}}},
		`{"id": "a", "blockers": [{"issue": "x", "line": 3}, {"issue": "y"}]}`: {ID: "a", Severity: "low", Count: 5, Blockers: []finding{{"x", 3}, {"y", 0}}},
	} {
		var got command
		require.NoError(t, decode(json.RawMessage(arguments), &got), arguments)
		require.Equal(t, want, got, arguments)
	}
}

// Mistakes of clients are named in the words of JSON.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		``:                                   "id: it is missing; The thing.",
		`null`:                               "id: it is missing; The thing.",
		`[]`:                                 "arguments: want an object",
		`{"id": "a", "from": "x"}`:           "from: there is no such argument; there are id, rest, severity, priority, colour, clear, detail, blockers, count, spoken, done_when, owns",
		`{"id": 3}`:                          "id: want a value of type string, not number",
		`{"id": "a", "rest": "", "id": "b"}`: "id: it is given twice",
		`{"id": "a", "blockers": [{"issue": "x", "issue": "x"}]}`: "blockers[0].issue: it is given twice",
		`{"id": "a", "priority": 1.5}`:                            "priority: want a value of type integer, not number 1.5",
		`{"id": "a", "owns": "x"}`:                                "owns: want a list of strings, not string",
		`{"id": "a", "detail": {"k": 1}}`:                         "detail: want an object of strings, not number",
		`{"id": "a", "severity": "worst"}`:                        `severity: want low or high, not "worst"`,
		`{"id": "a", "clear": ["all"]}`:                           `clear: want owns or depends, not "all"`,
		`{"id": "a", "colour": "green"}`:                          "colour: no colour",
		`{"id": "a", "blockers": {}}`:                             "blockers: want a list of objects",
		`{"id": "a", "blockers": [{}]}`:                           "blockers[0].issue: it is missing",
		`{"id": "a", "blockers": ["bad"]}`:                        "arguments.blockers[0]: want an object",
	} {
		require.ErrorContains(t, decode(json.RawMessage(arguments), new(command)), want, arguments)
	}
}
