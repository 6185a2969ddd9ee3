package view

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Compensation is what takes a move back, as far as anything does.
type Compensation struct {
	Command string `json:"command"` // "" if there is none
	Why     string `json:"why"`     // why there is none, or what the command leaves
}

// A lastMove is a move with the board before it and the present one.
type lastMove struct {
	flow.Move
	changed     []board.Key
	before, now *board.Board
}

// Compensate returns what takes a move back that is on the board now; before is the board
// that it was made on, and changed are the documents that it changed.
func Compensate(m flow.Move, changed []board.Key, before, now *board.Board) Compensation {
	find := compensations[m.Act]
	if find == nil {
		return Compensation{Why: "nothing is known that takes a " + m.Act.Command() + " back"}
	}
	return find(lastMove{m, changed, before, now})
}

// none is for acts that nothing takes back; TASK in why is the task of the move.
func none(why string) func(lastMove) Compensation {
	return func(m lastMove) Compensation {
		if m.Task == "" {
			return Compensation{Why: why}
		}
		return Compensation{Why: strings.ReplaceAll(why, "TASK", string(m.Task))}
	}
}

// command is for acts that one command takes back, whatever their fields; %s is the task.
func command(form string) func(lastMove) Compensation {
	return func(m lastMove) Compensation {
		if strings.Contains(form, "%s") {
			return Compensation{Command: fmt.Sprintf(form, m.Task)}
		}
		return Compensation{Command: form}
	}
}

// compensations have for each act what takes it back.
var compensations = map[board.Act]func(lastMove) Compensation{
	board.ActAdd:             lastMove.added,
	board.ActImport:          lastMove.added,
	board.ActConvert:         lastMove.added,
	board.ActFinalize:        none("a finalized task is no draft again: git liza task abandon TASK gives it up"),
	board.ActEdit:            none("edit the task again: git liza log TASK shows what it said before"),
	board.ActClaim:           lastMove.ended,
	board.ActReview:          lastMove.ended,
	board.ActRenew:           none("a lease ends by itself; git liza release TASK ends it now"),
	board.ActIntent:          none("the next git liza intent replaces it"),
	board.ActHandoff:         none("the next git liza handoff replaces it"),
	board.ActSubmit:          none("it waits for its reviewers, who may send it back; the next submission replaces it"),
	board.ActApprove:         lastMove.approved,
	board.ActReject:          lastMove.rejected,
	board.ActDismiss:         none("a blocker that was taken back is written again with the next git liza reject"),
	board.ActRecheck:         none("the verdicts are given anew"),
	board.ActMerge:           command("git liza undo %s"),
	board.ActIntegrationFail: none("the task's coder claims it again and merges integration into it"),
	board.ActAdopt:           lastMove.adopted,
	board.ActAccept:          none("a text that changes loses its approval"),
	board.ActBlock:           lastMove.blocked,
	board.ActUnblock:         none("work that goes on is blocked by who does it: git liza block TASK --reason R"),
	board.ActSupersede:       lastMove.anew,
	board.ActAbandon:         lastMove.anew,
	board.ActRelease:         lastMove.released,
	board.ActAnswer:          none("the first answer stands; a note says more: git liza note TEXT --for TASK"),
	board.ActTake:            none("the lease on the question ends by itself"),

	board.ActPause:      command("git liza resume --reason R"),
	board.ActStop:       command("git liza resume --reason R"),
	board.ActResume:     command("git liza pause --reason R"),
	board.ActCheckpoint: command("git liza checkpoint decide CONTINUE --message M"),
	board.ActDecide:     lastMove.decided,
	board.ActLift:       none("another decision holds tasks back: git liza checkpoint, then decide"),
	board.ActTrip:       command("git liza board breaker reset --resolution R"),
	board.ActReset:      none("the records before it are not judged again; git liza pause stops new claims"),

	board.ActGoal:     func(m lastMove) Compensation { return on("git liza goal abort %s --reason R", m.Goal) },
	board.ActComplete: func(m lastMove) Compensation { return on("git liza goal reopen %s --reason R", m.Goal) },
	board.ActAbort:    func(m lastMove) Compensation { return on("git liza goal reopen %s --reason R", m.Goal) },
	board.ActReopen:   func(m lastMove) Compensation { return on("git liza goal done %s", m.Goal) },
	board.ActSchedule: lastMove.rescheduled,
	board.ActLevel: func(m lastMove) Compensation {
		return Compensation{Command: fmt.Sprintf("git liza task add --draft --title T --goal %s --level %d", m.Goal, m.Detail.(*flow.LevelMove).Level),
			Why: "a level of which something is left to do has neither passed nor failed"}
	},
	board.ActPhase:       none("a person leads the goal to another phase; what was merged stays"),
	board.ActReload:      none("another workflow replaces it; tasks keep the phases that they were given"),
	board.ActClassify:    none("what a person says of a text ends when that changes"),
	board.ActAsk:         none("an answer closes the question"),
	board.ActOutage:      lastMove.repaired,
	board.ActAlign:       none("another line says what holds now: git liza record alignment TEXT"),
	board.ActSprintStart: func(m lastMove) Compensation { return on("git liza sprint close --goal %s", m.Goal) },
	board.ActSprintClose: none("a sprint that has ended does not go on: git liza sprint start opens the next one"),
	board.ActRetro:       none("another git liza sprint retro replaces it"),

	board.ActRegister: func(m lastMove) Compensation {
		return on("git liza agents remove %s", m.Detail.(*flow.RegisterMove).Agent)
	},
	board.ActUnregister: func(m lastMove) Compensation {
		return on("git liza agents add %s", m.Detail.(*flow.UnregisterMove).Agent)
	},
	board.ActDegrade: func(m lastMove) Compensation { return on("git liza agents add %s", m.Detail.(*flow.DegradeMove).Agent) },
	board.ActSession: none("what a session used is used"),

	board.ActAnomaly:       lastMove.recorded,
	board.ActDiscover:      lastMove.recorded,
	board.ActNote:          lastMove.recorded,
	board.ActDismissRecord: none("a record that was dismissed stays so; it can be written again"),
	board.ActDefer:         none("git liza record list has its command, which makes a task of it at any time"),
	board.ActSpecChange:    none("it is a line of history"),

	board.ActConfig:    none("git liza board diff shows the old value; git liza config KEY VALUE sets it, and --unset KEY where there was none"),
	board.ActRole:      lastMove.changedRole,
	board.ActRequire:   none("git liza role require ROLE --remove, or with what was asked for before"),
	board.ActPrincipal: lastMove.changedPrincipal,
	board.ActAmend:     none("git liza board edit amends the document again; git liza board diff shows what it said"),
	board.ActArchive:   none("what is archived counts as before: git liza list --all"),
	board.ActMigrate:   none("a format does not go back"),
	board.ActInit:      none("a board begins once"),
	board.ActMark:      none("a mark stays where it is"),
}

