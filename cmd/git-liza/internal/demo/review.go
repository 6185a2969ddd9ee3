package demo

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A Person is who judges the work of a demo, at a terminal.
type Person struct {
	// Ready waits until the person wants to go on. io.EOF is the person who leaves.
	Ready func(ctx context.Context) error
	// Run runs a command in the person's terminal.
	Run func(c proc.Command) error
}

// mostRounds bounds how often work comes back to the person.
const mostRounds = 6

// Review lets a person judge what two coders submit: one submission has a mistake,
// and comes back mended once it is rejected. Then all is merged and the product's
// tests run. A person who leaves without a verdict ends it. The folder is kept, and
// errors are as those of [Demo.Run].
func (d *Demo) Review(ctx context.Context, person Person) (Report, error) {
	r := run{Demo: d, begun: time.Now(), keep: func(t board.TaskInput) bool { return len(t.DependsOn) == 0 }}
	if err := r.folder(); err != nil {
		return r.report, err
	}
	err := r.playReview(ctx, person)
	r.say("\nthe repository is kept in %s", r.report.Dir)
	return r.report, err
}

func (r *run) playReview(ctx context.Context, person Person) error {
	if err := r.makeRepository(ctx); err != nil {
		return err
	}
	r.say("A repository with a spec. A planner makes two tasks of it, and two coders do them:\n  %s\n", r.report.Dir)
	f, err := r.follower(ctx)
	if err != nil {
		return err
	}
	for round := range mostRounds {
		ended, err := f.rush(ctx, "--planners=1", "--coders=2", "--reviewers=0")
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return r.setback("called off: " + context.Cause(ctx).Error())
		}
		waiting := r.waiting()
		if len(waiting) == 0 {
			if missing := r.unmerged(); missing != "" {
				return r.setback(strings.TrimSuffix(missing+"; "+ended, "; "))
			}
			r.say("\nWhat you approved is merged, and nothing else is.")
			if r.report.Rejected == 0 {
				r.say("So is the mistake of task-2: nobody else looks at work that you approve.")
			}
			return r.firstSetback(r.testProduct(ctx))
		}
		r.say("\n%s", rounds[min(round, len(rounds)-1)])
		r.say("\nThis runs: git liza review. Press Enter to begin.")
		if err := person.Ready(ctx); err != nil {
			return r.leave(err)
		}
		before := r.verdicts
		if err := person.Run(proc.Command{Path: r.Program, Args: []string{"review"}, Dir: r.report.Dir, Env: r.environ()}); err != nil {
			return err
		}
		r.say("")
		if err := f.catchUp(context.WithoutCancel(ctx)); err != nil {
			return err
		}
		if r.verdicts == before {
			return r.leave(nil)
		}
		r.say("\nThe coders go on:")
	}
	return r.leave(nil)
}

// rounds is what a person is told before a review: the first one, and later ones.
var rounds = []string{
	`Two submissions wait for a verdict, and nothing is merged without one. You see what
each task asks for, what its author says, and the diff in git's pager (q leaves it).
Then you type the verdict:

  a        approve
  r TEXT   reject; TEXT is the reason, and lib/money.sh:5: before it names the place
  ?        all the rest

One of the two has a mistake: task-2 writes 12.5 for 1205 cents. Reject it, and approve
the other: r lib/money.sh:5: cents below ten lose their zero`,
	`Work waits for you again. Where you rejected it, you see first what has changed since
your verdict, below your own words.`,
}

// leave ends the demo of a person who gave no verdict.
func (r *run) leave(err error) error {
	r.say("\nWithout a verdict the work stays where it is. To go on: git -C %s liza review", r.report.Dir)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// waiting lists the tasks that wait for a verdict.
func (r *run) waiting() (ids []string) {
	for id, state := range r.report.Tasks {
		var is board.Status
		if is.UnmarshalText([]byte(state)) == nil && flow.Allows(is, board.ActReview) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
