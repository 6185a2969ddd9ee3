package transcript

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/git-liza/git-liza/flow/board"
)

// maxCount is the largest number of tokens that is accepted from one record.
const maxCount = 1e15

// A count is a number of tokens in a record. A value that is not a number, negative or
// above maxCount counts as 0.
type count int64

// UnmarshalJSON never fails.
func (c *count) UnmarshalJSON(text []byte) error {
	*c = count(number(text))
	return nil
}

// dollars is an amount of money in a record, in millionths. A value that is not a
// number counts as 0.
type dollars board.Cost

// UnmarshalJSON never fails.
func (d *dollars) UnmarshalJSON(text []byte) error {
	*d = dollars(math.Round(number(text) * 1e6))
	return nil
}

// A word is a text in a record, or the text called message in an object. Any other
// value counts as "".
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

// httpError returns an error of the model's API, with its status unless that is 0.
func httpError(status count, text string) string {
	if status == 0 {
		return text
	}
	return fmt.Sprintf("%d %s", status, text)
}

func number(text []byte) float64 {
	var n float64
	if json.Unmarshal(text, &n) != nil || !(n >= 0 && n*1e6 <= maxCount*1e6) {
		return 0
	}
	return n
}
