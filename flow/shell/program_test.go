package shell_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/shell"
)

// The program of a command is what a shell looks for, if that can be known.
func TestProgram(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"": "", "  make check": "make", "A=b C=d make": "make", "'go' test": "go", "/usr/bin/make x": "/usr/bin/make", "cd sub && make": "cd", "make\n-k": "make",
		"./test.sh": "", "bin/test": "", "$MAKE check": "", "~/bin/x": "", "A='b c' make": "", "(cd x; make)": "", "! grep x": "", "# nothing": "", "A=b": "",
	} {
		require.Equal(t, want, shell.Program(command), command)
	}
}
