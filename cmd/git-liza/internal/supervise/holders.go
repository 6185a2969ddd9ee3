package supervise

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

// holdingWords says how another agent keeps a task.
var holdingWords = map[flow.Holding]string{flow.Held: "held by", flow.Reviewed: "under review by", flow.Left: "left to"}

// tellHolders says once for each task who holds it, until when, and whether the holder
// lives. Without it a rush with nothing to do would wait in silence.
func (r *Rush) tellHolders(ctx context.Context, c *work.Clone, b *flow.Board, tasks []flow.Summary) {
	now := c.Store.Now()
	for _, t := range tasks {
		holding, by, until := b.Holder(t)
		if by == "" || !until.After(now) || r.own.at(by) || r.holders.put(fmt.Sprint(t.ID, by, until), true) {
			continue
		}
		who, lives := describeHolder(ctx, c, b, by, now)
		line := fmt.Sprintf("%s is %s %s until %s, %s", t.ID, holdingWords[holding], by, until.Format("15:04:05Z"), who)
		if lives {
			r.say(line) // giving the task back would end its session
		} else {
			r.ask(line + ": git liza release " + string(t.ID))
		}
	}
}

// tellAbandoned says what the agent of a supervisor that ended with an error still
// holds. The agents that are left wait until that lease ends.
func (r *Rush) tellAbandoned(ctx context.Context, s *supervisor) {
	r.own.drop(flow.Actor(s.id))
	if s.clone == nil || ctx.Err() != nil {
		return // it was never registered, or everybody leaves
	}
	b, _, err := s.clone.Store.Board(ctx)
	if err != nil {
		return // the others read the same board and say why it fails
	}
	tasks := slices.DeleteFunc(b.Tasks(), func(t flow.Summary) bool {
		_, by, _ := b.Holder(t)
		return by != flow.Actor(s.id)
	})
	r.tellHolders(ctx, s.clone, b, tasks)
}

// describeHolder returns what is known on this machine about a holder, and whether its
// supervisor was heard of lately.
func describeHolder(ctx context.Context, c *work.Clone, b *flow.Board, by flow.Actor, now time.Time) (who string, lives bool) {
	a := b.Agent(by.Agent())
	if a == nil || a.Generation == "" {
		return "by hand", false
	}
	if pid := work.DeadSupervisor(c.Repo, a.Generation); pid != 0 {
		return fmt.Sprintf("whose supervisor, process %d, is dead", pid), false
	}
	known, err := c.Store.Presences.List(ctx, b)
	p, ok := known[a.ID]
	if err != nil || !ok {
		return "of whom nothing is heard", false
	}
	lives = p.HeardUntil().After(now)
	heard := fmt.Sprintf("heard of %s ago", max(now.Sub(p.At), 0).Round(time.Second))
	if host, err := os.Hostname(); err == nil && host == p.Host {
		return fmt.Sprintf("whose supervisor is process %d here, %s", p.PID, heard), lives
	}
	return fmt.Sprintf("on %s, %s", p.Host, heard), lives
}
