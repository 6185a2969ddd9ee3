package flow

// toRules2 gives a board what version 2 of the rules reads: its roles and rules
// of review.
func toRules2(p *effect) {
	for _, row := range builtinRows() {
		p.put(Key{RolesFolder, string(row.Name)}, row)
	}
	p.put(Key{Folder: ReviewsDoc}, &ReviewRules{List: []ReviewRule{{Role: CodeReviewer}}})
}
