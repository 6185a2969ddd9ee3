// Package torture says how long tests may take. `make test` tests a change and ends
// within minutes. `make torture` sets LIZA_TORTURE: tests whose names begin with
// TestTorture then kill, race and fill without regard to time.
package torture

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// setting and until are read before any test changes the environment.
var (
	setting  = os.Getenv("LIZA_TORTURE")
	until, _ = strconv.ParseInt(os.Getenv("LIZA_TORTURE_UNTIL"), 10, 64)
)

// Wanted reports whether tests may take long.
func Wanted() bool { return setting != "" }

// Thorough reports whether tests kill commands at each of their operations and run the
// scripts with the race detector, which takes hours: LIZA_TORTURE=long.
func Thorough() bool { return setting == "long" }

// Points returns a few of the numbers from 1 to all, evenly spread, for tests that kill
// a command at one of its operations. If the torture is thorough, it returns each.
func Points(all, few int) []int {
	var list []int
	if Thorough() || few >= all {
		for n := range all {
			list = append(list, n+1)
		}
		return list
	}
	for i := range few {
		list = append(list, 1+(all-1)*(2*i+1)/(2*few))
	}
	return list
}

// Only skips a test that takes long or needs all of the machine, unless such tests are
// wanted, and have time left: none begins after LIZA_TORTURE_UNTIL, in seconds since 1970.
func Only(t testing.TB) {
	t.Helper()
	if !Wanted() {
		t.Skip("LIZA_TORTURE is not set")
	}
	if until != 0 && time.Now().Unix() >= until {
		t.Skip("LIZA_TORTURE_UNTIL is over: no time is left for it")
	}
}

// OnlyThorough skips a test that takes minutes, unless the torture is thorough.
func OnlyThorough(t testing.TB) {
	t.Helper()
	if !Thorough() {
		t.Skip("LIZA_TORTURE is not long")
	}
}
