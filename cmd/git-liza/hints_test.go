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
