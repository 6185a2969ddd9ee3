package flow

import "strconv"

// toRules3 gives a board what version 3 of the rules reads: the newest checkpoint,
// the plans of sprints as documents of their own, and what was merged and archived
// so far.
func toRules3(p *effect) {
	mark, next := "sprint-1", p.Settings().Next.Mark
	if next > 1 {
		mark = "checkpoint-" + strconv.Itoa(next-1)
	}
	p.change(func(s *Settings) {
		s.Checked = &Checked{Mark: mark, At: p.move.At}
		if c := s.Control; next > 1 && (c.State == Checkpoint || c.State == Stopped && c.Before == Checkpoint) {
			s.Control.Mark = mark
		}
	})
	merged, archived := map[GoalID]int{}, map[SprintID]int{}
	p.each(func(t *Summary) {
		if t.Status == Merged {
			merged[t.Goal]++
		}
	})
	for _, id := range p.IDs(Archive) {
		t, ok := p.load(Key{Archive, id}).(*Task)
		if ok && t.Status == Merged {
			merged[t.Goal]++
		}
		if ok && !t.Stretch {
			archived[t.Sprint]++
		}
	}
	for _, id := range p.IDs(Goals) {
		g := *p.Goal(GoalID(id))
		if g.Merged = merged[g.ID]; g.Status == InProgress {
			g.AtCheckpoint = g.tally()
		}
		p.put(Key{Goals, id}, &g)
	}
	for _, id := range p.IDs(Sprints) {
		s := *p.Sprint(SprintID(id))
		p.calendar().keepPlan(p, &SprintPlan{Sprint: s.ID, Planned: s.Planned2, Stretch: s.Stretch2})
		s.Planned2, s.Stretch2, s.Archived = nil, nil, archived[s.ID]
		p.put(Key{Sprints, id}, &s)
	}
}
