// Package hooks is what git itself refuses: the judgement over a set of ref
// updates, on a clone, on a server and by hand, and the hooks that ask for it.
//
// A gate that cannot decide refuses. Nothing here moves a ref or writes an
// object, but that git may keep in a quarantine what a merge recomputes.
package hooks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
)

// An Update is one ref that would move; "" stands for a ref that is not there.
type Update struct {
	Name     string
	Old, New gitstore.ID
}

// A Push is a set of ref updates that would happen together, and what the one
// who judges knows about it.
type Push struct {
	Updates []Update
	Server  bool      // the judge is the authority: fresh facts, a clock window, who pushes
	Now     time.Time // of the judge; only a server holds moves against it

	User      string // who pushes, as the front end of the server says; "" is nobody
	UserKnown bool   // the server has a front end that says it
	Signed    bool   // every move with a principal must be signed by it
	Publish   bool   // the board was made elsewhere, and an admin brings it here

	// Admin and AdminKey are who must make the first push, as was said when
	// the server was set up; AdminKey is an SSH public key.
	Admin, AdminKey string
}

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

func (r Refused) line() string {
	text := fmt.Sprintf("liza-refused: %s %s: %s", r.What, r.Rule, r.Reason)
	if r.Hint != "" {
		text += "; type: " + r.Hint
	}
	return strings.Join(strings.Fields(flow.Clean(text)), " ")
}

// Judge says whether the updates may happen together; the store is that of
// the repository in which they would. The error is a *Rejection, also where
// nothing could be decided: a gate that cannot decide refuses.
func Judge(ctx context.Context, s *gitstore.Store, p Push) error {
	var refused []Refused
	for _, u := range p.Updates {
		if strings.HasPrefix(u.Name, "refs/liza/") {
			refused = append(refused, Refused{u.Name, undecided(errors.New("this build judges no board yet"))})
		}
	}
	if len(refused) == 0 {
		return ctx.Err()
	}
	return &Rejection{refused}
}

// RuleUndecided is the rule of a judge that could not find out.
const RuleUndecided flow.Rule = "undecided"

// undecided refuses because of an error that says nothing about the push.
func undecided(err error) *flow.Refusal {
	return &flow.Refusal{Rule: RuleUndecided, Reason: err.Error(), Hint: "git liza doctor"}
}
