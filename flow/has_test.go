package flow

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// has compares what stands on the board with PROPERTY=VALUE pairs. The subject
// is a task, an agent, or the board itself.
func (s *scene) has(subject string, pairs []string) string {
	for _, pair := range pairs {
		key, want, _ := strings.Cut(pair, "=")
		got, ok := s.property(subject, key)
		if !ok {
			return subject + " has nothing called " + key
		}
		if got != want {
			return fmt.Sprintf("%s has %s=%s", subject, key, got)
		}
	}
	return ""
}

func (s *scene) property(subject, key string) (string, bool) {
	if subject == "board" {
		return s.boardProperty(key)
	}
	if strings.HasSuffix(subject, ".md") {
		return s.pathProperty(subject, key)
	}
	if a := board.AgentID(subject); a.Role() != "" {
		return s.agentProperty(a, key)
	}
	t := s.board.Task(board.TaskID(subject))
	if t == nil {
		return "", false
	}
	if key == "budget" || key == "left" {
		return s.funds(key, "", t.ID), true
	}
	if key == "questions" {
		return s.questions(t.ID), true
	}
	property, ok := taskProperties[key]
	if !ok {
		return "", false
	}
	return property(t), true
}

// pathProperty is what is known of a tracked path. Its blob is written as the path
// of which it is the usual one, else as the name of an object.
func (s *scene) pathProperty(path, key string) (string, bool) {
	doc := s.board.Tracked(path)
	if key == "untracked" || doc == nil {
		return "", key == "untracked" && doc == nil
	}
	blob := func(id board.ObjectID) string {
		if id == board.ObjectID(board.TrackedID(path)) {
			return path
		}
		return objectName(id)
	}
	var list []string
	switch key {
	case "blob":
		return blob(doc.Blob), true
	case "was":
		return blob(doc.Was), true
	case "same":
		for _, id := range doc.Same {
			list = append(list, blob(id))
		}
	case "task":
		return string(doc.Task), true
	case "by":
		return string(doc.By), true
	case "reviewby":
		for _, r := range doc.ReviewBy {
			list = append(list, r.String())
		}
	case "verdicts":
		for _, v := range doc.Verdicts {
			list = append(list, v.Role.String()+":"+string(v.By))
		}
	case "class":
		if doc.Class == nil {
			return "", true
		}
		return string(doc.Class.Loop) + ":" + string(doc.Class.Source), true
	case "allowed":
		return strconv.FormatBool(doc.Allowance != nil), true
	case "approved":
		return strconv.FormatBool(doc.Approved()), true
	case "sections":
		for _, section := range doc.Sections {
			list = append(list, section.Anchor)
		}
	default:
		return "", false
	}
	return strings.Join(list, ","), true
}

