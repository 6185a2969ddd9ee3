package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// A Checkpoint is what happened between a checkpoint and the one before it, and what was
// decided, or is to be.
type Checkpoint struct {
	Mark      string         `json:"mark"`
	Reason    string         `json:"reason"`
	Span      CheckpointSpan `json:"span"`
	Done      []board.TaskID `json:"done"` // merged in the span
	Blocked   []BlockedTask  `json:"blocked"`
	Anomalies []AnomalyGroup `json:"anomalies"`
	Found     []Finding      `json:"discoveries"` // that were open
	Changes   []Object       `json:"spec_changes"`
	Alignment []Object       `json:"alignment"`
	Drift     int            `json:"drift"` // commits that integration had got on, in all merges of the span
	Metrics   any            `json:"metrics"`
	Decision  any            `json:"decision"` // null while there is none
	Decide    []string       `json:"decide"`   // the commands, while there is none

	news    *News
	figures *Metrics
	made    *flow.DecideMove
	by      string
}

// A CheckpointSpan is the time that a checkpoint looks back on.
type CheckpointSpan struct {
	From any `json:"from"` // null of the first one, which looks back to the board's first move
	To   any `json:"to"`
}

// A BlockedTask is a task that was blocked, with its open questions.
type BlockedTask struct {
	Task      board.TaskID `json:"task"`
	Reason    string       `json:"reason"`
	Questions []string     `json:"questions"`
}

// An AnomalyGroup is the anomalies of one type.
type AnomalyGroup struct {
	Type  board.AnomalyType `json:"type"`
	Count int               `json:"count"`
	Tasks []board.TaskID    `json:"tasks"`
}

// A Finding is a discovery that waits.
type Finding struct {
	ID      board.RecordID `json:"id"`
	Urgency string         `json:"urgency"`
	Text    string         `json:"text"`
}

// NewCheckpoint looks back from a checkpoint to the one before it. to and from are the
// boards at the two; before the first checkpoint from is nil. moves are those between,
// newest first.
func NewCheckpoint(mark string, from, to *board.Board, moves []flow.Move) *Checkpoint {
	c := &Checkpoint{Mark: mark, Reason: to.Settings().Control.Reason, Span: CheckpointSpan{To: TimeValue(to.At())},
		Blocked: []BlockedTask{}, Anomalies: []AnomalyGroup{}, Found: []Finding{}, Changes: []Object{}, Alignment: []Object{}, Decide: []string{}}
	begun := time.Time{}
	if from != nil {
		begun = from.At()
		c.Span.From = TimeValue(begun)
	}
	c.news = NewNews(begun)
	for _, m := range moves {
		c.news.Add(m)
	}
	c.Done = slices.Clone(c.news.Merged)
	c.Metrics = Object{{"merged", len(c.Done)}, {"rejected", len(c.news.Rejected)}, {"asked", len(c.news.Asked)}, {"usage", c.news.Usage}}
	for _, id := range c.Done {
		if t := to.Task(id); t != nil && t.Merge != nil {
			c.Drift += t.Merge.Drift
		}
	}
	for _, t := range to.Tasks() {
		if t.Status.IsBlocked() {
			asked := lists.Of(OpenQuestions(to, t.ID), func(q *board.Question) string { return q.Text })
			c.Blocked = append(c.Blocked, BlockedTask{t.ID, t.Reason, append([]string{}, asked...)})
		}
	}
	c.addRecords(from, to)
	c.addGoals(from, to)
	return c
}

// SetMetrics adds the metrics of the span.
func (c *Checkpoint) SetMetrics(m *Metrics) {
	c.figures = m
	counted, _ := c.Metrics.(Object)
	keys := []string{"iterations", "approval_rate", "rework_share", "merge_failures", "lead_time", "working_time", "waiting_time"}
	c.Metrics = append(counted, lists.Where(m.Value(), func(one Member) bool { return slices.Contains(keys, one.Key) })...)
}

func failedMerges(n int) string {
	if n == 0 {
		return "no merge failed"
	}
	return Count(n, "merge") + " failed"
}

// addRecords adds the anomalies and discoveries that the earlier board lacks.
func (c *Checkpoint) addRecords(from, to *board.Board) {
	isNew := func(key board.Key) bool { return from == nil || from.Load(key) == nil }
	for _, a := range board.All[*board.Anomaly](to, board.Anomalies) {
		if a.Dismissed != nil || !isNew(board.Key{Folder: board.Anomalies, ID: string(a.ID)}) {
			continue
		}
		i := slices.IndexFunc(c.Anomalies, func(g AnomalyGroup) bool { return g.Type == a.Type })
		if i < 0 {
			i = len(c.Anomalies)
			c.Anomalies = append(c.Anomalies, AnomalyGroup{Type: a.Type, Tasks: []board.TaskID{}})
		}
		g := &c.Anomalies[i]
		if g.Count++; a.Task != "" && !slices.Contains(g.Tasks, a.Task) {
			g.Tasks = append(g.Tasks, a.Task)
		}
	}
	for _, d := range board.All[*board.Discovery](to, board.Discovered) {
		if d.IsOpen(to.At()) && isNew(board.Key{Folder: board.Discovered, ID: string(d.ID)}) {
			c.Found = append(c.Found, Finding{d.ID, d.Urgency, d.Text})
		}
	}
}

