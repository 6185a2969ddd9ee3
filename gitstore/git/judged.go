package git

import (
	"fmt"
	"strings"
)

// judgedVar is the variable that tells the reference-transaction hook of a
// clone which updates were judged in process, so that no move is judged twice:
// the repository, an empty line, and the updates as git hands them to the hook.
// A program that can set it could as well remove the hook; no server looks at it.
const judgedVar = "LIZA_JUDGED"

// judgedMax bounds the variable: Linux takes 128 KiB. Longer transactions are
// judged by the hook.
const judgedMax = 100 << 10

// judged is the assignment of the variable for a transaction.
func (s *RefStore) judged(updates []RefUpdate) string {
	orZero := func(id ID) ID {
		if id == "" {
			return s.repo.zero()
		}
		return id
	}
	var text strings.Builder
	text.WriteString(judgedVar + "=" + s.repo.commonDir + "\n\n")
	for _, u := range updates {
		old := orZero(u.Old)
		if u.Any {
			old = s.repo.zero()
		}
		fmt.Fprintf(&text, "%s %s %s\n", old, orZero(u.New), u.Name)
		if u.New == "" {
			// A deletion takes the ref out of packed-refs first, in a transaction of its own.
			fmt.Fprintf(&text, "%s %s %s\n", s.repo.zero(), s.repo.zero(), u.Name)
		}
	}
	if text.Len() > judgedMax {
		return judgedVar + "="
	}
	return text.String()
}
