package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// An Outcome is how a session ended, by what the program says of it. The supervisor
// decides by the board.
type Outcome uint8

// The outcomes.
const (
	// Ended: its records say that it succeeded, or, with plain text, it exited with 0.
	Ended Outcome = iota + 1
	// Exhausted: with plain text, it exited with 42: its context is used up. Or it was
	// so full that the session was asked for a handoff, or ended.
	Exhausted
	// Crashed: with plain text, it exited with another code or was killed by a signal.
	Crashed
	// Hung: it wrote nothing for too long, or took too long.
	Hung
	// Canceled: the caller ended it.
	Canceled
	// Failed: its records say that it failed or that tools were denied to it, or they
	// have no end.
	Failed
)

// exhaustedExit is the exit code by which a program says that its context is used
// up and that it wants to be spawned again. A row may name another one beside it.
const exhaustedExit = 42

// An Ending is how a session ended. Nothing in it shows a secret of the
// program's environment.
type Ending struct {
	Outcome Outcome
	Excerpt string            // for people: the beginning and the end of its output
	Text    string            // for people, in a few words: exit 1 after 3s
	Report  transcript.Report // what its records say
	Trouble *Trouble          // what kept the provider from working, whatever the task; nil is nothing
	Refused string            // why the supervisor refused to report what the agent asked it to
}

// Complaint is what the agent should know of the ending before its next session: ""
// or lines that each begin with a line feed.
func (e Ending) Complaint() string {
	text := ""
	if len(e.Report.Denied) > 0 {
		text += "\nTools were denied to it: " + strings.Join(e.Report.Denied, "; ") + ". They will be denied again: do without them, or say what you need."
	}
	if e.Refused != "" {
		text += "\n" + e.Refused
	}
	return text
}

// judgeEnding judges by its records how a program ended. The exit code counts only if
// it writes plain text: programs with records exit with 0 after tools were denied to
// them, and with an error after they did their work.
func (p Provider) judgeEnding(r proc.Result, s Spawn, c *capture, report transcript.Report) Ending {
	e := Ending{Excerpt: c.excerpt(report), Text: describeExit(r, s), Report: report}
	switch {
	case r.Reason == proc.Finished:
		e.Outcome, e.Report.Error = Ended, ""
	case report.End == transcript.Succeeded && len(report.Denied) == 0 && !c.cutShort(r):
		e.Outcome = Ended // however the process ended after its end record
	case r.Reason == proc.Canceled:
		e.Outcome = Canceled
	case r.Reason == proc.IdleLimit || r.Reason == proc.WallLimit:
		e.Outcome = Hung
	case report.End == transcript.Unmarked:
		e.Outcome = p.exitOutcome(r)
	default:
		e.Outcome = Failed
		e.Text += ", " + describeFailure(report)
	}
	if e.Outcome == Failed || e.Outcome == Crashed || e.Outcome == Hung {
		words := report.Error + "\n" + c.errs.Text()
		if report.End == transcript.Unmarked {
			words = c.all.Text()
		}
		e.Trouble = p.FindTrouble(words, time.Now())
		if e.Trouble == nil && r.Reason == proc.IdleLimit && p.Tokens == CountsCalls && report.Usage.Input+report.Usage.Output == 0 {
			// Some wait within for as long as a limit lasts, and print nothing.
			e.Trouble = &Trouble{Kind: Outage, Text: "its model answered nothing for " + s.Idle.String()}
		}
	}
	return e
}

// exitOutcome is the outcome of a program that writes plain text.
func (p Provider) exitOutcome(r proc.Result) Outcome {
	switch {
	case r.Passed():
		return Ended
	case r.Reason == proc.Exited && (r.Code == exhaustedExit || strconv.Itoa(r.Code) == p.Handoff):
		return Exhausted
	}
	return Crashed
}

// describeFailure says in a few words why the records do not tell of success.
func describeFailure(report transcript.Report) string {
	first, _, _ := strings.Cut(report.Error, "\n")
	if len(first) > 200 {
		first = strings.ToValidUTF8(first[:200], "") + "…"
	}
	switch {
	case report.End == transcript.NoEnd && first != "":
		return "without an end record: " + first
	case report.End == transcript.NoEnd:
		return "without an end record"
	case report.End == transcript.Failed && first != "":
		return "its end record says: " + first
	case report.End == transcript.Failed:
		return "its end record says that it failed"
	}
	return "tools were denied: " + strings.Join(report.Denied[:min(len(report.Denied), 3)], ", ")
}

// describeExit says in a few words how the process ended.
func describeExit(r proc.Result, s Spawn) string {
	took := r.Duration.Round(time.Second)
	switch r.Reason {
	case proc.IdleLimit:
		return fmt.Sprintf("ended after %s without output", s.Idle)
	case proc.WallLimit:
		return fmt.Sprintf("ended after %s, the time limit", s.Wall)
	case proc.Canceled:
		return "called off"
	case proc.Finished:
		return fmt.Sprintf("ended at its move after %s", took)
	case proc.Signaled:
		return fmt.Sprintf("killed by signal %d after %s", r.Code-128, took)
	}
	return fmt.Sprintf("exit %d after %s", r.Code, took)
}

// A Trouble keeps a provider from working, whatever the task.
type Trouble struct {
	Kind  TroubleKind
	Until time.Time // its end, as the program's output says; zero if that does not say
	Text  string    // what the program printed
	Rate  bool      // of a quota: too many requests came at once, and soon there may be more
}

// A TroubleKind says what is wrong with a provider.
type TroubleKind uint8

// The kinds.
const (
	Quota  TroubleKind = iota + 1 // its quota is used up
	Outage                        // its service does not answer
	Login                         // no user is logged in
)

var troubleNames = [...]string{Quota: "quota", Outage: "outage", Login: "login"}

// String is the kind's name: quota, outage or login.
func (k TroubleKind) String() string {
	if k < Quota || int(k) >= len(troubleNames) {
		return fmt.Sprintf("trouble %d", uint8(k))
	}
	return troubleNames[k]
}

// MarshalText writes [TroubleKind.String].
func (k TroubleKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText accepts exactly the names of [TroubleKind.String].
func (k *TroubleKind) UnmarshalText(text []byte) error {
	i := slices.Index(troubleNames[:], string(text))
	if i < int(Quota) {
		return fmt.Errorf("%q is no trouble of a provider", text)
	}
	*k = TroubleKind(i)
	return nil
}
