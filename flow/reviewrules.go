package flow

// ReviewRules is the document reviews.yaml: whose verdicts submissions need.
type ReviewRules struct {
	List []ReviewRule `yaml:"list"`
}

// A ReviewRule asks for the verdict of a role. Empty kinds match every task,
// empty paths every submission.
type ReviewRule struct {
	Role  Role     `yaml:"role"` // of a row that judges, or human
	Kinds []Kind   `yaml:"kinds"`
	Paths []string `yaml:"paths"` // globs; one changed path that matches is enough
}

// ReviewRules are the board's rules of review, in their order.
func (c *Board) ReviewRules() []ReviewRule {
	if doc, ok := c.Load(Key{Folder: ReviewsDoc}).(*ReviewRules); ok {
		return doc.List
	}
	return nil
}

// isJudge reports whether a role of the board judges. HumanRole is none.
func isJudge(b *Board, name Role) bool {
	row := b.Role(name)
	return row != nil && row.Capacity == Judges
}
