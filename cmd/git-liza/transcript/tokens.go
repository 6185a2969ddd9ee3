package transcript

import (
	"encoding/json"
	"math"

	"github.com/git-liza/git-liza/flow"
)

// most is the largest number of tokens that is believed of one record.
const most = 1e15

// A count is a number of tokens in a record. What is none, negative or absurd
// counts as nothing.
type count int64

// UnmarshalJSON never fails.
func (c *count) UnmarshalJSON(text []byte) error {
	*c = count(number(text))
	return nil
}

// dollars are an amount of money in a record, in millionths; what is none is 0.
type dollars flow.Cost

// UnmarshalJSON never fails.
func (d *dollars) UnmarshalJSON(text []byte) error {
	*d = dollars(math.Round(number(text) * 1e6))
	return nil
}

func number(text []byte) float64 {
	var n float64
	if json.Unmarshal(text, &n) != nil || !(n >= 0 && n*1e6 <= most*1e6) {
		return 0
	}
	return n
}
