// Package oid defines the ids of git objects. It is separate from flow so that
// code about git can name objects without knowing the rules.
package oid

import (
	"fmt"
	"strings"
)

// An ID is the full hexadecimal id of a git object, 40 digits (sha1) or 64
// (sha256); "" names no object.
type ID string

// UnmarshalText accepts 40 or 64 lower-case hexadecimal digits.
func (id *ID) UnmarshalText(text []byte) error {
	if n := len(text); n != 40 && n != 64 || strings.Trim(string(text), "0123456789abcdef") != "" {
		return fmt.Errorf("%.80q is not a full object id", text)
	}
	*id = ID(text)
	return nil
}

// Short is the abbreviation that people read: the first ten digits.
func (id ID) Short() string { return string(id[:min(len(id), 10)]) }
