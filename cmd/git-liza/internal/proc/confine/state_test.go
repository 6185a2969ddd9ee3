package confine_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// What is required is refused on a kernel that confines less, and what that does is said.
func TestStatesOnKernels(t *testing.T) {
	t.Parallel()
	for _, k := range []struct {
		version, errata int
		state           proc.Confined
	}{{0, 0, proc.Unconfined}, {3, 0, proc.ConfinedFiles}, {6, 1, proc.ConfinedFiles}, {6, 3, proc.ConfinedFully}} {
		if proc.Confinement() < k.state {
			t.Skip("SKIPPED: this kernel confines " + proc.Confinement().String())
		}
		var text []byte
		var err error
		none := gittest.OnKernel(k.version, k.errata, func() {
			c := exec.Command(os.Args[0], "-test.run", "^TestStateHere$")
			c.Env = append(os.Environ(), "CONFINE_TEST_STATE="+k.state.String())
			text, err = c.CombinedOutput()
		})
		if none != nil {
			t.Skip("SKIPPED: no other kernel can be had here: " + none.Error())
		}
		require.NoError(t, err, string(text))
	}
}

func TestStateHere(t *testing.T) {
	want := os.Getenv("CONFINE_TEST_STATE")
	if want == "" {
		return // of this kernel the other tests say enough
	}
	state, err := confine.Settings{}.State()
	require.NoError(t, err)
	require.Equal(t, want, state.String())
	state, err = confine.Settings{Required: true}.State()
	require.Equal(t, want, state.String())
	if state == proc.ConfinedFully {
		require.NoError(t, err)
	} else {
		require.ErrorContains(t, err, "liza.confine is required, and this kernel confines "+want)
	}
	_, err = confine.Settings{Ports: []uint16{}}.State()
	if state == proc.ConfinedFully {
		require.NoError(t, err)
	} else {
		require.ErrorContains(t, err, "liza.confine.net is set, and this kernel confines "+want)
	}
	state, err = confine.Settings{Off: true}.State()
	require.NoError(t, err)
	require.Equal(t, proc.Unconfined, state)
	lines := map[string]string{"none": "none: this kernel confines no command (Linux 6.2 does)", "full": "full",
		"files": "files: this kernel lets a command end processes outside (Linux 6.15 does not)"}
	required := lines["full"]
	if want != "full" {
		required = "no session begins: liza.confine is required, and this kernel confines " + want
	}
	for mode, line := range map[string]string{"off": "", "auto": lines[want], "required": required} {
		dir := t.TempDir()
		gittest.Git(t, dir, "init", "-q")
		gittest.Git(t, dir, "config", "liza.confine", mode)
		repo, err := git.Open(t.Context(), dir)
		require.NoError(t, err)
		require.Equal(t, line, confine.Line(t.Context(), &repo.Config.Configuration, os.Environ()))
	}
}
