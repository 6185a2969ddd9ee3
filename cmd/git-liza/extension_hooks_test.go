package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// TestHostileHooks runs what an extension must not do: hang, leave children behind, and
// print without end. What hangs is ended, and nothing of it survives.
func TestHostileHooks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		time   time.Duration // long where it is not to be reached, however slow the machine
		want   string
	}{
		"hangs":             {"trap '' TERM\nwhile :; do sleep 1; done", 2 * time.Second, "it did not end within 2s and was ended"},
		"forks":             {"(trap '' TERM HUP; echo $$ > child; exec sleep 1000) &\nexit 0", time.Hour, ""},
		"hangs in a child":  {"setsid sh -c \"trap '' TERM; sleep 1000\" &\nwait", 2 * time.Second, "it did not end within 2s and was ended"},
		"prints a gigabyte": {"head -c 1073741824 /dev/zero\necho the end\nexit 3", time.Hour, "it ends with exit code 3: the end"},
		"reads nothing":     {"exit 0", time.Hour, ""},
		"is no program":     {"\x00\x01", time.Hour, "exec format error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			head := "#!/bin/sh\n"
			if name == "is no program" {
				head = ""
			}
			h := hook{name: "house", act: "merge", text: []byte(head + c.script + "\n"), input: make([]byte, 1<<20),
				folder: dir, dir: dir, environ: os.Environ(), time: c.time}
			err := h.run(t.Context())
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
			left, err := filepath.Glob(filepath.Join(dir, "hook-*"))
			require.NoError(t, err)
			require.Empty(t, left)
			require.False(t, proc.WorksIn(dir), "a process of it lives")
		})
	}
}
