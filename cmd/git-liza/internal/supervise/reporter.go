package supervise

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/document"
)

// reportsForAgent reports whether the supervisor commits and reports for the agent: the
// provider keeps the agent from doing so, the session ended well, and the agent made no
// move itself.
func (w *worker) reportsForAgent(a *assignment, ending provider.Ending, b *board.Board) bool {
	return w.provider.Commit == provider.BySupervisor && ending.Outcome == provider.Ended && a.stageOn(b, w.id, w.generation) == held &&
		(a.task != nil || len(remainingTriggers(a.triggers, flow.Triggers(b))) == len(a.triggers))
}

// makeReport makes the moves that the agent's last message asks for, and returns the
// board after them. A refusal goes into the next prompt.
func (w *worker) makeReport(ctx context.Context, a *assignment, ending *provider.Ending) (*board.Board, error) {
	err := (&reporter{w.registration, a}).report(ctx, ending.Report.Text)
	var refusal *flow.Refusal
	var wrong *wrongReport
	var malformed *document.Error
	switch {
	case err == nil || isSetback(err):
	case errors.As(err, &refusal):
		ending.Refused = "What your last message reports was refused: " + refusal.Reason + "; " + refusal.Hint
		ending.Text += ", its report was refused: " + refusal.Reason
	case errors.As(err, &wrong), errors.As(err, &malformed):
		ending.Refused = "Your last message is no report: " + err.Error()
		ending.Text += ", its last message is no report: " + err.Error()
	default:
		return nil, err
	}
	ending.Refused, ending.Text = w.rush.mask.String(ending.Refused), w.rush.mask.String(ending.Text)
	w.log.note("\n--- %s\n", ending.Text)
	return w.boardAfterSession(ctx)
}

// A reporter makes the moves that an agent's last message asks for, as the agent.
type reporter struct {
	*registration
	assignment *assignment
}

func (p *reporter) report(ctx context.Context, message string) error {
	if p.assignment.question != nil {
		return p.reportAnswer(ctx, message)
	}
	switch p.assignment.capacity {
	case board.Does:
		return p.reportWork(ctx, message)
	case board.Judges:
		return p.reportVerdict(ctx, message)
	}
	return p.reportPlan(ctx, message)
}

// A wrongReport says why a message is not a report of the role.
type wrongReport struct{ reason string }

func (w *wrongReport) Error() string { return w.reason }

// reportFence matches the beginning of a report's block in a message. In a quoted diff or in
// an indented block it is not at the beginning of a line.
var reportFence = pattern.Late("(?m)^```liza[ \t]*\n")

// readReport fills v from the fenced block called liza of a message, or from the whole
// message if it has no block. It refuses two blocks: one of them may be quoted from
// what the agent has read.
func readReport(message string, v any) error {
	text := message
	switch at := reportFence().FindAllStringIndex(message, -1); len(at) {
	case 0:
	case 1:
		block := message[at[0][1]:]
		end := strings.Index("\n"+block, "\n```")
		if end < 0 {
			return &wrongReport{"the block ```liza has no end"}
		}
		text = block[:end]
	default:
		return &wrongReport{"it has several blocks ```liza; write one, and quote none"}
	}
	if strings.TrimSpace(text) == "" {
		return &wrongReport{"there is none; end with a block ```liza"}
	}
	return document.Decode("report", []byte(text), v)
}

// A workReport is how a coder's session ends: with work, with questions, or with a
// handoff.
type workReport struct {
	Summary        string   `yaml:"summary"`
	Validation     string   `yaml:"validation"`
	Files          []string `yaml:"files"`
	Assumptions    []string `yaml:"assumptions"`
	Risks          []string `yaml:"risks"`
	Extend         []string `yaml:"extend"`
	Removes        []string `yaml:"removes"`
	TestsNotNeeded string   `yaml:"tests_not_needed"`

	Blocked   string     `yaml:"blocked"` // "" for questions alone
	Questions []string   `yaml:"questions"`
	To        board.Role `yaml:"to"`
	Attempted []string   `yaml:"attempted"`

	Handoff *board.Handoff `yaml:"handoff"`
}

func (p *reporter) reportWork(ctx context.Context, message string) error {
	var r workReport
	if err := readReport(message, &r); err != nil {
		return err
	}
	id := p.assignment.taskID()
	switch {
	case r.Blocked != "" || len(r.Questions) > 0 && r.Summary == "":
		_, err := p.clone.Block(ctx, id, flow.BlockMove{Reason: r.Blocked, Questions: r.Questions, Attempted: r.Attempted, To: r.To})
		return err
	case r.Handoff != nil:
		_, err := p.clone.Make(ctx, board.ActHandoff, id, &flow.HandoffMove{Handoff: *r.Handoff})
		return err
	case r.Summary == "":
		return &wrongReport{"it needs summary and validation, or questions, or handoff"}
	}
	// The intent comes first: it names what may be committed beyond the task's own
	// paths.
	_, err := work.Intend(ctx, p.clone, id, board.Intent{Summary: strings.TrimSpace(r.Summary),
		Validation: strings.TrimSpace(r.Validation), Files: r.Files, Assumptions: r.Assumptions, Risks: r.Risks, Extend: r.Extend, Removes: r.Removes,
		TestsNotNeeded: strings.TrimSpace(r.TestsNotNeeded)})
	if err != nil {
		return err
	}
	if err := p.commitWork(ctx, r.Summary); err != nil {
		return err
	}
	_, err = p.clone.Submit(ctx, id, "")
	return err
}

// commitWork commits everything in the worktree as the agent's work.
func (p *reporter) commitWork(ctx context.Context, message string) error {
	env, remove, err := p.environment(ctx, p.assignment)
	if err != nil {
		return err
	}
	defer remove()
	return p.clone.Checkouts.Commit(ctx, p.assignment.taskID(), p.assignment.dir, message, env)
}

// An answerReport is how a session ends that looks for an answer.
type answerReport struct {
	Answer string `yaml:"answer"`
}

func (p *reporter) reportAnswer(ctx context.Context, message string) error {
	var r answerReport
	if err := readReport(message, &r); err != nil {
		return err
	}
	if r.Answer == "" {
		return &wrongReport{"it needs answer"}
	}
	return p.makeMove(ctx, board.ActAnswer, &flow.AnswerMove{Question: p.assignment.question.ID, Text: r.Answer})
}

// A verdictReport is how a code-reviewer's session ends.
type verdictReport struct {
	Verdict        string `yaml:"verdict"` // approve or reject
	Message        string `yaml:"message"`
	Findings       string `yaml:"findings"` // as the text that git liza reject takes
	board.Feedback `yaml:",inline"`
}

func (p *reporter) reportVerdict(ctx context.Context, message string) error {
	var r verdictReport
	if err := readReport(message, &r); err != nil {
		return err
	}
	switch r.Verdict {
	case "approve":
		_, err := p.clone.Verdict(ctx, board.ActApprove, p.assignment.taskID(), &flow.ApproveMove{Commit: p.assignment.reviewedCommit(), Message: r.Message})
		return err
	case "reject":
	default:
		return &wrongReport{fmt.Sprintf("verdict is approve or reject, not %q", r.Verdict)}
	}
	if r.Findings != "" {
		var err error
		if r.Feedback, err = board.ParseFeedback(r.Findings); err != nil {
			return &wrongReport{"findings: " + err.Error()}
		}
	}
	_, err := p.clone.Verdict(ctx, board.ActReject, p.assignment.taskID(), &flow.RejectMove{Commit: p.assignment.reviewedCommit(), Feedback: r.Feedback})
	return err
}
