package board

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
	MaxSessionTokens  = 1e12
	MaxSessionCost    = Cost(1e6 * Dollar)
	MaxSessionSeconds = 1e9
	maxSessions       = 1e9
	MaxSum            = 1e18
	MaxCost           = Cost(1e9 * Dollar)
)

// Plus is the sum of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{
		Sessions: plus(u.Sessions, v.Sessions, maxSessions),
		Input:    plus(u.Input, v.Input, MaxSum),
		Cached:   plus(u.Cached, v.Cached, MaxSum),
		Output:   plus(u.Output, v.Output, MaxSum),
		Cost:     plus(u.Cost, v.Cost, MaxCost),
		Seconds:  plus(u.Seconds, v.Seconds, MaxSum),
	}
}

func plus[N int | int64 | Cost](a, b, most N) N { return min(min(a, most)+min(b, most), most) }

// Tokens are the tokens that budgets count: read without a cache, or written.
func (u Usage) Tokens() int64 { return plus(u.Input-u.Cached, u.Output, MaxSum) }

// Sum reports whether u can be a sum of sessions.
func (u Usage) Sum() bool {
	return u == u.Plus(Usage{}) && min(int64(u.Sessions), u.Cached, u.Input-u.Cached, u.Output, int64(u.Cost), u.Seconds) >= 0
}

// Bounded is the usage within the bounds of a flow.SessionMove, whatever a
// provider reported: no number negative or too large, no more cached than read.
func (u Usage) Bounded() Usage {
	within := func(n, most int64) int64 { return max(0, min(n, most)) }
	u.Sessions = max(0, min(u.Sessions, 1))
	u.Input, u.Output = within(u.Input, MaxSessionTokens), within(u.Output, MaxSessionTokens)
	u.Cached = within(u.Cached, u.Input)
	u.Cost = max(0, min(u.Cost, MaxSessionCost))
	u.Seconds = within(u.Seconds, MaxSessionSeconds)
	return u
}

// A Cost is an amount of money in millionths of a US dollar, written in
// dollars: 0.1325.
type Cost int64

// Dollar is one dollar as a [Cost].
const Dollar = 1e6

// String is the amount in dollars without zeros at its end, such as 0.1325 or
// 25.
func (c Cost) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	text := fmt.Sprintf("%s%d.%06d", sign, c/Dollar, c%Dollar)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// MarshalText writes [Cost.String]; an amount that UnmarshalText would refuse
// is an error.
func (c Cost) MarshalText() ([]byte, error) {
	if c < 0 || c > MaxCost {
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
		if err == nil && Cost(v) <= MaxCost {
			*c = Cost(v)
			return nil
		}
	}
	return fmt.Errorf("%q is not a cost in dollars, such as 0.1325 or 25.00", Clip(string(text)))
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// Budgets limit how much sessions may use before no more are started: for each
// task, each sprint, each goal. Session bounds each of them: it is ended there.
type Budgets struct {
	Session Budget `yaml:"session"`
	Task    Budget `yaml:"task"`
	Sprint  Budget `yaml:"sprint"`
	Goal    Budget `yaml:"goal"`
}

// A Budget bounds [Usage.Tokens] and cost; a zero bounds nothing.
type Budget struct {
	Tokens int64 `yaml:"tokens"`
	Cost   Cost  `yaml:"cost"`
}

// Over is the budget of the board with the numbers of a task's own budget in
// place of its own.
func (b Budget) Over(own *Budget) Budget {
	if own != nil && own.Tokens > 0 {
		b.Tokens = own.Tokens
	}
	if own != nil && own.Cost > 0 {
		b.Cost = own.Cost
	}
	return b
}

// Sound reports whether no bound is negative or beyond what can be summed up.
func (b Budget) Sound() bool {
	return b.Tokens >= 0 && b.Tokens <= MaxSum && b.Cost >= 0 && b.Cost <= MaxCost
}

// Sound reports whether each budget is.
func (b Budgets) Sound() bool {
	return b.Session.Sound() && b.Task.Sound() && b.Sprint.Sound() && b.Goal.Sound()
}

// A Spending is the usage of a session that the board does not record yet.
type Spending struct {
	By    AgentID // the agent that reports it
	Goal  GoalID  // for which it plans; "" is the current one
	Task  TaskID  // "" means planning
	Usage Usage
}
