package board

import (
	"fmt"
	"strings"
	"time"
)

// A Duration is a length of time in whole seconds, written as 30m, 1h30m, 90s.
type Duration time.Duration

// String is the shortest form without zero parts: 30m, not 30m0s.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText writes [Duration.String].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText accepts Go's notation, whole seconds from 1s to ten years.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < time.Second || v > 10*365*24*time.Hour || v%time.Second != 0 {
		return fmt.Errorf("%q is not a duration in whole seconds, such as 30m or 2h", Clip(string(text)))
	}
	*d = Duration(v)
	return nil
}
