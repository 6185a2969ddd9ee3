package flow

import "slices"

// toRules2 gives a board what version 2 of the rules reads: its roles and rules
// of review, the paths that no agent changes, and the sprints of goals. What an earlier version denied
// roles becomes part of their rows.
func toRules2(p *effect) {
	migrated := p.prior.Settings().Config
	left := p.LeftOutRoles()
	for _, row := range rolesV2() {
		if slices.Contains(left, row.Name) {
			continue
		}
		if !p.prior.Empty() && slices.Contains(FirstRoles(), row.Name) {
			row.Denies = denials(migrated.RolePaths, row.Name)
		}
		p.put(Key{RolesFolder, string(row.Name)}, row)
	}
	p.put(Key{Folder: ReviewsDoc}, &ReviewRules{List: []ReviewRule{{Role: CodeReviewer}}})
	if !p.prior.Empty() {
		p.change(func(s *Settings) { s.Config.RolePaths, s.Config.Never = nil, defaultNever() })
	}
	p.giveSprints()
}

// giveSprints gives each goal its priority and the number of its tasks, and the
// sprint that the settings had to the current goal; every other goal in progress
// gets the number of its next one.
func (p *effect) giveSprints() {
	added, waiting := map[GoalID]int{}, false
	p.each(func(t *Summary) {
		added[t.Goal]++
		waiting = waiting || t.Sprint == numbered(p.Settings().Next.Sprint)
	})
	for _, id := range p.IDs(Archive) {
		if t, ok := p.load(Key{Archive, id}).(*Task); ok {
			added[t.Goal]++
		}
	}
	for _, id := range p.IDs(Goals) {
		g := *p.Goal(GoalID(id))
		g.Priority, g.Added = usualPriority, added[g.ID]
		p.put(Key{Goals, id}, &g)
	}
	goal, open := p.Settings().Goal, p.Settings().Sprint1
	p.change(func(s *Settings) { s.Sprint1 = "" })
	if s := p.Sprint(open); s != nil {
		begun := *s
		begun.Goal = goal
		if p.Goal(goal).Status == InProgress {
			p.setSprint(goal, open, "")
		} else {
			begun.Status, begun.Ended, begun.Reason = Completed, p.move.At, "its goal has ended"
		}
		p.recordPlan(&begun)
	}
	if waiting && p.Goal(goal).Status != InProgress { // no other goal opens the sprint of these tasks
		p.change(func(s *Settings) { s.Next.Sprint++ })
	}
	for _, g := range p.calendar().goals() {
		if g.Sprint == "" {
			p.reserveSprint(g.ID)
		}
	}
}

// LeftOutRoles are the built-in roles that a migration to version 2 does not
// enter: their agents could not be told from a task that the board has.
func (b *Board) LeftOutRoles() (left []Role) {
	for _, row := range BuiltinRoles() {
		if !slices.Contains(FirstRoles(), row.Name) && b.taskLikeAgent(row.Name) != "" {
			left = append(left, row.Name)
		}
	}
	return left
}

// defaultNever are paths with secrets, and those of git itself.
func defaultNever() []string {
	return []string{"**/.env*", "**/*.pem", "**/id_rsa*", "**/id_ecdsa*", "**/id_ed25519*", ".git/**"}
}
