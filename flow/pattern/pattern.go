// Package pattern keeps regular expressions that are compiled when they are first
// used. A command contains all of them and uses hardly any: compiling each at the
// start cost a tenth of the start's processor time.
package pattern

import (
	"regexp"
	"sync"
)

// Late returns a regular expression that is compiled at the first call. It panics
// there if the expression is wrong.
func Late(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
