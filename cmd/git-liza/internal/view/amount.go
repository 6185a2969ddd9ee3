package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// Amount formats tokens and money for people, such as 12 tokens, 0.5 dollars. What is zero is
// left out, and both are "".
func Amount(b flow.Budget) string {
	var parts []string
	if b.Tokens != 0 {
		parts = append(parts, Count(int(b.Tokens), "token"))
	}
	if b.Cost != 0 {
		parts = append(parts, b.Cost.String()+" dollars")
	}
	return strings.Join(parts, ", ")
}

// ShortCost formats money with cents, such as $1.20.
func ShortCost(c flow.Cost) string {
	const dollar, cent = 1_000_000, 10_000
	return fmt.Sprintf("$%d.%02d", c/dollar, c%dollar/cent)
}

// shortNumber formats a number in at most five characters, such as 21k.
func shortNumber(n int64) string {
	for _, unit := range []string{"", "k", "M", "G"} {
		if n < 10_000 || unit == "G" {
			return strconv.FormatInt(n, 10) + unit
		}
		n /= 1000
	}
	return ""
}
