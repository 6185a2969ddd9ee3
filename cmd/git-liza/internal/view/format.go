package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CheckKeys returns an error for the first key that a task does not have. The
// error lists all keys.
func CheckKeys(keys ...string) error {
	known := TaskKeys()
	for _, key := range keys {
		if !slices.Contains(known, key) {
			return fmt.Errorf("a task has no field %q; the fields are %s", key, strings.Join(known, ", "))
		}
	}
	return nil
}

// A Format alternates between text and names of fields. It begins with text.
type Format []string

// ParseFormat reads %(field), %% and %xx, a byte in hexadecimal digits.
func ParseFormat(text string) (Format, error) {
	parts := Format{""}
	literal := func(s string) { parts[len(parts)-1] += s }
	for text != "" {
		before, rest, found := strings.Cut(text, "%")
		literal(before)
		if text = rest; !found {
			break
		}
		field, after, closed := strings.Cut(rest, ")")
		switch {
		case strings.HasPrefix(rest, "%"):
			literal("%")
			text = rest[1:]
		case strings.HasPrefix(rest, "(") && closed:
			if err := CheckKeys(field[1:]); err != nil {
				return nil, err
			}
			parts = append(parts, field[1:], "")
			text = after
		default:
			code, err := strconv.ParseUint(rest[:min(2, len(rest))], 16, 8)
			if err != nil || len(rest) < 2 {
				return nil, fmt.Errorf("the format has a %% that begins no %%(field), %%%% or %%xx: %q", "%"+rest)
			}
			literal(string([]byte{byte(code)}))
			text = rest[2:]
		}
	}
	return parts, nil
}

// Keys returns the fields that a format names.
func (f Format) Keys() []string {
	var keys []string
	for i := 1; i < len(f); i += 2 {
		keys = append(keys, f[i])
	}
	return keys
}

// Fill returns the format with the fields of one task filled in.
func (f Format) Fill(task Object) string {
	var out strings.Builder
	for i, part := range f {
		if i%2 == 0 {
			out.WriteString(part)
			continue
		}
		out.WriteString(Plain(task.Find(part)))
	}
	return out.String()
}
