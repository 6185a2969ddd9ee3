//go:build testclock

package main

import "time"

func init() { setClock = setTestClock }

// setTestClock reads the clock of a test from LIZA_NOW: a time (2026-01-17T14:06:00Z) or a
// shift (+45m). Moves get that time, and later moves cannot be earlier.
func setTestClock(inv *invocation) error {
	at, now := inv.getenv("LIZA_NOW"), inv.now
	// Over a local path a server's hooks get the environment of the user who pushes.
	if at == "" || len(inv.args) > 0 && inv.args[0] == "hook" {
		return nil
	}
	if shift, err := time.ParseDuration(at); err == nil {
		inv.now = func() time.Time { return now().Add(shift) }
		return nil
	}
	fixed, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return usagef("git liza help", "LIZA_NOW: %q is neither a time nor a shift", at)
	}
	inv.now = func() time.Time { return fixed }
	return nil
}
