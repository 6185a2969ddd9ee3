package provider

import (
	"regexp"
	"sync"
)

// compiled returns a regular expression that is compiled when it is first used. Every
// command contains this package, and hardly any uses one of its expressions.
func compiled(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
