package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/torture"
)

// mostBytes is how large the program may be: 30 MB, and what 1,100 lines of confinement and 1,900
// of mending, with the forms of Unicode, take.
const mostBytes = 30_600_000

// There is one program, whose size is bounded. README says how go install makes it, and the
// Makefile adds no packages to that, and leaves none out.
func TestOneProgram(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), "CGO_ENABLED=0 go install -ldflags '-s -w' ./cmd/git-liza")
	rules, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	require.Contains(t, string(rules), "CGO_ENABLED=0 $(GO) build $(BUILDFLAGS) -o git-liza ./cmd/git-liza\n")
	require.NotContains(t, string(rules), " -tags")
	require.Nil(t, setClock, "without the tag testclock the program takes its time from nobody")
	if torture.Thorough() {
		return // it has the race detector in it
	}
	is, err := os.Stat(built)
	require.NoError(t, err)
	require.LessOrEqual(t, is.Size(), int64(mostBytes))
}
