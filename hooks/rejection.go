package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// A Rejection is a push of which nothing may happen.
type Rejection struct {
	Refused []Refused
}

// A Refused is a state commit or ref of a push, and why it is refused.
type Refused struct {
	What string // id of a commit, or name of a ref
	*flow.Refusal
}

// Error has a line for each commit and ref that is refused, in the form that
// clients read: liza-refused: WHAT RULE: REASON; type: HINT.
func (r *Rejection) Error() string {
	lines := make([]string, 0, len(r.Refused))
	for _, one := range r.Refused {
		lines = append(lines, one.line())
	}
	return strings.Join(lines, "\n")
}

// longest bounds a line, which repeats what was pushed.
const longest = 1000

func (r Refused) line() string {
	text := fmt.Sprintf("liza-refused: %s %s: %s", r.What, r.Rule, r.Reason)
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	if r.Hint != "" {
		text += "; type: " + r.Hint
	}
	return strings.Join(strings.Fields(flow.Clean(text)), " ")
}

// Unjudged is the rejection of a push that could not even be read.
func Unjudged(ctx context.Context, err error) *Rejection {
	return &Rejection{[]Refused{{"push", undecided(ctx, err)}}}
}
