package supervise_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A hook that a session wrote into the clone is in the inbox until a person has looked.
func TestPlantedHookIsInTheInbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tasks(1)
	path := w.scriptOf(`case $LIZA_ROLE in
coder) hook="$LIZA_CLONE/.git/hooks/post-merge"; echo '#!/bin/sh' >"$hook"; chmod +x "$hook"; submit;;
*) approve;;
esac`)
	require.NoError(t, w.external("rush", "--planners", "0", "--until-idle", "--provider", shell(path)).Wait())
	inbox := w.liza("inbox")
	require.Contains(t, inbox, "/.git/hooks/post-merge came or changed while a session ran")
	_, command, _ := strings.Cut(inbox, "git liza record dismiss ")
	id, _, _ := strings.Cut(command, " ")
	w.liza("record", "dismiss", id, "--reason", "Mine")
	require.NotContains(t, w.liza("inbox"), "hook")
}
