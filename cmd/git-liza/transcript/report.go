package transcript

import (
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/flow"
)

// An End is what the last end record of a session claims.
type End uint8

// The ends.
const (
	// NoEnd: there was no end record. The session was cut off, or is not over.
	NoEnd End = iota
	// Succeeded: the end record says that all went well.
	Succeeded
	// Failed: the end record says that it did not.
	Failed
	// Unmarked: the family has no end records.
	Unmarked
)

var endNames = [...]string{"no end", "succeeded", "failed", "unmarked"}

// String is the name of the end, such as succeeded.
func (e End) String() string {
	if int(e) < len(endNames) {
		return endNames[e]
	}
	return fmt.Sprintf("end %d", uint8(e))
}

// MarshalText writes [End.String].
func (e End) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText accepts exactly the names of [End.String].
func (e *End) UnmarshalText(text []byte) error {
	i := slices.Index(endNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is no end of a session", text)
	}
	*e = End(i)
	return nil
}

// A Report is what a session's records say. All texts are clean (see
// [flow.Clean]).
type Report struct {
	// Session is what the command line calls the session, by which it may be
	// resumed; Model is the model that it says it used.
	Session string
	Model   string
	End     End
	// Text is the agent's last message, its last 64 KiB at most; of plain text
	// the last 64 KiB of all.
	Text string
	// Error is what the last error record or failed end record said, up to
	// 4 KiB. An end record that claims success ends the errors before it.
	Error string
	// Denied are the tools that the command line refused to let the agent use,
	// such as Bash: git push; each once, the first 20.
	Denied []string
	// Usage is what the records say that was used; tokens and cost only. It is
	// zero where they say nothing. Some command lines tell the sum of all
	// resumptions, see [Report.Minus].
	Usage flow.Usage
	// Turns are the answers of the model.
	Turns int
	// Garbage are the lines that were no records: too long, no JSON, or a
	// record of the wrong form.
	Garbage int
	// Say is the last line that [Transcript.Follow] shows of the session.
	Say string
}

// Minus is the report of a session that went on from an earlier one, without
// what that had used: for command lines that count over all resumptions. Where
// the records say less than prior they began anew, and nothing is taken off.
func (r Report) Minus(prior flow.Usage) Report {
	u := &r.Usage
	if u.Input >= prior.Input && u.Cached >= prior.Cached && u.Output >= prior.Output {
		u.Input -= prior.Input
		u.Cached -= prior.Cached
		u.Output -= prior.Output
	}
	if u.Cost >= prior.Cost {
		u.Cost -= prior.Cost
	}
	return r
}