// on is a command about one thing.
func on[T ~string](form string, subject T) Compensation {
	return Compensation{Command: fmt.Sprintf(form, shell.Quote(string(subject)))}
}

// rescheduled schedules a goal as it was before.
func (m lastMove) rescheduled() Compensation {
	barrier, levels, why := board.BarrierOf(m.before, m.Goal), []string(nil), ""
	g := m.before.Goal(m.Goal)
	if g == nil || g.Schedule == nil || g.Schedule.Barrier == 0 {
		why = "before, schedule.barrier of the configuration said it"
	}
	if g != nil && g.Schedule != nil {
		levels = g.Schedule.Levels
	}
	command := "git liza goal schedule " + shell.Quote(string(m.Goal)) + " --barrier " + barrier.String()
	for _, name := range levels {
		command += " --levels " + shell.Quote(strings.ReplaceAll(name, ",", `\,`))
	}
	return Compensation{command, why}
}

// repaired says the opposite of a gate and a host.
func (m lastMove) repaired() Compensation {
	d := m.Detail.(*flow.OutageMove)
	command := "git liza gate outage " + shell.Quote(d.Gate) + " --host " + shell.Quote(d.Host)
	if !d.Over {
		return Compensation{Command: command + " --over"}
	}
	for _, o := range board.OutagesOf(m.before) {
		if o.Gate == d.Gate && o.Host == d.Host {
			command += " --error " + shell.Quote(FirstLine(o.Error))
		}
	}
	return Compensation{Command: command}
}

// added gives up the tasks that were added. Others of the same move are described again.
func (m lastMove) added() Compensation {
	var c Compensation
	n := 0
	for _, t := range flow.Described(m.Detail) {
		if m.before.Task(t.ID) != nil {
			c.Why = "import the plan as it was to take back what it changed: git liza plan import FILE --update"
		} else if n++; n == 1 {
			c.Command = on("git liza task abandon %s --reason R", t.ID).Command
		}
	}
	switch {
	case n > 1:
		c.Why = strings.TrimSuffix(fmt.Sprintf("the same for each of %d tasks; %s", n, c.Why), "; ")
	case n == 0 && c.Why == "":
		c.Why = "git liza goal schedule sets what was there before"
	}
	return c
}

