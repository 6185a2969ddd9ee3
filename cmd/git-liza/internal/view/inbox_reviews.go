package view

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// addReviews adds the submissions that wait for a person's verdict, and those of which
// no agent at work has the role that judges.
func (c *collector) addReviews() {
	staffed := rolesAtWork(c.picture)
	unstaffed := map[board.Role][]*board.Summary{}
	for t := range c.picture.rows.with(func(s board.Status) bool { return unheldWaits()[s] == forReview }) {
		for _, role := range flow.Takers(t.Summary, board.ActReview, c.At) {
			if !staffed[role] && role != board.HumanRole {
				unstaffed[role] = append(unstaffed[role], t.Summary)
			}
		}
		mine := c.Person.By.IsHuman() && slices.ContainsFunc(t.Judges, func(j board.Judge) bool { return j.By == c.Person.By && j.Lease.After(c.At) })
		if j := t.Judge(board.HumanRole); !mine && (j == nil || j.Done) {
			continue
		}
		text := fmt.Sprintf("%s waits for a person's verdict: %s", t.ID, t.Title)
		if mine {
			text = fmt.Sprintf("%s is under your review: %s", t.ID, t.Title)
		}
		i := Item{Kind: "verdict", Subject: string(t.ID), Text: text, Command: "git liza review " + string(t.ID), since: t.Changed, act: board.ActReview, task: t.ID}
		if mine {
			i.act = 0 // taking it again makes no move
		} else if c.isAlone() {
			c.askAuthor(&i)
		}
		c.add(i)
	}
	for _, role := range slices.Sorted(maps.Keys(unstaffed)) {
		c.addUnstaffed(role, unstaffed[role])
	}
}

// addDoubts adds the tasks about which there is doubt, also those that were merged since.
func (c *collector) addDoubts() {
	for t := range c.picture.rows.each(func(board.Status) bool { return true }) {
		if t.Doubt != "" {
			c.add(Item{Kind: "doubt", Subject: string(t.ID), Text: fmt.Sprintf("%s: see git liza log %s; only you approve or merge it", c.Board.Doubt(t.ID, t.Doubt), t.ID),
				Command: "git liza record dismiss " + string(t.Doubt) + " --reason R", since: t.Changed, moment: string(t.Doubt), rule: flow.RuleDoubt, act: board.ActDismissRecord})
		}
	}
}

// staffedRoles returns the roles of registered agents that get work.
func staffedRoles(b *board.Board) map[board.Role]bool {
	staffed := map[board.Role]bool{}
	for _, a := range board.All[*board.Agent](b, board.Agents) {
		if a.Degraded == "" {
			staffed[a.ID.Role()] = true
		}
	}
	return staffed
}

// rolesAtWork returns the roles of agents of which something shows that they work: a lease,
// or what their supervisor says. One that has just begun may not have said anything.
func rolesAtWork(p *Picture) map[board.Role]bool {
	working := map[board.Role]bool{}
	for _, v := range p.Agents() {
		supervised := p.reading.Board.Agent(v.ID).Generation != "" && !v.Silent(p.reading.At)
		if (supervised || v.Lease != nil && v.Lease.After(p.reading.At)) && v.Dead == 0 && v.Degraded == "" {
			working[v.Role] = true
		}
	}
	return working
}

// addIdle adds one item for all tasks that a role does of which no agent is at work: at once
// if it is none of the usual ones, else when it has been so for long.
func (c *collector) addIdle() {
	if !c.Board.Settings().Control.State.IsRunning() {
		return
	}
	c.picture.groupTasks()
	staffed, limit := rolesAtWork(c.picture), time.Duration(c.Board.Settings().Config.Alarms.Filled().Unstaffed)
	for _, doer := range c.Board.Roles() {
		waiting := lists.Where(c.picture.groups[doer.Name.String()], func(r *row) bool { return unheldWaits()[r.Status] == forWork && slices.Contains(c.goals, r.Goal) })
		if len(waiting) == 0 || staffed[doer.Name] {
			continue
		}
		first := slices.MinFunc(waiting, func(x, y *row) int { return x.Changed.Compare(y.Changed) })
		if slices.Contains(board.FirstRoles(), doer.Name) && first.Changed.Add(limit).After(c.At) {
			continue
		}
		c.add(Item{Kind: "unstaffed", Subject: string(doer.Name), Text: unstaffedText(first.Summary, len(waiting), "tasks", doer.Name), Command: board.RushCommand(c.Board, doer.Name), since: first.Changed})
	}
}

// mostAsked is how many submissions of a role the rules are asked about: with as many
// refused, one more is no news.
const mostAsked = 20

// addUnstaffed adds one item for all submissions that a role judges of which no agent
// is at work. The command reviews the oldest that the person may.
func (c *collector) addUnstaffed(role board.Role, waiting []*board.Summary) {
	slices.SortStableFunc(waiting, func(x, y *board.Summary) int { return x.Changed.Compare(y.Changed) })
	first := waiting[max(slices.IndexFunc(waiting[:min(len(waiting), mostAsked)], func(t *board.Summary) bool {
		return flow.Opens(c.Board, board.ActReview, t.ID, c.Person, c.At) == nil
	}), 0)]
	i := Item{Kind: "verdict", Subject: string(first.ID), Text: unstaffedText(first, len(waiting), "submissions", role), Command: "git liza review " + string(first.ID), since: first.Changed,
		moment: string(role), act: board.ActReview, task: first.ID}
	c.askAuthor(&i)
	c.add(i)
}

// unstaffedText says that n tasks or submissions, of which one is the first, wait for a role.
func unstaffedText(first *board.Summary, n int, what string, role board.Role) string {
	if n > 1 {
		return fmt.Sprintf("%d %s wait for %s, and none is at work", n, what, role.One())
	}
	return fmt.Sprintf("%s waits for %s, and none is at work: %s", first.ID, role.One(), first.Title)
}

// askAuthor makes the item of a submission that the person coded, and may not judge, that
// of the command by which it is judged all the same.
func (c *collector) askAuthor(i *Item) {
	refusal := flow.Opens(c.Board, board.ActReview, i.task, c.Person, c.At)
	if refusal == nil || refusal.Rule != flow.RuleSelfReview || !c.Person.By.IsHuman() {
		return
	}
	i.Text += " (" + refusal.Reason + ")"
	i.Command, i.rule, i.act = refusal.Hint, refusal.Rule, 0
}

// isAlone reports whether no other person has coded or judged on this board.
func (c *collector) isAlone() bool {
	for by, n := range c.picture.rows.people {
		if n > 0 && by != c.Person.By {
			return false
		}
	}
	return true
}
