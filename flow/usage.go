package flow

import (
	"fmt"
	"strconv"
	"strings"
)

// A Usage is what sessions of a provider have used. Sums saturate at a bound
// far above real sums; they never wrap.
type Usage struct {
	Sessions int   `yaml:"sessions"`
	Input    int64 `yaml:"input"`  // all tokens that were read
	Cached   int64 `yaml:"cached"` // the part of Input that came from a cache
	Output   int64 `yaml:"output"` // all tokens that were written, with reasoning
	Cost     Cost  `yaml:"cost"`
	Seconds  int64 `yaml:"seconds"` // wall clock
}

// The bounds of one session, and of sums.
const (
	maxSessionTokens  = 1e12
	maxSessionCost    = Cost(1e6 * dollar)
	maxSessionSeconds = 1e9
	maxSessions       = 1e9
	maxSum            = 1e18
	maxCost           = Cost(1e9 * dollar)
)

// Plus is the sum of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Sessions: plus(u.Sessions, v.Sessions, maxSessions),
		Input:    plus(u.Input, v.Input, maxSum),
		Cached:   plus(u.Cached, v.Cached, maxSum),
		Output:   plus(u.Output, v.Output, maxSum),
		Cost:     plus(u.Cost, v.Cost, maxCost),
		Seconds:  plus(u.Seconds, v.Seconds, maxSum),
	}
}

func plus[N int | int64 | Cost](a, b, most N) N { return min(min(a, most)+min(b, most), most) }

// Tokens are the tokens that budgets count: read without a cache, or written.
func (u Usage) Tokens() int64 { return plus(u.Input-u.Cached, u.Output, maxSum) }

// sum reports whether u can be a sum of sessions.
func (u Usage) sum() bool {
	return u == u.Plus(Usage{}) && min(int64(u.Sessions), u.Cached, u.Input-u.Cached, u.Output, int64(u.Cost), u.Seconds) >= 0
}

// Bounded is the usage within the bounds of a [SessionMove], whatever a
// provider reported: no number negative or too large, no more cached than read.
func (u Usage) Bounded() Usage {
	within := func(n, most int64) int64 { return max(0, min(n, most)) }
	u.Sessions = max(0, min(u.Sessions, 1))
	u.Input, u.Output = within(u.Input, maxSessionTokens), within(u.Output, maxSessionTokens)
	u.Cached = within(u.Cached, u.Input)
	u.Cost = max(0, min(u.Cost, maxSessionCost))
	u.Seconds = within(u.Seconds, maxSessionSeconds)
	return u
}

// A Cost is an amount of money in millionths of a US dollar, written in
// dollars: 0.1325.
type Cost int64

// dollar is one dollar as a [Cost].
const dollar = 1e6

// String is the amount in dollars without zeros at its end, such as 0.1325 or
// 25.
func (c Cost) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	text := fmt.Sprintf("%s%d.%06d", sign, c/dollar, c%dollar)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// MarshalText writes [Cost.String]; an amount that UnmarshalText would refuse
// is an error.
func (c Cost) MarshalText() ([]byte, error) {
	if c < 0 || c > maxCost {
		return nil, fmt.Errorf("%s dollars is not a cost", c)
	}
	return []byte(c.String()), nil
}

// UnmarshalText accepts decimal dollars with at most six places, such as 25.00,
// from 0 to a billion; no sign, no currency, no exponent.
func (c *Cost) UnmarshalText(text []byte) error {
	whole, part, point := strings.Cut(string(text), ".")
	if digits(whole) && digits(part) == point && len(part) <= 6 {
		v, err := strconv.ParseInt(whole+(part + "000000")[:6], 10, 64)
		if err == nil && Cost(v) <= maxCost {
			*c = Cost(v)
			return nil
		}
	}
	return fmt.Errorf("%q is not a cost in dollars, such as 0.1325 or 25.00", clip(string(text)))
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
