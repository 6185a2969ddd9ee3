package transcript

import (
	"encoding/json"
	"fmt"
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

// A word is a text in a record, or an object with a text called message; what
// is neither is "".
type word string

// UnmarshalJSON never fails.
func (w *word) UnmarshalJSON(text []byte) error {
	var s string
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(text, &s) != nil && json.Unmarshal(text, &object) == nil {
		s = object.Message
	}
	*w = word(s)
	return nil
}

// httpError is an error of the model's API, with its status unless that is 0.
func httpError(status count, text string) string {
	if status == 0 {
		return text
	}
	return fmt.Sprintf("%d %s", status, text)
}

func number(text []byte) float64 {
	var n float64
	if json.Unmarshal(text, &n) != nil || !(n >= 0 && n*1e6 <= most*1e6) {
		return 0
	}
	return n
}
