package flow

// toRules5 gives a board what version 5 of the rules reads: the levels that failed, and the
// roles that write artifacts. It leaves out those for which the board has other rows, those whose agents
// could not be told from a task of the board, and those for which there is no room.
func toRules5(p *effect) {
	for _, row := range artifactRoles() {
		if p.Role(row.Name) == nil && p.taskLikeAgent(row.Name) == "" && len(p.IDs(RolesFolder)) < maxRoles {
			p.put(Key{RolesFolder, string(row.Name)}, row)
		}
	}
	for _, id := range p.IDs(Goals) {
		if failed := levelsOf(p).failed(GoalID(id)); failed != nil {
			g := *p.Goal(GoalID(id))
			g.Failed = failed.Number
			p.put(Key{Goals, id}, &g)
		}
	}
}

// artifactRoles are the built-in roles since rules version 5, by name: they write the
// artifacts of the phase of their task and nothing else.
func artifactRoles() (list []*RoleRow) {
	for _, about := range [][2]string{
		{"architect", "designs what is built, and records why"},
		{"manager", "cuts a design into a plan"},
		{"researcher", "finds out what is wanted, and by whom"},
		{"spec-writer", "writes down what the work has to do"},
	} {
		list = append(list, &RoleRow{Name: Role(about[0]), Capacity: Does, About: about[1], Artifacts: true,
			Kinds: []Kind{Docs, Spec}, Tools: []Tool{ToolRead, ToolWrite, ToolRun, ToolWeb}, Denies: []Denial{{Glob: "contracts/**"}, {Glob: ".liza/**"}}})
	}
	return list
}
