package flow

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
)

// neededJudges are the roles that have to judge a submission of a task with these
// changed paths: those that the rules of the board ask for, in their order, the
// task's own, and those with open blockers. What a person left out is not among
// them.
func neededJudges(p *play, t *board.Task, paths []string) []board.Role {
	return neededWhere(p, t, func(globs []string) bool { return anyMatches(p, globs, paths) })
}

// neededWhere are the roles where touches reports whether the submission changes a path
// that matches one of the globs.
func neededWhere(p *play, t *board.Task, touches func(globs []string) bool) []board.Role {
	var list []board.Role
	add := func(r board.Role) {
		if !slices.Contains(list, r) && !slices.Contains(t.Without, r) {
			list = append(list, r)
		}
	}
	loop := board.LoopOf(p.board, t.Goal)
	for _, rule := range p.board.ReviewRules() {
		switch {
		case rule.Everything() && loop != nil && loop.Judge != "":
			add(loop.Judge)
		case (len(rule.Kinds) == 0 || slices.Contains(rule.Kinds, t.Kind)) && (len(rule.Paths) == 0 || touches(rule.Paths)):
			add(rule.Role)
		}
	}
	if g := p.board.Goal(t.Goal); g != nil && g.Every == board.EveryTask {
		add(board.HumanRole)
	}
	for _, r := range looksOf(p.board, t) {
		if mayJudge(p, r) {
			add(r)
		}
	}
	for _, r := range t.ReviewBy {
		add(r)
	}
	for _, j := range t.Judgements {
		if j.Rejection != nil && len(j.Rejection.Blockers) > 0 && mayJudge(p, j.Role) {
			add(j.Role)
		}
	}
	return list
}

// mayJudge reports whether submissions can need the verdict of a role.
func mayJudge(p *play, r board.Role) bool { return r == board.HumanRole || isJudge(p.board, r) }

// anyMatches reports whether one of the paths matches one of the globs.
func anyMatches(p *play, globs, paths []string) bool {
	parsed := glob.ParseAll(globs)
	return slices.ContainsFunc(paths, func(path string) bool { return p.board.Interrupted() || glob.MatchesAny(parsed, path) })
}

// notHuman reports whether no person's verdict counts for a role.
func notHuman(p *play, r board.Role) bool {
	row := p.board.Role(r)
	return row != nil && row.NotHuman
}

// openToPeople are the roles that have not approved the submission and for
// which a person may.
func openToPeople(p *play) []board.Role {
	return slices.DeleteFunc(p.task.Missing(), func(r board.Role) bool { return notHuman(p, r) })
}

// checkInSet refuses a role that does not have to judge the submission.
func checkInSet(p *play, r board.Role) *Refusal {
	t := p.task
	if slices.Contains(t.Submission.ReviewBy, r) {
		return nil
	}
	return refuse(RuleNeeds, "git liza show "+string(t.ID), "%s is judged by %s, not by %s", t.ID, listRoles(t.Submission.ReviewBy), r)
}

// refuseHuman refuses what a person does for a role that takes no person's word.
func refuseHuman(p *play, r board.Role) *Refusal {
	return refuse(RuleNotHuman, "git liza rush --agents "+string(r)+"=1", "%s is judged by agents alone, not by %s", r, p.move.By)
}

// judgeRole is the role for which the actor of a move reviews: an agent's own,
// for a person the one that it names, else the first that misses a verdict,
// human before all others and those that nobody reviews before the rest.
func judgeRole(p *play, named board.Role) (board.Role, *Refusal) {
	t, by := p.task, p.move.By
	switch own := by.Role(); {
	case own != "" && named != "" && named != own:
		return "", refuse(RuleRole, "git liza review "+string(t.ID)+" --as "+string(by), "%s judges as %s, not as %s", by, own, named)
	case own != "":
		return own, checkInSet(p, own)
	case named != "":
		return named, checkInSet(p, named)
	}
	for _, j := range t.Judgements {
		if rereads(p, j.Review) {
			return j.Role, nil
		}
	}
	list := openToPeople(p)
	if len(list) == 0 {
		if missing := t.Missing(); len(missing) > 0 {
			return "", refuseHuman(p, missing[0])
		}
		return "", refuse(RuleState, "git liza show "+string(t.ID), "every role has approved %s", t.ID)
	}
	if slices.Contains(list, board.HumanRole) {
		return board.HumanRole, nil
	}
	if r := lists.Find(list, func(r board.Role) bool { return !t.Judgement(r).Review.Live(p.move.At) }); r != nil {
		return *r, nil
	}
	return list[0], nil
}

