package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Rejection refuses a whole push.
type Rejection struct {
	Refused []Refused
}

// A Refused is a state commit or a ref of a push with its refusal.
type Refused struct {
	What string // the id of a commit, the name of a ref, or "push"
	*flow.Refusal
}

// Error has a line for each commit and ref that is refused, in the form that
// clients read: liza-refused: WHAT RULE: REASON; type: HINT.
func (r *Rejection) Error() string {
	return strings.Join(lists.Of(r.Refused, Refused.line), "\n")
}

// maxLine is how many bytes a line has before its hint. It can repeat text that was
// pushed.
const maxLine = 1000

func (r Refused) line() string {
	text := plaintext.Line(fmt.Sprintf("liza-refused: %s %s: %s", r.What, r.Rule, r.Reason))
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	if r.Hint != "" {
		text += "; type: " + r.Hint
	}
	return strings.Join(strings.Fields(board.Clean(text)), " ")
}

// Unjudged is the rejection of a push that could not be judged because of an error.
func Unjudged(ctx context.Context, err error) *Rejection {
	return &Rejection{[]Refused{{"push", undecidedRefusal(ctx, err)}}}
}
