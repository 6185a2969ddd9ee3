package document

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is looked at by hand, since a command has no time for the tables of patterns, is what
// these patterns match.
func TestNumbersAndKeywords(t *testing.T) {
	t.Parallel()
	number := regexp.MustCompile(`^[0-9._+-]*([eE][0-9._+-]*)?$|^0[xXbBoO][0-9a-fA-F_]*$`)
	keyword := regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off|y|n|\.inf|\.nan)$`)
	texts := []string{"null", "True", "FALSE", "yes", "No", "on", "oFF", "y", "N", ".inf", ".NaN", "falsey", "nulls", ".info", "2026-01-17", "1234567e5", "0x1F_0", "\xff", "é"}
	const letters = "01_.-+eExbOfgG"
	for end := []string{""}; len(end[0]) < 5; {
		var longer []string
		for _, text := range end {
			for _, c := range letters {
				longer = append(longer, text+string(c))
			}
		}
		texts, end = append(texts, end...), longer
	}
	for _, text := range texts {
		if number.MatchString(text) != isNumeric(text) || keyword.MatchString(text) != isKeyword(text) {
			require.Fail(t, "differs", "%q: %v %v", text, isNumeric(text), isKeyword(text))
		}
	}
	require.Greater(t, len(texts), 40000)
	require.False(t, isKeyword(strings.Repeat("y", 6)))
}
