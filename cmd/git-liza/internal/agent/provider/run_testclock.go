//go:build testclock

package provider

// Agents get the clock of their supervisor, so that their moves are not dated before its own.
func init() { inherited = append(inherited, "LIZA_NOW") }
