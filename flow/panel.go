package flow

// A panel is a play seen from the side of the roles that judge submissions.
type panel struct{ *play }

// panel are the roles that judge the subject.
func (p *play) panel() panel { return panel{p} }

// needs are the roles that have to judge a submission of a task with these
// changed paths.
func (p panel) needs(*Task, []string) []Role { return []Role{CodeReviewer} }

// judgeRole is the role for which the actor of a move reviews.
func (p panel) judgeRole() Role { return CodeReviewer }

// verdictRoles are the roles for which the actor of a move gives its verdict.
func (p panel) verdictRoles() []Role { return []Role{CodeReviewer} }