func (s *scene) boardProperty(key string) (string, bool) {
	b := s.board
	c := b.Settings()
	switch key {
	case "control":
		return c.Control.State.String(), true
	case "due-level":
		return strconv.Itoa(board.DueLevel(b, c.Goal)), true
	case "failed-level":
		if g := b.Goal(c.Goal); g.Failed > 0 {
			return board.LevelID(g.ID, g.Failed), true
		}
		return "", true
	case "format":
		return strconv.Itoa(c.Format), true
	case "roles":
		var list []string
		for _, row := range b.Roles() {
			list = append(list, row.Name.String())
		}
		return strings.Join(list, ","), true
	case "asks":
		var list []string
		for _, r := range b.ReviewRules() {
			var kinds []string
			for _, k := range r.Kinds {
				kinds = append(kinds, k.String())
			}
			list = append(list, strings.TrimRight(fmt.Sprintf("%s:%s:%s", r.Role, strings.Join(kinds, "+"), strings.Join(r.Paths, "+")), ":"))
		}
		return strings.Join(list, ","), true
	case "goals":
		var list []string
		for _, g := range b.GoalsInProgress() {
			next := ""
			if g.Next != "" {
				next = "next:"
			}
			list = append(list, fmt.Sprintf("%s:%d:%s%s", g.ID, g.Priority, next, g.Sprint+g.Next))
		}
		return strings.Join(list, ","), true
	case "plan-1", "plan-2", "plan-3", "plan-4":
		plan := cmp.Or(board.PlanOf(b, board.SprintID("sprint-"+key[len("plan-"):])), new(board.SprintPlan))
		return join(plan.Planned) + "/" + join(plan.Stretch), true
	case "added":
		return strconv.Itoa(b.Goal(c.Goal).Added), true
	case "tip":
		return objectName(c.Integration.Tip), true
	case "sprint":
		return string(b.OpenSprint(c.Goal)), true
	case "sprint-1", "sprint-2", "sprint-3", "sprint-4":
		return b.Sprint(board.SprintID(key)).Status.String(), true
	case "carried":
		return join(b.Sprint("sprint-1").Carried), true
	case "goal":
		return string(c.Goal) + ":" + b.Goal(c.Goal).Status.String(), true
	case "tripped":
		return strconv.FormatBool(b.Breaker().Tripped), true
	case "watermark":
		return strconv.Itoa(b.Breaker().Watermark), true
	case "anomalies":
		return join(b.IDs(board.Anomalies)), true
	case "discovered":
		return join(b.IDs(board.Discovered)), true
	case "limits":
		var list []string
		for _, id := range b.IDs(board.Anomalies) {
			if a := b.Load(board.Key{Folder: board.Anomalies, ID: id}).(*board.Anomaly); a.Type == board.LimitReached {
				list = append(list, fmt.Sprintf("%s:%s:%s", a.Task, a.Details["limit"], a.Details["role"]))
			}
		}
		return join(list), true
	case "dismissed", "put-away", "about":
		return s.records(key), true
	case "triggers":
		var list []string
		for _, t := range Triggers(b) {
			list = append(list, t.Reason)
		}
		return join(list), true
	case "agents":
		return join(b.IDs(board.Agents)), true
	case "live":
		return join(b.IDs(board.Tasks)), true
	case "archived":
		return join(b.IDs(board.Archive)), true
	case "principals":
		var list []string
		for _, p := range b.Principals().List {
			list = append(list, strings.TrimSuffix(p.Name+":"+strings.Join(p.Rights, "+"), ":"))
		}
		return strings.Join(list, ","), true
	case "usage":
		return used(b.Goal(c.Goal).Usage), true
	case "usage-1", "usage-2", "usage-3":
		return used(b.Sprint(board.SprintID("sprint-" + key[len(key)-1:])).Usage), true
	case "added-1", "added-2":
		return strconv.Itoa(b.Goal(board.GoalID("goal-" + key[len("added-"):])).Added), true
	case "budget", "left":
		return s.funds(key, "", ""), true
	case "budget-1":
		return s.funds("budget", "goal-1", ""), true
	case "next":
		return strconv.Itoa(c.Next.Task), true
	}
	return s.steeringProperty(key)
}

// steeringProperty is what automatic moves and decisions read; -1 and -2 are the
// numbers of goals and sprints.
func (s *scene) steeringProperty(key string) (string, bool) {
	c, name, number := s.board.Settings(), key, ""
	if i := strings.LastIndexByte(key, '-'); i > 0 {
		name, number = key[:i], key[i:]
	}
	g, p := s.board.Goal(board.GoalID("goal"+number)), s.board.Sprint(board.SprintID("sprint"+number))
	switch name {
	case "checked":
		if c.Checked == nil {
			return "", true
		}
		return c.Checked.Mark, true
	case "mark":
		return strings.TrimRight(c.Control.Mark+":"+string(c.Control.Goal), ":"), true
	case "decision":
		return c.Control.Decision, true
	case "message":
		return c.Control.Message, true
	case "merged":
		return strconv.Itoa(g.Merged), true
	case "passed":
		t := g.AtCheckpoint.Sums()
		return fmt.Sprintf("%d/%d/%s", t.Merged, t.Tokens, t.Cost), true
	case "hold":
		if g.Hold == nil {
			return "", true
		}
		return strings.TrimRight(g.Hold.Checkpoint+":"+g.Hold.Decision+":"+join(g.Hold.Tasks), ":"), true
	case "phase":
		return g.Status.String(), true
	case "archived":
		return strconv.Itoa(p.Archived), true
	case "trip":
		b := s.board.Breaker()
		return strings.TrimRight(fmt.Sprintf("%s:%s:%s", b.Pattern, strings.Join(b.Patterns, "+"), join(b.Records)), ":"), true
	case "marks":
		return join(s.board.IDs(board.MarkDocs)), true
	case "levels":
		return s.levels(), true
	case "barrier":
		return board.BarrierOf(s.board, g.ID).String(), true
	case "cap":
		return strconv.Itoa(mostClaims(s.board, g.ID, "")), true
	case "streak":
		if g.Streak == nil {
			return "0", true
		}
		return strconv.Itoa(g.Streak.Failures), true
	case "outages":
		var list []string
		for _, o := range board.OutagesOf(s.board) {
			list = append(list, o.Gate+"@"+o.Host)
		}
		return join(list), true
	case "workflow", "inphase", "begun", "plans", "dueplans", "used", "lacks":
		return s.phaseProperty(name, g)
	case "kinds":
		var list []string
		for _, id := range s.board.IDs(board.Anomalies) {
			list = append(list, s.board.Load(board.Key{Folder: board.Anomalies, ID: id}).(*board.Anomaly).Type.String())
		}
		return join(list), true
	}
	return "", false
}

