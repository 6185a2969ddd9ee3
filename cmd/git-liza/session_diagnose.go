package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/diagnosis"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
	"github.com/git-liza/git-liza/worktrees"
)

type sessionDiagnoseCommand struct {
	What  string `arg:"" optional:"" help:"A task, a session (its id, or an agent for its last one), or - for standard input; default: all that failed last."`
	Steps bool   `name:"run" help:"Run the steps of the plan that only read, and ask on a terminal about each of the others."`
}

func (c *sessionDiagnoseCommand) Run(inv *invocation) error {
	if c.Steps && c.What == "" {
		return usagef("git liza session diagnose", "--run takes the plan of one task or session: name it")
	}
	if c.What == "-" {
		return c.input(inv)
	}
	l, err := inv.look()
	if err != nil {
		return err
	}
	d := diagnoser{inv, l}
	about, others, err := d.sources(c.What)
	if err != nil {
		return err
	}
	return c.answer(inv, d, about, others)
}

// mostInput bounds what is read of the beginning of standard input and again of its end, in
// bytes.
const mostInput = 512 << 10

// input diagnoses standard input, which needs no blackboard.
func (c *sessionDiagnoseCommand) input(inv *invocation) error {
	printed := proc.NewClip(mostInput)
	mask := secret.New(inv.environ).Writer(printed)
	if _, err := io.Copy(mask, inv.stdin); err != nil {
		return usagef("git liza help session diagnose", "standard input: %v", err)
	}
	_ = mask.Close() // a clip takes everything
	return c.answer(inv, diagnoser{inv: inv}, []diagnosis.Source{{Name: "standard input", Text: printed.Bytes()}}, nil)
}

// answer reads the sources, and runs the plan if that is wanted. The errors of others are
// compared with theirs.
func (c *sessionDiagnoseCommand) answer(inv *invocation, d diagnoser, about, others []diagnosis.Source) error {
	causes, err := customCauses(inv)
	if err != nil {
		return err
	}
	found := view.Diagnosis{About: c.What, Texts: []diagnosis.Report{}, Plan: []diagnosis.Step{}}
	for _, s := range about {
		found.Texts = append(found.Texts, diagnosis.Read(s, causes...))
	}
	all := slices.Clone(found.Texts)
	for _, s := range others {
		all = append(all, diagnosis.Read(s, causes...))
	}
	found.Alike = diagnosis.Compare(all)
	if main := found.Main(); main != nil && c.What != "" {
		found.Plan = d.plan(main)
	}
	if !c.Steps {
		return pager{inv}.present(found, found.Text(inv.width()))
	}
	if !inv.json {
		if err := inv.answer("", nil, found.Text(inv.width())); err != nil {
			return err
		}
	}
	found.Ran, err = d.run(found.Plan)
	if err != nil || !inv.json {
		return err
	}
	return inv.answer("", found, "")
}

// customCauses are those of the extensions of the main work tree.
func customCauses(inv *invocation) (list []*diagnosis.Cause, err error) {
	extensions, _, err := readExtensions(inv)
	if errors.Is(err, git.ErrNoRepository) || errors.Is(err, worktrees.ErrNoWorkTree) {
		return nil, nil
	}
	for _, e := range extensions {
		if len(e.Wrong) > 0 {
			continue // git liza check says what is wrong
		}
		for _, one := range e.Causes { // the later one of a name lies above
			list = slices.DeleteFunc(list, func(c *diagnosis.Cause) bool { return c.ID == one.ID })
			list = append(list, one)
		}
	}
	return list, err
}

// A diagnoser collects what a diagnosis reads, from the board and the sessions of a clone.
type diagnoser struct {
	inv *invocation
	look
}

// The most sessions that are read: of a task, and of the clone to compare them with.
const (
	mostOfTask = 5
	mostOfAll  = 20
)

// wellEnded are outcomes of sessions after which nothing is to be explained.
var wellEnded = []string{"submitted", "approved", "rejected", "blocked", "handoff", "planned", "called_off", "killed"}

// sources returns the texts about a task, a session or all that failed last, newest first,
// and those to compare them with.
func (d diagnoser) sources(what string) (about, others []diagnosis.Source, err error) {
	list, err := gitstore.Sessions(d.inv.ctx, d.clone.Repo, gitstore.SessionFilter{})
	if err != nil {
		return nil, nil, err
	}
	failed := slices.DeleteFunc(slices.Clone(list), func(rec gitstore.SessionRecord) bool { return slices.Contains(wellEnded, rec.Outcome) })
	failed = failed[:min(len(failed), mostOfAll)]
	if what == "" {
		return slices.Concat(d.read(failed), d.failedTasks(), d.failedLevels()), nil, d.inv.ctx.Err()
	}
	var id board.TaskID
	isTask := board.AgentID(what).Role() == "" && id.UnmarshalText([]byte(what)) == nil
	if isTask && d.reading.Board.Task(id) == nil {
		_, err := d.clone.Repo.ParseCommit(d.inv.ctx, what)
		isTask = err != nil
	}
	isMine := func(rec gitstore.SessionRecord) bool { return rec.Task == id }
	if !isTask {
		session, err := (&sessionShowCommand{ID: what}).find(d.inv, d.clone.Repo)
		if err != nil {
			return nil, nil, err
		}
		isMine = func(rec gitstore.SessionRecord) bool { return rec.ID == session }
	}
	own := slices.DeleteFunc(list, func(rec gitstore.SessionRecord) bool { return !isMine(rec) })
	about, others = d.read(own[:min(len(own), mostOfTask)]), d.read(slices.DeleteFunc(failed, isMine))
	if !isTask {
		if len(own) == 0 {
			return nil, nil, (&sessionShowCommand{}).none(board.Excerpt(what, 80) + " is no session")
		}
		return about, others, d.inv.ctx.Err()
	}
	t, err := d.task(id)
	if err != nil {
		return nil, nil, err
	}
	said, err := d.log(id)
	about = slices.Concat(about, d.ofTask(t), said)
	slices.SortStableFunc(about, func(x, y diagnosis.Source) int { return y.At.Compare(x.At) })
	return about, others, err
}

