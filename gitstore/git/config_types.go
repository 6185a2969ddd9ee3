package git

import (
	"math"
	"strconv"
	"strings"
)

// ParseBool reads a truth value of the configuration as git does: a word in any case, "" or
// a number. known is false for a text that git refuses.
func ParseBool(value string) (is, known bool) {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, known := parseNumber(value, math.MaxInt32)
	return n != 0, known
}

// IsTrue reports whether a value is true for git. One that git refuses is not.
func IsTrue(value string) bool {
	is, _ := ParseBool(value)
	return is
}

// ParseInt reads a number of the configuration as git does: decimal, octal behind 0 or
// hexadecimal behind 0x, and perhaps in units of k, m or g. known is false for a text that
// git refuses.
func ParseInt(value string) (n int64, known bool) { return parseNumber(value, math.MaxInt64) }

// parseNumber reads a number that is at most so far from zero.
func parseNumber(value string, most int64) (n int64, known bool) {
	text := strings.TrimLeft(value, " \t\n\v\f\r")
	digits := strings.TrimPrefix(text, "-")
	negative := digits != text
	if !negative {
		digits = strings.TrimPrefix(text, "+")
	}
	base, all := 10, "0123456789"
	switch {
	case len(digits) > 2 && strings.EqualFold(digits[:2], "0x"):
		digits, base, all = digits[2:], 16, "0123456789abcdefABCDEF"
	case strings.HasPrefix(digits, "0"):
		base, all = 8, "01234567"
	}
	unit := strings.TrimLeft(digits, all)
	size, known := map[string]int64{"": 1, "k": 1 << 10, "K": 1 << 10, "m": 1 << 20, "M": 1 << 20, "g": 1 << 30, "G": 1 << 30}[unit]
	n, err := strconv.ParseInt(digits[:len(digits)-len(unit)], base, 64)
	if !known || err != nil || n > most/size {
		return 0, false
	}
	if negative {
		n = -n
	}
	return n * size, true
}
