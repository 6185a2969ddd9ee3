package supervise

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// breakSilence says who does what if nothing was said for a while, and returns when to
// look again. tip is the state of the board.
func (r *Rush) breakSilence(store *gitstore.Store, tip board.ObjectID) time.Duration {
	if left := r.Limits.Silence - r.speaker.silence(); left > 0 {
		return left
	}
	var team []gitstore.Presence
	for _, s := range r.idle.supervisors() {
		if p, active := s.presence.current(); active {
			team = append(team, p)
		}
	}
	now := r.Clone.Store.Now()
	text := teamText(team, now)
	if b, err := store.BoardAt(tip); err == nil {
		text += r.waitsText(b, now)
	}
	if text != "" {
		r.speaker.pass(Message{Kind: TeamMessage, Text: text})
	}
	return r.Limits.Silence
}

// doings are what agents do, in the order in which people want to know it.
var doings = []string{coding, reviewing, planning, answering, merging, preparing, retrying, paused, resting, waiting}

// mostNamed is how many agents, and tasks, one line names for the same thing.
const mostNamed = 4

// teamText says what the agents of a team do.
func teamText(team []gitstore.Presence, now time.Time) string {
	slices.SortFunc(team, func(x, y gitstore.Presence) int {
		return cmp.Or(cmp.Compare(len(x.Agent), len(y.Agent)), cmp.Compare(x.Agent, y.Agent))
	})
	groups := map[string][]string{}
	for _, p := range team {
		what := p.Doing
		if what == waiting || what == paused || what == resting {
			if p.Note != "" {
				what += " (" + board.Excerpt(strings.ReplaceAll(p.Note, "\n", " "), 120) + ")"
			}
			groups[what] = append(groups[what], string(p.Agent))
			continue
		}
		about := "for " + spanText(now.Sub(p.Since))
		if p.Task != "" {
			about = string(p.Task) + " " + about
		}
		groups[what] = append(groups[what], fmt.Sprintf("%s (%s)", p.Agent, about))
	}
	var parts []string
	for _, doing := range doings {
		for _, what := range slices.Sorted(maps.Keys(groups)) {
			if first, _, _ := strings.Cut(what, " "); first == doing {
				parts = append(parts, what+": "+listNames(groups[what]))
			}
		}
	}
	return strings.Join(parts, "; ")
}

// waitsText says for whom open tasks wait that no agent of this rush holds, and until
// when.
func (r *Rush) waitsText(b *board.Board, now time.Time) string {
	var person, again []string
	others, open := map[string][]string{}, map[board.GoalID]bool{}
	for _, t := range b.Tasks() {
		if t.Status.Final() || !r.serves(b, t.Goal) {
			continue
		}
		open[t.Goal] = true
		_, by, until := b.Holder(t)
		why := r.troubles.at(t.ID).text
		takers := flow.Takers(&t, board.ActReview, now)
		if text := againText(b, t, now); text != "" {
			again = append(again, string(t.ID)+" is "+text)
		}
		switch {
		case by != "" && until.After(now):
			if !r.own.at(by) {
				holder := fmt.Sprintf("%s until %s", by, until.Format("15:04:05Z"))
				others[holder] = append(others[holder], string(t.ID))
			}
		case t.Status.NeedsPlanner(), why != "", flow.Allows(t.Status, board.ActReview) && len(takers) > 0 && takers[0] == board.HumanRole:
			person = append(person, string(t.ID))
		}
	}
	text := ""
	for _, g := range b.GoalsInProgress() {
		if r.serves(b, g.ID) && g.Added > 0 && !open[g.ID] {
			text += fmt.Sprintf("; every task of %s is final: git liza goal done %[1]s, and Ctrl-C ends this rush", g.ID)
		}
	}
	for _, line := range again[:min(len(again), mostNamed)] {
		text += "; " + line
	}
	if len(person) > 0 {
		text += "; for a person: " + listNames(person) + " (git liza status)"
	}
	for _, holder := range slices.Sorted(maps.Keys(others)) {
		text += "; with " + holder + ": " + listNames(others[holder])
	}
	return text
}

// listNames lists the first names.
func listNames(names []string) string { return git.VisibleList(names, mostNamed) }

// spanText is a span of time for people: in seconds below a minute, else in minutes.
func spanText(d time.Duration) string {
	unit := time.Minute
	if d < unit {
		unit = time.Second
	}
	return board.Duration(max(d, 0).Truncate(unit)).String()
}

// holdingWords says how another agent keeps a task.
var holdingWords = map[board.Holding]string{board.Held: "held by", board.Reviewed: "under review by", board.Left: "left to"}

// tellHolders says once for each task who holds it, until when, and whether the holder
// lives. Without it a rush with nothing to do would wait in silence.
func (r *Rush) tellHolders(ctx context.Context, c *work.Clone, b *board.Board, tasks []board.Summary) {
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
	r.own.drop(board.Actor(s.id))
	if s.clone == nil || ctx.Err() != nil {
		return // it was never registered, or everybody leaves
	}
	b, _, err := s.clone.Store.Board(ctx)
	if err != nil {
		return // the others read the same board and say why it fails
	}
	tasks := slices.DeleteFunc(b.Tasks(), func(t board.Summary) bool {
		_, by, _ := b.Holder(t)
		return by != board.Actor(s.id)
	})
	r.tellHolders(ctx, s.clone, b, tasks)
}

// describeHolder returns what is known on this machine about a holder, and whether its
// supervisor was heard of lately.
func describeHolder(ctx context.Context, c *work.Clone, b *board.Board, by board.Actor, now time.Time) (who string, lives bool) {
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
