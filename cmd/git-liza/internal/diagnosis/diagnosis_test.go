package diagnosis

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A cause comes before what it brings about, whatever else speaks for that.
func TestResultsOfCauses(t *testing.T) {
	t.Parallel()
	r := read("Cart.java:2: error: package com.example does not exist\nCart.java:4: error: cannot find symbol\n")
	require.Equal(t, "module-missing", firstOf(r))
	require.Equal(t, "module-missing", r.Causes[1].ResultOf)
}

// What the board refused is there with its rule, the last one if there are several.
func TestRefusal(t *testing.T) {
	t.Parallel()
	const first = "git-liza: task-1 is CLAIMED by coder-2\nrule: not_available\nhint: git liza list\n"
	require.Equal(t, &Refusal{"not_available", "task-1 is CLAIMED by coder-2", "git liza list"}, read(first).Refusal)
	require.Equal(t, &Refusal{"scope", "x is outside", ""}, read(first+"git-liza: x is outside\nrule: scope\n").Refusal)
	require.Nil(t, read("rule: scope\n").Refusal)
	require.Nil(t, read("Output of the previous run:\n"+first).Refusal)
}

// Lines that say what others said do not count, and the last of several runs decides.
func TestLinesThatDoNotCount(t *testing.T) {
	t.Parallel()
	const line = "sh: 1: protoc: not found"
	for text, want := range map[string]string{
		line:                        "command-missing",
		"# " + line:                 "none",
		"// " + line:                "none",
		"> " + line:                 "none",
		"  12 | " + line:            "none",
		"@@ -1,2 +1,2 @@\n+" + line: "none",
		"Output of the previous run:\n" + line + "\n\nok":              "none",
		"build.go:12:\tlog(\"" + line + "\")":                          "none",
		"=== RUN   TestA\n" + line + "\n--- PASS: TestA (0.00s)":       "none",
		"=== RUN   TestA\n" + line + "\n--- FAIL: TestA (0.00s)":       "command-missing",
		"$ make\n" + line + "\n$ make test\nmain.go:3:2: undefined: x": "undefined-name",
		"\x1b[31m" + line + "\x1b[0m":                                  "command-missing",
		"2026-01-02T03:04:05.678Z " + line:                             "command-missing",
		"one\rtwo\r" + line:                                            "command-missing",
	} {
		require.Equal(t, want, firstOf(read(text)), "%q", text)
	}
}

// The evidence is the line that says what happened, and not a warning with the same words
// before it.
func TestWarningBeforeTheFailure(t *testing.T) {
	t.Parallel()
	const warning = "warning: sh: 1: protoc: not found\n"
	require.Equal(t, "a note or a warning", read(warning).Causes[0].Evidence[0].Why)
	e := read(warning + "sh: 1: protoc: not found\n").Causes[0].Evidence[0]
	require.True(t, e.Strong)
	require.Equal(t, 2, e.Line)
	require.Empty(t, e.Why)
}

// Errors are alike that differ in numbers, paths, addresses and quoted words; others are
// not.
func TestAlike(t *testing.T) {
	t.Parallel()
	first := Read(Source{Name: "a", Task: "task-1", Text: []byte("./a.go:3:4: cannot use \"x\" (untyped string constant) as int value in argument to price\n")})
	second := Read(Source{Name: "b", Task: "task-2", Text: []byte("./cmd/b.go:30:14: cannot use \"yy\" (untyped string constant) as int value in argument to price\n")})
	other := Read(Source{Name: "c", Text: []byte("./a.go:3:4: undefined: price\n")})
	another := Read(Source{Name: "d", Text: []byte("./a.go:3:4: cannot use \"x\" (untyped string constant) as bool value in assignment\n")})
	alike := Compare([]Report{first, second, other, another})
	require.Equal(t, []Alike{{alike[0].Fingerprint, first.Causes[0].Evidence[0].Text, []string{"a", "b"}, []string{"task-1", "task-2"}}}, alike)
	exits := []Report{Read(Source{Name: "e", Error: "exit status 3"}), Read(Source{Name: "f", Error: "exit status 5"})}
	require.Equal(t, []Alike{{board.Fingerprint("exit status 4"), "exit status 3", []string{"e", "f"}, []string{}}}, Compare(exits), "as the rules count failures in a row")
}

// A text that is made of nothing but words of errors, and one without ends of lines, have
// bounded answers, and come to an end.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	var words []string
	for _, cause := range causes() {
		for _, s := range cause.signs {
			words = append(words, s.text)
		}
	}
	line := strings.Join(words, " ")
	for name, text := range map[string]string{
		"words": strings.Repeat(line+"\n", 20), "one line": strings.Repeat(line, 50), "no end": strings.Repeat("at ", 20_000),
		"deep": strings.Repeat(`{"a":`, 100000), "nested": strings.Repeat(`[`, 20) + `{"content":"` + strings.Repeat(`{\"content\":`, 1000), "blanks": strings.Repeat(" ", 100_000),
		"escapes": strings.Repeat("\x1b[", 100000), "quotes": strings.Repeat(">", 100_000), "long": strings.Repeat("line of a log that goes on and on\n", 30_000),
	} {
		require.LessOrEqual(t, len(read(text).Causes), maxFindings, name)
	}
}

// Of what is no text nothing is said: programs contain the messages of errors that never
// happened.
func TestBinary(t *testing.T) {
	t.Parallel()
	r := read("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00sh: 1: protoc: not found\n\x00\x00\x00\x00\x00\x00\x00")
	require.True(t, r.Binary)
	require.Empty(t, r.Causes)
	require.Equal(t, "none", firstOf(read("")))
}
