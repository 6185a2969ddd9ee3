package provider

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
)

// An Outcome is what the end of a session claims; the supervisor believes the
// board.
type Outcome uint8

// The outcomes.
const (
	// Ended: its records say that it ended well; of plain text, exit 0.
	Ended Outcome = iota + 1
	// Exhausted: plain text only, exit 42: its context is used up.
	Exhausted
	// Crashed: plain text only, any other exit, or a signal.
	Crashed
	// Hung: it was silent for too long, or took too long.
	Hung
	// Canceled: the caller called it off.
	Canceled
	// Failed: its records say that it failed, that tools were denied to it, or
	// nothing of its end.
	Failed
)

// exhausted is the exit code by which a program says that its context is used
// up and that it wants to be spawned again.
const exhausted = 42

// An Ending is how a session ended. Nothing in it shows a secret of the
// program's environment.
type Ending struct {
	Outcome Outcome
	Excerpt string            // for people: the beginning and the end of what it said
	Text    string            // for people, in a few words: exit 1 after 3s
	Report  transcript.Report // what its records say
	Trouble *Trouble          // what kept the provider, not the task, from working; nil if nothing
	Refused string            // why what it asked its supervisor to report was not reported
}

// Complaint is what the agent should know of the ending before it tries again:
// "" or lines that each begin with a line feed.
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

// ending judges how a program ended by its records. Its exit code counts only
// where it writes plain text: others exit 0 after they were denied what they
// needed, and with an error after they did their work.
func (p Provider) ending(r proc.Result, s Spawn, said *ear, report transcript.Report) Ending {
	e := Ending{Excerpt: said.excerpt(report), Text: describe(r, s), Report: report}
	switch {
	case report.End == transcript.Succeeded && len(report.Denied) == 0 && !said.forced(r, s):
		e.Outcome = Ended // whatever became of the process afterwards
	case r.Reason == proc.Canceled:
		e.Outcome = Canceled
	case r.Reason == proc.IdleLimit || r.Reason == proc.WallLimit:
		e.Outcome = Hung
	case report.End == transcript.Unmarked:
		e.Outcome = plain(r)
	default:
		e.Outcome = Failed
		e.Text += ", " + failure(report)
	}
	if e.Outcome == Failed || e.Outcome == Crashed || e.Outcome == Hung {
		words := report.Error + "\n" + said.errs.Text()
		if report.End == transcript.Unmarked {
			words = said.said.Text()
		}
		e.Trouble = p.Trouble(words, time.Now())
	}
	return e
}

// plain is what an exit code claims.
func plain(r proc.Result) Outcome {
	switch {
	case r.Passed():
		return Ended
	case r.Reason == proc.Exited && r.Code == exhausted:
		return Exhausted
	}
	return Crashed
}

// failure says in a few words why records do not speak of success.
func failure(report transcript.Report) string {
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

func describe(r proc.Result, s Spawn) string {
	took := r.Duration.Round(time.Second)
	switch r.Reason {
	case proc.IdleLimit:
		return fmt.Sprintf("ended after %s without output", s.Idle)
	case proc.WallLimit:
		return fmt.Sprintf("ended after %s, the time limit", s.Wall)
	case proc.Canceled:
		return "called off"
	case proc.Signaled:
		return fmt.Sprintf("killed by signal %d after %s", r.Code-128, took)
	}
	return fmt.Sprintf("exit %d after %s", r.Code, took)
}

// A Trouble keeps a provider from working, whatever the task.
type Trouble struct {
	Kind  TroubleKind
	Until time.Time // when it is over by the provider's own words; zero where it does not say
	Text  string    // what the program said
	Rate  bool      // of a quota: too much was asked at once, and it may soon be asked again
}

// A TroubleKind says what is wrong with a provider.
type TroubleKind uint8

// The kinds.
const (
	Quota  TroubleKind = iota + 1 // what may be used is used up
	Outage                        // its service does not answer
	Login                         // nobody is logged in
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
