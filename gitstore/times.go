package gitstore

import (
	"math"
	"strconv"
	"time"
)

// TimeForms are some forms of [ParseTime].
const TimeForms = "2026-01-17, 2026-01-17T14:06:00Z"

// ParseTime reads a time in RFC 3339. The zone, the seconds or the clock may be
// missing; the time is then in UTC.
func ParseTime(s string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if at, err := time.Parse(form, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// SpanForms are the forms of [ParseSpan].
const SpanForms = "90s, 30m, 2h, 3d, 1w"

// ParseSpan reads a span of time: days, weeks, or Go's form. It is false for any other
// text, and for a span that is not positive.
func ParseSpan(text string) (time.Duration, bool) {
	const day = 24 * time.Hour
	if last := len(text) - 1; last > 0 {
		unit := time.Duration(0)
		switch text[last] {
		case 'd':
			unit = day
		case 'w':
			unit = 7 * day
		}
		if n, err := strconv.ParseUint(text[:last], 10, 32); err == nil && unit > 0 && n > 0 && time.Duration(n) <= math.MaxInt64/unit {
			return time.Duration(n) * unit, true
		}
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0
}
