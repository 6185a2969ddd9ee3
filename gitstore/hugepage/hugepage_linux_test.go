package hugepage

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The memory that was allocated before is marked for large pages where the kernel has them.
func TestAsk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no large pages")
	}
	list := make([][]string, 400_000)
	at := reflect.ValueOf(list).Pointer() + 4<<20
	Ask(1 << 10)
	require.NotContains(t, flagsOf(t, at), "hg", "for few bytes")
	Ask(8 << 20)
	require.Contains(t, flagsOf(t, at), "hg")
	list[0] = []string{"kept"}
}

// flagsOf returns the flags with which the kernel maps an address.
func flagsOf(t *testing.T, at uintptr) []string {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	require.NoError(t, err)
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && inside {
			return strings.Fields(flags)
		}
	}
	require.Fail(t, "the address is not mapped")
	return nil
}
