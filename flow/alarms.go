package flow

import (
	"cmp"
	"time"
)

// DefaultAlarms are the thresholds of alarms that a board does not set.
func DefaultAlarms() Alarms {
	return Alarms{
		Lease:               Duration(2 * time.Minute),
		Orphaned:            Duration(30 * time.Second),
		Stalled:             Duration(30 * time.Minute),
		Draft:               Duration(30 * time.Minute),
		Unstaffed:           Duration(time.Minute),
		CheckpointStale:     Duration(30 * time.Minute),
		CheckpointStuck:     Duration(2 * time.Hour),
		CheckpointAbandoned: Duration(8 * time.Hour),
		PauseStale:          Duration(30 * time.Minute),
		PauseForgotten:      Duration(2 * time.Hour),
		Approaching:         80,
		Approvals:           20,
	}
}

// Filled are the thresholds with the usual ones in place of those that are not set.
func (a Alarms) Filled() Alarms {
	usual := DefaultAlarms()
	for own, is := range map[*Duration]Duration{
		&a.Lease: usual.Lease, &a.Orphaned: usual.Orphaned, &a.Stalled: usual.Stalled, &a.Draft: usual.Draft, &a.Unstaffed: usual.Unstaffed,
		&a.CheckpointStale: usual.CheckpointStale, &a.CheckpointStuck: usual.CheckpointStuck, &a.CheckpointAbandoned: usual.CheckpointAbandoned,
		&a.PauseStale: usual.PauseStale, &a.PauseForgotten: usual.PauseForgotten,
	} {
		*own = cmp.Or(*own, is)
	}
	a.Approaching, a.Approvals = cmp.Or(a.Approaching, usual.Approaching), cmp.Or(a.Approvals, usual.Approvals)
	return a
}
