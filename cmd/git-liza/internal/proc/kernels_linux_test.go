package proc_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/internal/gittest"
)

// kernels are those that are told apart: the version of Landlock, its corrections (2 is in Linux 6.15,
// and in later ones of 6.12), and what the kernel can keep a command from.
var kernels = []struct {
	version, errata int
	state           proc.Confined
}{
	{0, 0, proc.Unconfined}, {2, 0, proc.Unconfined},
	{3, 0, proc.ConfinedFiles}, {4, 0, proc.ConfinedFiles}, {5, 0, proc.ConfinedFiles}, {6, 0, proc.ConfinedFiles}, {7, 1, proc.ConfinedFiles},
	{6, 3, proc.ConfinedFully}, {7, 3, proc.ConfinedFully},
}

// skips are attempts that cannot be shown everywhere: machines without programs of 32 bits, and those that let
// root alone trace others or have users, mounts and processes of its own.
var skips = []string{"calls_by_numbers_of_another_architecture", "has_a_socket_of_another_kind", "has_mounts_of_its_own", "has_mounts,_by_a_call", "has_processes_of_its_own", "has_a_root_of_its_own",
	"has_users_of_its_own", "has_users,_by_a_call", "reads_its_memory", "reads_its_memory_by_a_call", "traces_it", "takes_a_file_of_it"}

// What a domain refuses on each kernel, as root and as another user.
func TestAttemptsOnKernels(t *testing.T) {
	t.Parallel()
	if proc.Confinement() != proc.ConfinedFully {
		t.Skip("SKIPPED: this kernel has no Landlock 6")
	}
	exe, nobody := gittest.Unprivileged(t)
	users := map[string]*syscall.SysProcAttr{"user": nobody}
	if os.Geteuid() == 0 {
		users["root"] = &syscall.SysProcAttr{}
	}
	for user, as := range users {
		for _, k := range kernels {
			t.Run(fmt.Sprint(user, " ", k.version, " ", k.errata), func(t *testing.T) {
				var text []byte
				var err error
				none := gittest.OnKernel(k.version, k.errata, func() {
					c := exec.Command(exe, "-test.v", "-test.run", "^(TestAttemptsInADomain|TestStateOfAKernel)$")
					c.SysProcAttr, c.Env = as, append(os.Environ(), "PROC_TEST_STATE="+k.state.String())
					text, err = c.CombinedOutput()
				})
				if none != nil {
					t.Skip("SKIPPED: no other kernel can be had here: " + none.Error())
				}
				require.NoError(t, err, string(text))
				shown := strings.Count(string(text), "--- PASS: TestAttemptsInADomain/")
				for _, name := range skips {
					shown += strings.Count(string(text), "--- SKIP: TestAttemptsInADomain/"+name+" ")
				}
				if k.state == proc.Unconfined {
					require.Zero(t, shown)
				} else {
					require.Equal(t, len(attempts), shown, string(text))
				}
			})
		}
	}
}

func TestStateOfAKernel(t *testing.T) {
	t.Parallel()
	if want := os.Getenv("PROC_TEST_STATE"); want != "" {
		require.Equal(t, want, proc.Confinement().String())
	}
}
