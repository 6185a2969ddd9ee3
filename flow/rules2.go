package flow

import "slices"

// toRules2 gives a board what version 2 of the rules reads: its roles and rules
// of review, and the paths that no agent changes. What an earlier version denied
// roles becomes part of their rows.
func toRules2(p *effect) {
	migrated := p.prior.Settings().Config
	left := p.LeftOutRoles()
	for _, row := range builtinRows() {
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
}

// LeftOutRoles are the built-in roles that a migration to version 2 does not
// enter: their agents could not be told from a task that the board has.
func (b *Board) LeftOutRoles() (left []Role) {
	for _, row := range builtinRows() {
		if !slices.Contains(FirstRoles(), row.Name) && b.taskLikeAgent(row.Name) != "" {
			left = append(left, row.Name)
		}
	}
	return left
}

// defaultNever are paths with secrets, and those of git itself.
func defaultNever() []string { return []string{"**/.env*", "**/*.pem", "**/id_*", ".git/**"} }