// read reads what sessions printed. Of a session that cannot be read the error is left.
func (d diagnoser) read(list []gitstore.SessionRecord) (sources []diagnosis.Source) {
	for _, rec := range list {
		s := diagnosis.Source{Name: fmt.Sprintf("session %s of %s", rec.ID.Short(), rec.Agent), Task: string(rec.Task), Session: rec.ID.Short(), At: rec.Ended, Error: rec.Error}
		if rec.Outcome == "hung" {
			s.Error = strings.TrimSpace("the session was hung: " + cmp.Or(rec.Error, rec.Ending))
		}
		_, _, s.Text, _ = gitstore.Session(d.inv.ctx, d.clone.Repo, rec.ID)
		sources = append(sources, s)
	}
	return sources
}

// failedTasks are the texts that the board has of open tasks that failed somehow.
func (d diagnoser) failedTasks() (list []diagnosis.Source) {
	for _, s := range d.reading.Board.Tasks() {
		if t := d.reading.Board.Task(s.ID); t != nil && !t.Status.Final() {
			list = append(list, d.ofTask(t)...)
		}
	}
	return list
}

// failedLevels are the receipts of gates that a level failed of a goal in progress.
func (d diagnoser) failedLevels() (list []diagnosis.Source) {
	for _, g := range d.reading.Board.GoalsInProgress() {
		if l := board.LastLevel(d.reading.Board, g.ID); l != nil && !l.Passed {
			for _, r := range l.Receipts {
				list = append(list, diagnosis.Source{Name: fmt.Sprintf("receipt of %s at level %d of %s", r.Gate, l.Number, g.ID), Text: []byte(r.Output), At: l.At})
			}
		}
	}
	return list
}

// ofTask are the texts that the board has of a task: receipts of commands that failed, a
// failure to merge, and the blockers of rejections.
func (d diagnoser) ofTask(t *board.Task) (list []diagnosis.Source) {
	add := func(name, text string) *diagnosis.Source {
		list = append(list, diagnosis.Source{Name: name + " of " + string(t.ID), Task: string(t.ID), Text: []byte(text)})
		return &list[len(list)-1]
	}
	if s := t.Submission; s != nil {
		receipts := slices.Clone(s.Gates)
		if s.Receipt != nil {
			receipts = append(receipts, *s.Receipt)
		}
		for _, r := range receipts {
			if !r.HasPassed() && r.Result != board.Skipped {
				one := add("receipt of "+r.Gate, r.Output)
				one.At, one.Error = s.At, fmt.Sprintf("%s: %s, exit code %d", r.Gate, r.Result, r.Exit)
			}
		}
	}
	if i := t.Integration; i != nil {
		text := i.Output
		for _, path := range i.Paths {
			text += "\nCONFLICT (content): Merge conflict in " + path // as git names it
		}
		one := add("merge", text)
		if one.At = i.At; i.Gate != "" {
			one.Error = "the gate " + i.Gate + " failed on the merged work"
		}
	}
	for _, j := range t.Judgements {
		if r := j.Rejection; r != nil && len(r.Blockers) > 0 {
			text := r.Overall
			for _, f := range r.Blockers {
				text += "\n" + f.Issue + "\n" + f.Why
			}
			add("rejection", text).At = r.At
		}
		if j.Error != "" {
			add("lost review", "").Error = j.Error
		}
	}
	if r := t.Retry; r != nil && r.Error != "" {
		add("last failed claim", "").Error = r.Error
	}
	if b := t.Block; b != nil {
		one := add("block", b.Reason)
		one.At, one.Error = b.At, strings.TrimPrefix(string(b.Limit)+": "+b.Reason, ": ")
	}
	return list
}

// mostMoves is how many of the last moves on a task are looked at.
const mostMoves = 200

// log are the errors of sessions and the details of anomalies in the moves on a task.
func (d diagnoser) log(id board.TaskID) (list []diagnosis.Source, err error) {
	seen := 0
	err = d.historyOf(d.inv, id, func(e gitstore.Event) bool {
		seen++
		s := diagnosis.Source{Task: string(id), At: e.Move.At}
		switch m := e.Move.Detail.(type) {
		case *flow.SessionMove:
			s.Name, s.Error = "log: session of "+string(e.Move.By), m.Error
			if m.Record != "" {
				s.Error = "" // its record was read
			}
		case *flow.AnomalyMove:
			s.Name = "log: anomaly " + m.Type.String()
			for _, key := range slices.Sorted(maps.Keys(m.Details)) {
				s.Text = append(s.Text, m.Details[key]+"\n"...)
			}
		}
		if s.Error != "" || len(s.Text) > 0 {
			list = append(list, s)
		}
		return seen < mostMoves
	})
	return list, err
}
