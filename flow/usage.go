package flow

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Usage is what sessions of agents used.
type Usage struct {
	Sessions int   `yaml:"sessions"`
	Input    int64 `yaml:"input"`  // all tokens read
	Cached   int64 `yaml:"cached"` // those of them that came from a cache
	Output   int64 `yaml:"output"` // all tokens written, with reasoning
	Cost     Cost  `yaml:"cost"`
	Seconds  int64 `yaml:"seconds"`
}

// Plus is the sum of both; a sum that would not fit stays at the largest number.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Sessions: plus(u.Sessions, v.Sessions, math.MaxInt),
		Input:    plus(u.Input, v.Input, math.MaxInt64),
		Cached:   plus(u.Cached, v.Cached, math.MaxInt64),
		Output:   plus(u.Output, v.Output, math.MaxInt64),
		Cost:     plus(u.Cost, v.Cost, math.MaxInt64),
		Seconds:  plus(u.Seconds, v.Seconds, math.MaxInt64),
	}
}

func plus[N int | int64 | Cost](a, b, most N) N {
	if b > most-a {
		return most
	}
	return a + b
}

// Tokens is what budgets count: what was read and not from a cache, and what
// was written.
func (u Usage) Tokens() int64 { return plus(u.Input-u.Cached, u.Output, math.MaxInt64) }

// A Cost is an amount of money in millionths of a US dollar.
type Cost int64

// maxCost is a thousand million dollars: more is a mistake.
const maxCost = Cost(1e9 * 1e6)

// String is the amount in dollars without trailing zeros, such as 0.1325 or 25.
func (c Cost) String() string {
	s := fmt.Sprintf("%d.%06d", c/1e6, c%1e6)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// MarshalText writes [Cost.String]; a negative amount is an error.
func (c Cost) MarshalText() ([]byte, error) {
	if c < 0 || c > maxCost {
		return nil, fmt.Errorf("a cost of %d millionths of a dollar is none", int64(c))
	}
	return []byte(c.String()), nil
}

// UnmarshalText accepts decimal dollars with up to six places, such as 25.00,
// from 0 to a thousand million.
func (c *Cost) UnmarshalText(text []byte) error {
	whole, part, dot := strings.Cut(string(text), ".")
	if digits(whole) && digits(part) == dot && len(part) <= 6 {
		v, err := strconv.ParseInt(whole+(part + "000000")[:6], 10, 64)
		if err == nil && Cost(v) <= maxCost {
			*c = Cost(v)
			return nil
		}
	}
	return fmt.Errorf("%q is no cost in dollars, such as 0.1325 or 25.00", clip(string(text)))
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
