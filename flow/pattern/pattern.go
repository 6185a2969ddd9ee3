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

// compiled has the expressions of Compiled.
var compiled sync.Map // of *regexp.Regexp, by expression

// Compiled returns a regular expression that is compiled at the first call with it, for
// tables of many: an expression that stays a text costs a start nothing. It panics if the
// expression is wrong.
func Compiled(expression string) *regexp.Regexp {
	known, ok := compiled.Load(expression)
	if !ok {
		known, _ = compiled.LoadOrStore(expression, regexp.MustCompile(expression))
	}
	return known.(*regexp.Regexp)
}