// addGoals adds what was said of goals and specs since the earlier board.
func (c *Checkpoint) addGoals(from, to *board.Board) {
	for _, g := range board.All[*board.Goal](to, board.Goals) {
		var was board.Goal
		if from != nil {
			was = partOf(from.Goal(g.ID))
		}
		for _, x := range newest(was.Changes, g.Changes) {
			c.Changes = append(c.Changes, ObjectOf(&x))
		}
		for _, x := range newest(was.Alignment, g.Alignment) {
			c.Alignment = append(c.Alignment, ObjectOf(&x).With("goal", g.ID))
		}
	}
}

// newest returns what came to a history since it was as it was. A full one has lost its
// oldest entries.
func newest[T comparable](was, list []T) []T {
	kept := min(len(was), len(list))
	for !slices.Equal(was[len(was)-kept:], list[:kept]) {
		kept--
	}
	return list[kept:]
}

// decisions are the six, in the order in which a person is offered them.
var decisions = []string{"CONTINUE", "REPLAN", "ADJUST_SPECS", "ADJUST_CONTRACTS", "PIVOT", "STOP"}

// Decided says what was decided: the move and the message, nil while nobody has. Only a
// checkpoint at which the board is now can be decided: also again, when the decision was
// to stop, and the board was resumed.
func (c *Checkpoint) Decided(m *flow.Move, isNow bool) {
	switch {
	case isNow:
		c.Decide = append(c.Decide, lists.Of(decisions, func(d string) string { return "git liza checkpoint decide " + d + " --message M" })...)
	case m != nil:
		d := m.Detail.(*flow.DecideMove)
		c.made, c.by = d, fmt.Sprintf("%s by %s", m.At.Format(Stamp), m.By)
		c.Decision = Object{{"decision", d.Decision}, {"message", d.Message}, {"goal", m.Goal}, {"by", m.By}, {"at", TimeValue(m.At)}}
	}
}

// Text formats the checkpoint for people.
func (c *Checkpoint) Text(width int) string {
	var head Table
	head.Add("checkpoint", c.Mark+"  "+c.Reason)
	from := "the board's beginning"
	if !c.news.from.IsZero() {
		from = c.news.from.Format(Stamp)
	}
	head.Add("since", from)
	head.Add("done", fmt.Sprintf("%d merged, %d rejected, drift %d", len(c.Done), len(c.news.Rejected), c.Drift))
	if c.news.used.Usage.Sessions > 0 {
		head.Add("used", c.news.used.Words())
	}
	if m := c.figures; m != nil && m.Iterations > 0 {
		head.Add("work", fmt.Sprintf("%s, %s rework; %s; verdicts: %s", Count(m.Iterations, "iteration"), shareText(m.Rework), failedMerges(m.Failures), verdictsText(m.Report)))
	}
	if m := c.figures; m != nil && m.LeadTime.Count > 0 {
		head.Add("lead time", spreadText(m.LeadTime, ""))
	}
	if c.made != nil {
		head.Add("decided", fmt.Sprintf("%s  %s: %s", c.by, c.made.Decision, FirstLine(c.made.Message)))
	}
	var text strings.Builder
	text.WriteString(head.Text(width))
	put := func(heading string, rows [][]string) { text.WriteString(section(heading, rows, width)) }
	if len(c.Done) > 0 {
		put("merged", [][]string{{JoinIDs(c.Done)}})
	}
	var rows [][]string
	for _, b := range c.Blocked {
		rows = append(rows, []string{string(b.Task), FirstLine(b.Reason)})
		rows = append(rows, lists.Of(b.Questions, func(q string) []string { return []string{"", "asks: " + FirstLine(q)} })...)
	}
	put("blocked", rows)
	put("anomalies", lists.Of(c.Anomalies, func(g AnomalyGroup) []string { return []string{g.Type.String(), fmt.Sprint(g.Count), JoinIDs(g.Tasks)} }))
	put("discoveries", lists.Of(c.Found, func(d Finding) []string { return []string{string(d.ID), d.Urgency, FirstLine(d.Text)} }))
	said := func(of, text string) func(Object) []string {
		return func(x Object) []string { return []string{fmt.Sprint(x.Find(of)), FirstLine(fmt.Sprint(x.Find(text)))} }
	}
	put("changes of specs", lists.Of(c.Changes, said("spec", "change")))
	put("alignment", lists.Of(c.Alignment, said("goal", "text")))
	put("to decide", lists.Of(c.Decide, func(command string) []string { return []string{command} }))
	return text.String()
}
