package git

import (
	"fmt"
	"os"
	"testing"

	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/stretchr/testify/require"
)

// Any process may have written the content of a lock file.
func TestHolderThatIsNone(t *testing.T) {
	t.Parallel()
	r := open(t, gittest.Seeded(t))
	require.NoError(t, os.Mkdir(r.commonDir+"/liza", 0o777))
	var told []string
	r.Notice = func(line string) { told = append(told, line) }
	for _, text := range []string{"", "x", "-1 claim", "0 claim", "1 claim", fmt.Sprint(os.Getpid()) + " claim", "9999999999999999999999 claim"} {
		require.NoError(t, os.WriteFile(r.commonDir+"/liza/queue.lock", []byte(text), 0o600))
		r.Turns.tellHolder(turnToWrite)
	}
	require.Empty(t, told)
	for text, name := range map[string]string{"4711 claim  \n": "git liza claim", "4711 \x1b[2Jx": "git liza", "4711 rm -rf": "git liza", "4711": "git liza"} {
		require.NoError(t, os.WriteFile(r.commonDir+"/liza/queue.lock", []byte(text), 0o600))
		told, r.Turns.told = nil, ""
		r.Turns.tellHolder(turnToWrite)
		require.Len(t, told, 1)
		require.Contains(t, told[0], "process 4711 ("+name+"),")
	}
}