// ended gives a claim or a review back that is still there.
func (m lastMove) ended() Compensation {
	if t := m.now.Task(m.Task); t != nil && (t.Claim != nil && t.Claim.By == m.By || t.IsReviewedBy(m.By)) {
		return on("git liza release %s", m.Task)
	}
	return Compensation{Why: string(m.Task) + " is not yours any more"}
}

// released takes up again what its holder gave back: a claim or a review.
func (m lastMove) released() Compensation {
	was, t := m.before.Task(m.Task), m.now.Task(m.Task)
	if was == nil || t == nil {
		return Compensation{Why: "there is no task " + string(m.Task)}
	}
	act, role, holder := board.ActClaim, board.Role(""), board.Actor("")
	if was.Claim != nil {
		holder = was.Claim.By
	} else {
		act, role, holder = board.ActReview, m.Detail.(*flow.ReleaseMove).Role, m.By
		if review := was.Review(); role != "" {
			holder = was.Judgement(role).Review.By
		} else if review != nil && !was.IsReviewedBy(m.By) {
			holder = review.By
		}
	}
	command := "git liza " + act.Command() + " " + string(m.Task)
	if role != "" && m.By.IsHuman() {
		command += " --role " + string(role)
	}
	switch {
	case t.Claim != nil:
		return Compensation{Why: fmt.Sprintf("%s is claimed by %s", m.Task, t.Claim.By)}
	case !flow.Allows(t.Status, act):
		return Compensation{Why: fmt.Sprintf("%s is %s", m.Task, t.Status)}
	case holder != m.By:
		return Compensation{Why: "it was held by " + string(holder) + ", who takes it up again: " + command}
	}
	return Compensation{Command: command}
}

// approved takes an approval back, as long as the work is not merged.
func (m lastMove) approved() Compensation {
	t := m.now.Task(m.Task)
	switch {
	case t == nil:
		return Compensation{Why: "there is no task " + string(m.Task)}
	case t.Status.IsMerged():
		return on("git liza undo %s", m.Task)
	case flow.Allows(t.Status, board.ActReject) && t.Submission != nil:
		return Compensation{Command: fmt.Sprintf("git liza reject %s --commit %s -m TEXT", m.Task, t.Submission.Commit)}
	}
	return Compensation{Why: fmt.Sprintf("%s is %s", m.Task, t.Status)}
}

// rejected takes each blocker of a rejection back that is still open, as long as there is
// a submission to judge again.
func (m lastMove) rejected() Compensation {
	t := m.now.Task(m.Task)
	switch {
	case t == nil:
		return Compensation{Why: "there is no task " + string(m.Task)}
	case !flow.Allows(t.Status, board.ActDismiss):
		return Compensation{Why: fmt.Sprintf("%s is %s", m.Task, t.Status)}
	case t.Submission == nil:
		return Compensation{Why: "a coder has begun to answer the blockers of " + string(m.Task)}
	}
	var commands []string
	for _, j := range t.Judgements {
		if j.Rejection == nil || j.Rejection.By != m.By || !j.Rejection.At.Equal(m.At) {
			continue
		}
		for n := len(j.Rejection.Blockers); n > 0; n-- { // the last first: those after one that is dismissed get other numbers
			one := "git liza reject " + string(m.Task)
			if j.Role != t.RejectedBy {
				one += " --role " + string(j.Role)
			}
			commands = append(commands, fmt.Sprintf("%s --dismiss %d --reason R", one, n))
		}
	}
	command := strings.Join(commands, " && ")
	switch {
	case command == "":
		return Compensation{Why: "none of its blockers is open any more"}
	case !m.By.IsHuman():
		return Compensation{Why: "a person takes blockers back: " + command}
	}
	return Compensation{Command: command}
}

// adopted takes an adoption back.
func (m lastMove) adopted() Compensation {
	d := m.Detail.(*flow.AdoptMove)
	switch {
	case len(d.Tasks) > 0:
		return on("git liza undo %s", d.Tasks[0])
	case len(d.Reverts) > 0:
		return m.reopened(d)
	}
	// Without a branch no name is needed, which an earlier undo may have taken.
	return Compensation{Command: "git switch --detach " + shell.Quote(m.now.Settings().Integration.Ref()) + " && " + takeOut(d.Onto, d.Commit) +
		" && git commit -m " + shell.Quote("Take back "+d.Onto.Short()+".."+d.Commit.Short()) + " && git liza adopt HEAD --reason R && git switch -"}
}