// levels are the recorded levels with their results.
func (s *scene) levels() string {
	var list []string
	for _, id := range s.board.IDs(board.Levels) {
		l := s.board.Load(board.Key{Folder: board.Levels, ID: id}).(*board.Level)
		list = append(list, fmt.Sprintf("%s:%s", id, map[bool]string{true: "passed", false: "failed"}[l.Passed]))
	}
	return join(list)
}

// records are the ids of those that are dismissed or archived, or the tasks that
// anomalies and discoveries name.
func (s *scene) records(which string) string {
	var list []string
	for _, folder := range []board.Folder{board.Anomalies, board.Discovered, board.Notes} {
		for _, id := range s.board.IDs(folder) {
			doc := s.board.Load(board.Key{Folder: folder, ID: id})
			d := dismissalOf(doc)
			switch about := ""; {
			case which == "dismissed" && d != nil:
				list = append(list, id+":"+d.Reason+":"+string(d.By))
			case which == "put-away" && board.Archived(doc):
				list = append(list, id)
			case which == "about":
				switch r := doc.(type) {
				case *board.Anomaly:
					about = string(r.Task)
				case *board.Discovery:
					about = string(r.During)
				}
				list = append(list, id+":"+about)
			}
		}
	}
	return strings.Join(list, ",")
}

// questions are those about a task as ID:TEXT:ANSWER, with the holder of a lease
// or the actor that closed it.
func (s *scene) questions(id board.TaskID) string {
	var list []string
	for _, q := range board.QuestionsAbout(s.board, id) {
		state := "open"
		switch {
		case q.IsOpen() && q.Lease.Live(s.now):
			state = "taken:" + string(q.Lease.By)
		case !q.IsOpen():
			state = q.Answer + ":" + string(q.By)
		}
		list = append(list, strings.ReplaceAll(fmt.Sprintf("%s:%s:%s", q.ID, q.Text, state), " ", "_"))
	}
	return strings.Join(list, ",")
}

// used is a usage as SESSIONS:TOKENS:DOLLARS.
func used(u board.Usage) string { return fmt.Sprintf("%d:%d:%s", u.Sessions, u.Tokens(), u.Cost) }

// funds says whose budget is spent, or what is left.
func (s *scene) funds(key string, goal board.GoalID, id board.TaskID) string {
	if key == "left" {
		left, bounded := RemainingBudget(s.board, goal, id)
		return map[bool]string{true: fmt.Sprintf("%d/%s", left.Tokens, left.Cost)}[bounded]
	}
	if r := CheckBudget(s.board, goal, id); r != nil {
		requireHelpful(s.t, r)
		return strings.ReplaceAll(r.Reason+";"+r.Hint, " ", "_")
	}
	return ""
}

func (s *scene) agentProperty(id board.AgentID, key string) (string, bool) {
	a := s.board.Agent(id)
	if a == nil {
		return "", key == "task"
	}
	switch key {
	case "task":
		return string(a.Task), true
	case "review":
		return string(a.Review), true
	case "degraded":
		return a.Degraded, true
	case "principal":
		return a.Principal, true
	}
	return "", false
}

func join[T ~string](list []T) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = string(s)
	}
	return strings.Join(parts, ",")
}

// textsOf are the texts that each role has read, as ROLE:REF+REF,….
func textsOf(t *board.Task, read func(board.Judgement) []board.TextRef) string {
	var list []string
	for _, j := range t.Judgements {
		var refs []string
		for _, ref := range read(j) {
			refs = append(refs, ref.String())
		}
		if refs != nil {
			list = append(list, j.Role.String()+":"+strings.Join(refs, "+"))
		}
	}
	return strings.Join(list, ",")
}