// approvesAs are the roles for which the actor of an approval gives its verdict:
// the role whose review it holds; of a person the one that it names, else all
// that remain and take people.
func approvesAs(p *play, named board.Role) ([]board.Role, *Refusal) {
	t := p.task
	if list, refusal := ownRole(p, named); list != nil || refusal != nil {
		return list, refusal
	}
	switch {
	case named == "":
		list := openToPeople(p)
		if missing := t.Missing(); len(list) == 0 && len(missing) > 0 {
			return nil, refuse(RuleNotHuman, "git liza rush --agents "+string(missing[0])+"=1",
				"only %s remains, and no person stands in for it", listRoles(missing))
		}
		return list, nil
	case notHuman(p, named):
		return nil, refuseHuman(p, named)
	case t.Holds(t.Judgement(named).Verdict):
		return nil, refuse(RuleState, "git liza show "+string(t.ID), "%s has the verdict of %s", t.ID, named)
	}
	return []board.Role{named}, checkInSet(p, named)
}

// rejectsAs is the role to which the blockers of a rejection belong. A person
// that names none rejects for the role whose review it holds, else for the first
// that misses a verdict, those that take people before the others.
func rejectsAs(p *play, named board.Role) (board.Role, *Refusal) {
	t := p.task
	if list, refusal := ownRole(p, named); list != nil || refusal != nil {
		return append(list, "")[0], refusal
	}
	if named != "" {
		return named, checkInSet(p, named)
	}
	if own, held := t.HeldReview(p.move.By); held != nil {
		return own, nil
	}
	return slices.Concat(openToPeople(p), t.Missing(), t.Submission.ReviewBy)[0], nil
}

// RejectsAs is the role to which the blockers of a rejection would belong; "" if the
// actor judges for none.
func RejectsAs(b *board.Board, m Move) board.Role {
	p := &play{board: b, prior: b, move: &m, task: b.Task(m.Task)}
	d, ok := m.Detail.(*RejectMove)
	if !ok || p.task == nil || p.task.Submission == nil {
		return ""
	}
	role, _ := rejectsAs(p, d.Role)
	return role
}

// ownRole is the role for which an agent holds the review; nil for people, who
// choose.
func ownRole(p *play, named board.Role) ([]board.Role, *Refusal) {
	by := p.move.By
	own, held := p.task.HeldReview(by)
	switch {
	case by.IsHuman():
		return nil, nil
	case held == nil || named != "" && named != own:
		return nil, refuse(RuleRole, "git liza show "+string(p.task.ID), "%s judges as %s, not as %s", by, by.Role(), named)
	}
	return []board.Role{own}, nil
}

// heldRole is the role whose review a move renews or releases: the one that it
// names, else the actor's own, else the only one. "" means that nobody reviews.
func heldRole(p *play, named board.Role) (board.Role, *Refusal) {
	t := p.task
	roles := t.Reviewers()
	own, held := t.HeldReview(p.move.By)
	switch {
	case named != "" && !slices.Contains(roles, named):
		return "", refuse(RuleState, "git liza show "+string(t.ID), "nobody reviews %s as %s", t.ID, named)
	case named != "":
		return named, nil
	case held != nil:
		return own, nil
	case len(roles) == 0:
		return "", nil
	case len(roles) == 1:
		return roles[0], nil
	}
	return "", refuse(RuleForm, "git liza "+p.move.Act.Command()+" "+string(t.ID)+" --role "+string(roles[0]),
		"%s is reviewed as %s: the command says as which", t.ID, listRoles(roles))
}

// standsAgain reports whether the actor submitted the work as a person, which gave the
// verdict of the role human unless that role judges alone, and approves for that
// role and no other: a verdict that was taken back is given anew.
func standsAgain(p *play) bool {
	t := p.task
	approval, ok := p.move.Detail.(*ApproveMove)
	if !ok || !t.Submission.Human || len(t.Submission.ReviewBy) < 2 ||
		t.Attempt.Coder != p.move.By || !slices.Contains(t.Coders, workerOf(p)) {
		return false
	}
	roles, refusal := approvesAs(p, approval.Role)
	return refusal == nil && slices.Equal(roles, []board.Role{board.HumanRole})
}

// listRoles are roles for people.
func listRoles(list []board.Role) string {
	words := lists.Of(list, func(r board.Role) string { return string(r) })
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// isJudge reports whether a role of the board judges. HumanRole is none.
func isJudge(b *board.Board, name board.Role) bool {
	row := b.Role(name)
	return row != nil && row.Capacity == board.Judges
}
