package transcript

import (
	"fmt"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// An End is what the last end record of a session claims.
type End uint8

// The ends.
const (
	// NoEnd: there was no end record. The session was cut off, or still runs.
	NoEnd End = iota
	// Succeeded: the end record says that all went well.
	Succeeded
	// Failed: the end record says that it did not.
	Failed
	// Unmarked: the family has no end records.
	Unmarked
)

var endNames = [...]string{"no end", "succeeded", "failed", "unmarked"}

// String returns the name of the end, such as succeeded.
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

// A Report is the sum of a session's records. All texts are clean (see [board.Clean]).
type Report struct {
	// Session is the command line's id of the session, by which it may be resumed;
	// Model is the model that it names.
	Session string
	Model   string
	End     End
	// Text is the agent's last message, its last 64 KiB at most; of plain text
	// the last 64 KiB of all.
	Text string
	// Error is the text of the last error record or failed end record, up to 4 KiB. An
	// end record that claims success clears it.
	Error string
	// Denied are the calls of tools that the command line refused, such as Bash: git
	// push; each once, the first 20.
	Denied []string
	// Usage is the usage in the records; tokens and cost only, zero if there is none.
	// Some command lines report the sum of all resumptions, see [Report.Minus].
	Usage board.Usage
	// Turns is the number of answers of the model.
	Turns int
	// Filled is how many tokens the model read for its newest answer, from a cache or
	// not: what fills its context. Answers of subagents do not count. Window is how many
	// it can hold, as the records say. Both are 0 if they do not say.
	Filled, Window int64
	// Results is the number of results of tools. Paused says that one was the last
	// record, and that no other tool runs: the model has not answered yet.
	Results int
	Paused  bool
	// Loop is the call that had the same result [MaxRepeats] times in a row, and has it still.
	Loop string
	// Garbage is the number of lines that were not records: too long, no JSON, or a
	// record of the wrong form.
	Garbage int
	// Say is the last line that [Transcript.Follow] shows of the session.
	Say string
}

// Minus returns the report of a session that continued an earlier one, without what
// that one had used. It is for command lines that count over all resumptions. If the
// records say less than prior, the count began anew, and nothing is subtracted.
func (r Report) Minus(prior board.Usage) Report {
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