var taskProperties = map[string]func(*board.Task) string{
	"level": func(t *board.Task) string { return strconv.Itoa(t.Level) },
	"phase": func(t *board.Task) string { return string(t.Phase) },
	"role":  func(t *board.Task) string { return string(t.Doer()) },
	"asking": func(t *board.Task) string {
		var list []string
		for _, a := range t.Asking {
			list = append(list, string(a.Question)+":"+string(a.To))
		}
		return join(list)
	},
	"needs":   func(t *board.Task) string { return join(t.Submission.ReviewBy) },
	"owns":    func(t *board.Task) string { return join(t.Owns) },
	"entered": func(t *board.Task) string { return t.Entered.Sub(dawn).String() },
	"retries": func(t *board.Task) string {
		if t.Retry == nil {
			return ""
		}
		return fmt.Sprintf("%d:%s:%s", t.Retry.Count, t.Retry.NotBefore.Sub(dawn), strings.ReplaceAll(t.Retry.Error, " ", "_"))
	},
	"gates": func(t *board.Task) string {
		var list []string
		for _, r := range t.Submission.Gates {
			list = append(list, r.Gate+":"+r.Result.String())
		}
		return join(list)
	},
	"limit": func(t *board.Task) string {
		if t.Block == nil {
			return ""
		}
		return t.Block.Limit
	},
	"gaveup": func(t *board.Task) string { return string(t.AbandonedBy) },
	"asked":  func(t *board.Task) string { return strconv.Itoa(t.Asked) },
	"returns": func(t *board.Task) string {
		if t.Block == nil || t.Block.From == 0 {
			return ""
		}
		return t.Block.From.String()
	},
	"reverted": func(t *board.Task) string {
		if t.Reverted == nil {
			return ""
		}
		return cmp.Or(string(t.Reverted.Task), string(t.Reverted.By))
	},
	"status":      func(t *board.Task) string { return t.Status.String() },
	"usage":       func(t *board.Task) string { return used(t.Usage) },
	"changed":     func(t *board.Task) string { return t.Changed.Sub(dawn).String() },
	"depends":     func(t *board.Task) string { return join(t.DependsOn) },
	"goal":        func(t *board.Task) string { return string(t.Goal) },
	"sprint":      func(t *board.Task) string { return string(t.Sprint) },
	"stretch":     func(t *board.Task) string { return strconv.FormatBool(t.Stretch) },
	"saves":       func(t *board.Task) string { return strconv.Itoa(t.Saves) },
	"attempts":    func(t *board.Task) string { return strconv.Itoa(t.Attempts) },
	"totalcycles": func(t *board.Task) string { return strconv.Itoa(t.Cycles) },
	"noverdicts":  func(t *board.Task) string { return strconv.Itoa(t.Judgement(board.CodeReviewer).NoVerdicts) },
	"mergefails":  func(t *board.Task) string { return strconv.Itoa(t.MergeFails) },
	"rescoped":    func(t *board.Task) string { return strconv.Itoa(t.Generation) },
	"supersedes":  func(t *board.Task) string { return join(t.Supersedes) },
	"reverts":     func(t *board.Task) string { return join(t.Reverts) },
	"by":          func(t *board.Task) string { return join(t.SupersededBy) },
	"judges": func(t *board.Task) string {
		if t.Submission == nil {
			return ""
		}
		return join(t.Submission.ReviewBy)
	},
	"missing": func(t *board.Task) string { return join(t.Missing()) },
	"vouched": func(t *board.Task) string {
		for _, j := range t.Judgements {
			if j.Verdict != nil && j.Verdict.For != nil {
				return j.Verdict.For.Account
			}
			if j.Rejection != nil && j.Rejection.For != nil {
				return j.Rejection.For.Account
			}
		}
		return ""
	},
	"rejectedby": func(t *board.Task) string { return string(t.RejectedBy) },
	"verdicts": func(t *board.Task) string {
		var list []string
		for _, j := range t.Judgements {
			if j.Verdict != nil {
				list = append(list, string(j.Role)+":"+string(j.Verdict.By))
			}
		}
		return join(list)
	},
	"texts": func(t *board.Task) string {
		return textsOf(t, func(j board.Judgement) (read []board.TextRef) {
			if j.Review != nil {
				read = j.Review.Texts
			}
			return read
		})
	},
	"verdicttexts": func(t *board.Task) string {
		return textsOf(t, func(j board.Judgement) (read []board.TextRef) {
			if j.Verdict != nil {
				read = j.Verdict.Texts
			}
			return read
		})
	},
	"reviewers": func(t *board.Task) string {
		var list []string
		for _, j := range t.Judgements {
			if j.Review != nil {
				list = append(list, string(j.Role)+":"+string(j.Review.By))
			}
		}
		return join(list)
	},
	"lost": func(t *board.Task) string {
		var list []string
		for _, j := range t.Judgements {
			if j.NoVerdicts > 0 {
				list = append(list, string(j.Role)+":"+strconv.Itoa(j.NoVerdicts))
			}
		}
		return join(list)
	},
	"allblockers": func(t *board.Task) string {
		var list []string
		for _, b := range t.Blockers() {
			list = append(list, b.Issue)
		}
		return join(list)
	},
	"dismissed": func(t *board.Task) string {
		var list []string
		for _, j := range t.Judgements {
			if j.Rejection != nil {
				for _, d := range j.Rejection.Dismissed {
					list = append(list, d.Finding.Issue+":"+string(d.By))
				}
			}
		}
		return join(list)
	},
	"intent":  func(t *board.Task) string { return strconv.FormatBool(t.Intent != nil) },
	"handoff": func(t *board.Task) string { return strconv.FormatBool(t.Handoff != nil) },
	"failures": func(t *board.Task) string {
		var list []string
		for _, f := range t.Failures {
			list = append(list, string(f.Coder)+":"+strings.ReplaceAll(f.Reason, " ", "_"))
		}
		return join(list)
	},
	"coders": func(t *board.Task) string {
		var list []string
		for _, c := range t.Coders {
			list = append(list, strings.TrimSuffix(string(c.By)+"@"+c.Principal, "@"))
		}
		return join(list)
	},
	"coder":     attempt(func(a *board.Attempt) string { return string(a.Coder) }),
	"number":    attempt(func(a *board.Attempt) string { return strconv.Itoa(a.Number) }),
	"keep":      attempt(func(a *board.Attempt) string { return strconv.FormatBool(a.Keep) }),
	"iteration": attempt(func(a *board.Attempt) string { return strconv.Itoa(a.Iteration) }),
	"cycles":    attempt(func(a *board.Attempt) string { return strconv.Itoa(a.Cycles) }),
	"doubt":     attempt(func(a *board.Attempt) string { return string(a.Doubt) }),
	"base":      attempt(func(a *board.Attempt) string { return objectName(a.Base) }),
	"start":     attempt(func(a *board.Attempt) string { return objectName(a.Start) }),
	"fix":       attempt(func(a *board.Attempt) string { return objectName(a.Fix) }),
	"holder": func(t *board.Task) string {
		if t.Claim == nil {
			return ""
		}
		return string(t.Claim.By)
	},
	"principal": func(t *board.Task) string {
		if t.Claim == nil {
			return ""
		}
		return t.Claim.Principal
	},
	"lease": func(t *board.Task) string {
		if t.Claim == nil {
			return ""
		}
		return t.Claim.Lease.Sub(dawn).String()
	},
	"reviewer": func(t *board.Task) string {
		if t.Review() == nil {
			return ""
		}
		return string(t.Review().By)
	},
	"commit": func(t *board.Task) string {
		if t.Submission == nil {
			return ""
		}
		return objectName(t.Submission.Commit)
	},
	"approver": func(t *board.Task) string {
		if t.Verdict() == nil {
			return ""
		}
		return string(t.Verdict().By)
	},
	"blockers": func(t *board.Task) string {
		var list []string
		if t.Rejection() != nil {
			for _, b := range t.Rejection().Blockers {
				list = append(list, b.Issue)
			}
		}
		return join(list)
	},
	"failed":     func(t *board.Task) string { return strconv.FormatBool(t.Integration != nil) },
	"intended":   func(t *board.Task) string { return t.Intent.At.Sub(dawn).String() },
	"handedoff":  func(t *board.Task) string { return string(t.Handoff.By) + "@" + t.Handoff.At.Sub(dawn).String() },
	"submission": func(t *board.Task) string { return strconv.Itoa(t.Submission.Number) },
	"blocked": func(t *board.Task) string {
		if t.Block == nil {
			return ""
		}
		return t.Block.Reason
	},
	"merge": func(t *board.Task) string {
		if t.Merge == nil {
			return ""
		}
		return objectName(t.Merge.Commit)
	},
	"adopted": func(t *board.Task) string { return strconv.FormatBool(t.Merge != nil && t.Merge.Adopted) },
}

func attempt(of func(*board.Attempt) string) func(*board.Task) string {
	return func(t *board.Task) string {
		if t.Attempt == nil {
			return ""
		}
		return of(t.Attempt)
	}
}
