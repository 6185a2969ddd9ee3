package flow

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// AnomalyMove records something that went against the plan.
type AnomalyMove struct {
	Type    board.AnomalyType `yaml:"type"`
	About   board.TaskID      `yaml:"about"` // the task
	Details map[string]string `yaml:"details"`
}

func (a *AnomalyMove) subject() string { return a.Type.String() }

func (a *AnomalyMove) fill(p *play) { a.About = recordsAbout(p, a.About) }

func (a *AnomalyMove) check(p *play) *Refusal {
	if a.Type == 0 {
		return refuse(RuleForm, "git liza help record anomaly", "an anomaly has a type, one of %v", board.AnomalyNames[1:])
	}
	details := lists.Of(a.Type.Required(), func(key string) string { return " --detail " + key + "=V" })
	hint := "git liza record anomaly " + a.Type.String() + " --task ID" + strings.Join(details, "")
	if a.About != "" && p.board.Task(a.About) == nil {
		return refuse(RuleNotFound, "git liza list --all", "there is no task %s", a.About)
	}
	for _, key := range a.Type.Required() {
		if a.Details[key] == "" {
			return refuse(RuleForm, hint, "an anomaly %s needs the detail %s", a.Type, key)
		}
	}
	if work := recordsAbout(p, a.About); work != a.About {
		return refuse(RuleForm, hint, "%s works on %s: its anomalies name it", p.move.By, work)
	}
	return nil
}

func (a *AnomalyMove) apply(p *effect) {
	p.recordAnomaly(a.Type, a.About, maps.Clone(a.Details))
}

// doubt puts a doubt about the attempt of a task in the place of another one; of "" in that of any.
func doubt(p *effect, id board.TaskID, was, is board.RecordID) {
	if t, live := p.board.Load(board.Key{Folder: board.Tasks, ID: string(id)}).(*board.Task); live && t.Attempt != nil && (was == "" || t.Attempt.Doubt == was) {
		t = t.Clone()
		t.Attempt.Doubt = is
		p.keep(t)
	}
}

// trusted refuses to agents the verdicts on a task, and its merge, while there is doubt
// whether all processes are known for what they are that began in a session on it, or
// whether what was judged is the submission.
func trusted(p *play) *Refusal {
	a := p.task.Attempt
	if a == nil || a.Doubt == "" || p.move.By.IsHuman() {
		return nil
	}
	return refuse(RuleDoubt, "git liza record dismiss "+string(a.Doubt)+" --reason R",
		"%s: a person approves %s, or looks at it and dismisses %s", p.board.Doubt(p.task.ID, a.Doubt), p.task.ID, a.Doubt)
}

// DiscoverMove records work or risk that was found during a task.
type DiscoverMove struct {
	Text      string       `yaml:"text"`
	Severity  string       `yaml:"severity"`
	Urgency   string       `yaml:"urgency"`
	During    board.TaskID `yaml:"during"`
	Recommend string       `yaml:"recommend"`
}

func (d *DiscoverMove) subject() string { return "" }

func (d *DiscoverMove) fill(p *play) { d.During = recordsAbout(p, d.During) }

func (d *DiscoverMove) check(p *play) *Refusal {
	hint := "git liza record discovery TEXT --severity medium --urgency deferred"
	if r := present("the text", d.Text, hint); r != nil {
		return r
	}
	if !slices.Contains([]string{"low", "medium", "high", "critical"}, d.Severity) {
		return refuse(RuleForm, hint, "%q is no severity: low, medium, high or critical", board.Clip(d.Severity))
	}
	if !slices.Contains([]string{"immediate", "deferred"}, d.Urgency) {
		return refuse(RuleForm, hint, "%q is no urgency: immediate or deferred", board.Clip(d.Urgency))
	}
	if d.During != "" && p.board.Task(d.During) == nil {
		return refuse(RuleNotFound, "git liza list --all", "there is no task %s", d.During)
	}
	if work := recordsAbout(p, d.During); work != d.During {
		return refuse(RuleForm, hint+" --during "+string(work), "%s works on %s: its discoveries name it", p.move.By, work)
	}
	return nil
}