// takeOut is what takes a range of commits out of a checkout, as one change: git revert
// stops at a merge.
func takeOut(from, to board.ObjectID) string {
	return "git diff-tree -p --binary " + string(to) + " " + string(from) + " | git apply --3way --index"
}

// reopened brings the work back that an adoption took out. The mark that it left on the
// tasks stays, whatever integration holds: only a task that does the work again ends it.
func (m lastMove) reopened(d *flow.AdoptMove) Compensation {
	list := lists.Where(d.Reverts, func(id board.TaskID) bool {
		t := m.now.Task(id)
		return t != nil && t.Reverted != nil && !board.Stands(m.now, t) && len(board.Outstanding(m.now, t)) == 0
	})
	if len(list) == 0 {
		return Compensation{Why: "other tasks do the work again: git liza show " + string(d.Reverts[0])}
	}
	command := "git liza undo " + string(list[0])
	if len(list) > 1 {
		command += " --with " + strings.ReplaceAll(JoinIDs(list[1:]), ", ", ",")
	}
	why := "what was taken back stays so; a new task brings the work back"
	if d.Commit != d.Onto {
		why += ", in its checkout: " + takeOut(d.Onto, d.Commit)
	}
	return Compensation{command + " --reopen", why}
}

// blocked lets a blocked task go on.
func (m lastMove) blocked() Compensation {
	if len(OpenQuestions(m.now, m.Task)) > 0 {
		return on("git liza answer %s", m.Task)
	}
	if t := m.now.Task(m.Task); t != nil && t.Status.IsBlocked() {
		return on("git liza task unblock %s", m.Task)
	}
	return Compensation{Why: string(m.Task) + " goes on already"}
}

// anew adds the work of a task that has ended.
func (m lastMove) anew() Compensation {
	title := string(m.Task)
	if t := m.now.Task(m.Task); t != nil {
		title = t.Title
	}
	return Compensation{Command: "git liza task add --draft --title " + shell.Quote(title), Why: "nothing leaves a final state; its work becomes a new task"}
}

// decided ends what a decision does.
func (m lastMove) decided() Compensation {
	decision := m.Detail.(*flow.DecideMove).Decision
	for _, g := range m.now.GoalsInProgress() {
		if g.Hold != nil && g.Hold.Decision == decision {
			return on("git liza checkpoint lift --goal %s --reason R", g.ID)
		}
	}
	switch control := m.now.Settings().Control; decision {
	case "REPLAN", "ADJUST_SPECS":
		return Compensation{Why: "nothing is held back any more"}
	case "CONTINUE":
		return Compensation{Command: "git liza checkpoint --reason R"}
	default:
		if !control.State.IsRunning() {
			return Compensation{Command: "git liza resume --reason R", Why: "at the checkpoint, git liza checkpoint decide decides anew"}
		}
		return Compensation{Why: "the board runs already"}
	}
}

// recorded takes the record that the move wrote off the prompts.
func (m lastMove) recorded() Compensation {
	for _, key := range m.changed {
		one, isRecord := recordOf(Reading{Board: m.now, At: m.now.At()}, "", m.now.Load(key))
		switch {
		case !isRecord || m.before.Load(key) != nil:
		case one.Command == "":
			return Compensation{Why: fmt.Sprintf("%s needs nobody's attention any more", one.ID)}
		default:
			return on("git liza record dismiss %s --reason R", one.ID)
		}
	}
	return Compensation{Why: "the record is archived"}
}

// changedRole takes a role off the board, or names how it comes back.
func (m lastMove) changedRole() Compensation {
	d := m.Detail.(*flow.RoleMove)
	if d.Remove || d.Replace {
		return Compensation{Why: "git liza role add FILE enters the role as it was"}
	}
	return on("git liza role remove %s", d.Row.Name)
}

// changedPrincipal takes a principal off the board, or names how it comes back.
func (m lastMove) changedPrincipal() Compensation {
	d := m.Detail.(*flow.PrincipalMove)
	if d.Remove || m.before.Principals().Find(d.Principal.Name) != nil {
		return Compensation{Why: "git liza principal add " + d.Principal.Name + " --replace with what it was"}
	}
	return on("git liza principal remove %s", d.Principal.Name)
}

// UndoText formats a move and what takes it back for people. The command is never cut.
func UndoText(last Entry, back Compensation, width int) string {
	text := Cut(last.line(), width) + "\n"
	if back.Command != "" {
		text += "  " + plaintext.Line(back.Command) + "\n"
	}
	if back.Why != "" {
		text += Wrapped(back.Why, width)
	}
	return text
}
