package main

import (
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// later are the acts whose commands come with governance.
var later = map[flow.Act]bool{flow.ActTrip: true, flow.ActMigrate: true}

// Every act that a refusal can name has a page of help under its command.
func TestEveryActHasACommand(t *testing.T) {
	t.Parallel()
	for _, act := range flow.Acts() {
		if later[act] {
			continue
		}
		s := &session{stdout: io.Discard, stderr: io.Discard}
		var cli commands
		parser, err := kong.New(&cli, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) { panic(helpPrinted{}) }))
		require.NoError(t, err)
		func() {
			defer func() {
				require.IsType(t, helpPrinted{}, recover(), "git liza help %s", act.Command())
			}()
			s.help(parser, strings.Fields(act.Command()))
		}()
	}
}

// Two commands whose hashes begin alike are both refused, and both named: which
// of them was meant, nobody knows.
func TestHashOfTwoCommands(t *testing.T) {
	t.Parallel()
	shared := strings.Repeat("a", 50)
	one := commandRow{Hash: shared + strings.Repeat("1", 14), Command: "make test"}
	two := commandRow{Hash: shared + strings.Repeat("2", 14), Command: "touch \u202eevil"}
	for hash, want := range map[string][]commandRow{one.Hash: {one, one}, two.Hash: {two}, shared + "1": {one, one}} {
		rows, err := (&trustCommand{Hash: hash}).named([]commandRow{one, two, one})
		require.NoError(t, err)
		require.Equal(t, want, rows)
	}
	_, err := (&trustCommand{Hash: shared}).named([]commandRow{one, two})
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Contains(t, refusal.Reason, one.Hash+" (make test)")
	require.Contains(t, refusal.Reason, two.Hash+` ("touch \u202eevil")`)
}