func (d *DiscoverMove) apply(p *effect) {
	p.record(board.Discovered, func(id board.RecordID) board.Document {
		return &board.Discovery{ID: id, Text: d.Text, Severity: d.Severity, Urgency: d.Urgency, During: d.During,
			Recommend: d.Recommend, By: p.move.By, At: p.move.At}
	})
}

// ConvertMove turns a discovery into a task.
type ConvertMove struct {
	Discovery board.RecordID  `yaml:"discovery"`
	Input     board.TaskInput `yaml:"input"`
	Texts     texts           `yaml:"texts"` // new ones that the task stands on
}

func (c *ConvertMove) subject() string { return string(c.Discovery) }

func (c *ConvertMove) ask(_ Move, b *board.Board) Query {
	return askTextsOf(b, []board.TaskInput{c.Input})
}

func (c *ConvertMove) fill(p *play) { c.Texts = enteredTexts(p) }

func (c *ConvertMove) check(p *play) *Refusal {
	d, ok := p.board.Load(board.Key{Folder: board.Discovered, ID: string(c.Discovery)}).(*board.Discovery)
	if !ok {
		return refuse(RuleNotFound, "git liza record list discoveries --all", "there is no discovery %s", c.Discovery)
	}
	if d.Converted != "" {
		return refuse(RuleExists, "git liza show "+string(d.Converted), "%s has become %s already", d.ID, d.Converted)
	}
	return cmp.Or(p.enterTasks([]board.TaskInput{c.Input}, nil), checkRecorded(p, c.Texts))
}

func (c *ConvertMove) apply(p *effect) {
	key := board.Key{Folder: board.Discovered, ID: string(c.Discovery)}
	d := *p.board.Load(key).(*board.Discovery)
	d.Converted = c.Input.ID
	p.put(key, &d)
	reopenReverted(p, c.Input)
}

// NoteMove leaves a message for an agent, a role, the workers of a task or all.
type NoteMove struct {
	For     string    `yaml:"for"`
	Text    string    `yaml:"text"`
	Expires time.Time `yaml:"expires"` // when prompts no longer repeat it; zero: never
}

func (n *NoteMove) subject() string { return "" }

func (n *NoteMove) check(p *play) *Refusal {
	hint := "git liza note TEXT --for all"
	if r := present("the text", n.Text, hint); r != nil {
		return r
	}
	if !n.Expires.IsZero() && !n.Expires.After(p.move.At) {
		return refuse(RuleForm, hint+" --until 3d", "the note would expire at %s, which is over", n.Expires.Format(time.RFC3339))
	}
	known := n.For == "all" || p.board.Role(board.AgentID(n.For).Role()) != nil || p.board.Role(board.Role(n.For)) != nil ||
		board.ValidID(n.For) && p.board.Task(board.TaskID(n.For)) != nil
	if !known {
		return refuse(RuleNotFound, hint, "%q is neither all, a role, an agent id nor a task", board.Clip(n.For))
	}
	return nil
}

func (n *NoteMove) apply(p *effect) {
	p.record(board.Notes, func(id board.RecordID) board.Document {
		return &board.Note{ID: id, For: n.For, Text: n.Text, Expires: n.Expires, By: p.move.By, At: p.move.At}
	})
}

// recordReplacement records that a task is blocked which replaces another one.
func recordReplacement(p *effect, reason string) {
	if t := p.task; t.Generation != 0 {
		p.recordAnomaly(board.ReplacementBlocked, t.ID, map[string]string{"replaces": joinIDs(t.Supersedes), "reason": board.Clean(board.Clip(reason))})
	}
}

// recordChurn records the fourth rejection of a task.
func recordChurn(p *effect, role board.Role) {
	if t := p.task; t.Cycles == 4 {
		p.recordAnomaly(board.ReviewChurn, t.ID, map[string]string{"rejections": strconv.Itoa(t.Cycles), "role": string(role)})
	}
}
